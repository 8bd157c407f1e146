import { client, send, unwrap } from './client'
import { type ApiError, errorFromBody, streamCut } from './errors'
import { readEvents } from './sse'
import type {
  AgentSession,
  AgentStep,
  AgentTurn,
  Candidate,
  DraftPreview,
  TicketDraft,
} from './types'

const AGENT = '/api/helpdesk/agent'

/**
 * What happens while the agent works. `id` rises within a session; 0 bears no number. `over`: nothing
 * comes any more, the session itself says how it stands.
 */
export type AgentEvent =
  | { type: 'session'; view: AgentSession }
  | { type: 'step'; id: number; step: AgentStep }
  | { type: 'turn'; id: number; turn: AgentTurn }
  | { type: 'error'; error: ApiError }
  | { type: 'over' }

export type AgentStream = AsyncGenerator<AgentEvent>

/** An answer to what is waited for: one of the choices, or free text. */
export type AgentAnswer = { choice: string } | { reply: string }

/** The yes to exactly this draft, or to linking this candidate. */
export type AgentDecision =
  { draft: TicketDraft; draft_digest: string } | { link: Pick<Candidate, 'source' | 'number'> }

function readAgentEvent(id: number, type: string | undefined, data: string): AgentEvent | null {
  // The shapes are the server's own; what this client does not know yet is passed over.
  const body: unknown = JSON.parse(data)
  switch (type) {
    case 'session':
      return { type, view: body as AgentSession }
    case 'step':
      return { type, id, step: body as AgentStep }
    case 'turn':
      return { type, id, turn: body as AgentTurn }
    case 'error':
      return { type, error: errorFromBody(0, body) }
    default:
      return null
  }
}

/** Ends after `turn`, `error` or `over`; throws if the server refuses, is away, or the stream breaks. */
async function* listen(request: Request): AgentStream {
  const response = await send(request)
  if (response.status === 204) {
    yield { type: 'over' }
    return
  }
  if (!response.ok) {
    const body: unknown = await response.json().catch(() => null)
    throw errorFromBody(response.status, body, response.headers.get('Retry-After'))
  }
  if (!response.headers.get('Content-Type')?.startsWith('text/event-stream')) {
    // A repeat of a call that is over may come back whole.
    yield { type: 'turn', id: 0, turn: (await response.json()) as AgentTurn }
    return
  }
  if (!response.body) throw streamCut()
  try {
    for await (const frame of readEvents(response.body)) {
      const event = readAgentEvent(Number(frame.id ?? 0), frame.event, frame.data)
      if (!event) continue
      yield event
      if (event.type === 'turn' || event.type === 'error') return
    }
  } catch {
    throw streamCut()
  }
  throw streamCut()
}

function begin(step: string, body: object, key: string, signal: AbortSignal): AgentStream {
  return listen(
    new Request(new URL(`${AGENT}/${step}`, window.location.origin), {
      method: 'POST',
      headers: {
        Accept: 'text/event-stream',
        'Content-Type': 'application/json',
        'Idempotency-Key': key,
      },
      body: JSON.stringify(body),
      signal,
    }),
  )
}

export function startAgent(chatSessionId: string, key: string, signal: AbortSignal): AgentStream {
  return begin('start', { chat_session_id: chatSessionId, trigger: 'chip' }, key, signal)
}

export function resumeAgent(
  sessionId: string,
  questionId: string,
  answer: AgentAnswer,
  key: string,
  signal: AbortSignal,
): AgentStream {
  const body = { session_id: sessionId, pending_question_id: questionId, ...answer }
  return begin('resume', body, key, signal)
}

export function confirmAgent(
  sessionId: string,
  questionId: string,
  decision: AgentDecision,
  key: string,
  signal: AbortSignal,
): AgentStream {
  const body = { session_id: sessionId, pending_question_id: questionId, ...decision }
  return begin('confirm', body, key, signal)
}

/** What a session told behind an event, and what it goes on to tell. */
export function followAgent(
  sessionId: string,
  lastEventId: number,
  signal: AbortSignal,
): AgentStream {
  const path = `${AGENT}/sessions/${encodeURIComponent(sessionId)}/events`
  return listen(
    new Request(new URL(path, window.location.origin), {
      headers: { Accept: 'text/event-stream', 'Last-Event-ID': String(lastEventId) },
      signal,
    }),
  )
}

export async function abortAgent(sessionId: string): Promise<AgentTurn> {
  const body = { session_id: sessionId }
  return (await unwrap(client.POST('/api/helpdesk/agent/abort', { body }))).turn
}

export function previewDraft(sessionId: string, draft: TicketDraft): Promise<DraftPreview> {
  const body = { session_id: sessionId, draft }
  return unwrap(client.POST('/api/helpdesk/agent/preview', { body }))
}

/** The sessions of a chat, newest first. */
export async function listAgentSessions(chatSessionId: string): Promise<AgentSession[]> {
  const params = { query: { chat_session_id: chatSessionId } }
  return (await unwrap(client.GET('/api/helpdesk/agent/sessions', { params }))).items
}

export function fetchAgentSession(sessionId: string): Promise<AgentSession> {
  return unwrap(
    client.GET('/api/helpdesk/agent/sessions/{session_id}', {
      params: { path: { session_id: sessionId } },
    }),
  )
}
