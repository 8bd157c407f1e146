import { client, send, unwrap } from './client'
import { type ApiError, errorFromBody, streamCut } from './errors'
import { readEvents } from './sse'
import type {
  ChatMessage,
  ChatMessageList,
  ChatMode,
  ChatSession,
  ChatSessionList,
  Rating,
  Welcome,
} from './types'

const PAGE_OF_SESSIONS = 30
const PAGE_OF_MESSAGES = 50

const session = (chatSessionId: string) => ({ path: { chat_session_id: chatSessionId } })

export function fetchWelcome(): Promise<Welcome> {
  return unwrap(client.GET('/api/chat/welcome'))
}

export function listSessions(before?: string): Promise<ChatSessionList> {
  return unwrap(
    client.GET('/api/chat/sessions', { params: { query: { limit: PAGE_OF_SESSIONS, before } } }),
  )
}

/** Without a mode the session starts in the one that is set at the server. */
export function createSession(mode: ChatMode | null): Promise<ChatSession> {
  return unwrap(client.POST('/api/chat/sessions', { body: mode ? { mode } : {} }))
}

export function fetchSession(id: string): Promise<ChatSession> {
  return unwrap(client.GET('/api/chat/sessions/{chat_session_id}', { params: session(id) }))
}

export function setSessionMode(id: string, mode: ChatMode): Promise<ChatSession> {
  return unwrap(
    client.PATCH('/api/chat/sessions/{chat_session_id}', {
      params: session(id),
      body: { mode },
    }),
  )
}

export async function deleteSession(id: string): Promise<void> {
  await unwrap(client.DELETE('/api/chat/sessions/{chat_session_id}', { params: session(id) }))
}

export function listMessages(id: string, beforeSeq?: number): Promise<ChatMessageList> {
  return unwrap(
    client.GET('/api/chat/sessions/{chat_session_id}/messages', {
      params: { ...session(id), query: { limit: PAGE_OF_MESSAGES, before_seq: beforeSeq } },
    }),
  )
}

export function rateMessage(
  messageId: string,
  rating: Rating | null,
  comment?: string,
): Promise<ChatMessage> {
  return unwrap(
    client.PUT('/api/chat/messages/{message_id}/feedback', {
      params: { path: { message_id: messageId } },
      body: comment ? { rating, comment } : { rating },
    }),
  )
}

/** What happens while a question is answered. `id` rises; a number seen before is a repeat. */
export type ExchangeEvent =
  | { id: number; type: 'question'; message: ChatMessage }
  | { id: number; type: 'delta'; text: string }
  | { id: number; type: 'answer'; message: ChatMessage }
  | { id: number; type: 'error'; error: ApiError }

function readExchangeEvent(id: number, type: string | undefined, data: string): ExchangeEvent[] {
  // The shapes are the server's own; what this client does not know yet is passed over.
  const body: unknown = JSON.parse(data)
  switch (type) {
    case 'question':
    case 'answer':
      return [{ id, type, message: body as ChatMessage }]
    case 'delta':
      return [{ id, type, text: (body as { text: string }).text }]
    case 'error':
      return [{ id, type, error: errorFromBody(0, body) }]
    default:
      return []
  }
}

/**
 * Sends a question and yields what comes back. Ends after `answer` or `error`; throws if the server
 * refuses, cannot be reached, or the stream breaks off before either.
 */
export async function* ask(
  chatSessionId: string,
  text: string,
  idempotencyKey: string,
): AsyncGenerator<ExchangeEvent> {
  const path = `/api/chat/sessions/${encodeURIComponent(chatSessionId)}/messages`
  const response = await send(
    new Request(new URL(path, window.location.origin), {
      method: 'POST',
      headers: {
        Accept: 'text/event-stream',
        'Content-Type': 'application/json',
        'Idempotency-Key': idempotencyKey,
      },
      body: JSON.stringify({ text }),
    }),
  )
  if (!response.ok) {
    const body: unknown = await response.json().catch(() => null)
    throw errorFromBody(response.status, body, response.headers.get('Retry-After'))
  }
  if (!response.headers.get('Content-Type')?.startsWith('text/event-stream')) {
    // A repeat of a finished exchange may come back whole.
    const whole = (await response.json()) as { question: ChatMessage; answer: ChatMessage }
    yield { id: 1, type: 'question', message: whole.question }
    yield { id: 2, type: 'answer', message: whole.answer }
    return
  }
  if (!response.body) throw streamCut()
  let count = 0
  try {
    for await (const frame of readEvents(response.body)) {
      count += 1
      for (const event of readExchangeEvent(Number(frame.id ?? count), frame.event, frame.data)) {
        yield event
        if (event.type === 'answer' || event.type === 'error') return
      }
    }
  } catch {
    throw streamCut()
  }
  throw streamCut()
}
