import type { ExchangeEvent } from '@/api/chat'
import type { ApiError } from '@/api/errors'
import type { ChatMessage } from '@/api/types'

/**
 * A question on its way and the answer it is getting, until both are stored.
 * - `sending`: the server has not confirmed the question
 * - `answering`: the question is stored, the answer is coming
 * - `not_sent`: refused or unreachable; the text is here and can be sent again
 * - `failed`: the question is stored, the server gave up on the answer
 * - `lost`: the stream broke off; the answer may still be stored
 */
export type ExchangeState = 'sending' | 'answering' | 'answered' | 'not_sent' | 'failed' | 'lost'

export interface Exchange {
  /** Idempotency key: the same one for every attempt to send this text. */
  key: string
  text: string
  state: ExchangeState
  question: ChatMessage | null
  answer: ChatMessage | null
  streamed: string
  lastEventId: number
  error: ApiError | null
}

export function startExchange(key: string, text: string): Exchange {
  return {
    key,
    text,
    state: 'sending',
    question: null,
    answer: null,
    streamed: '',
    lastEventId: 0,
    error: null,
  }
}

/** The exchange after an event. An event seen before changes nothing. */
export function applyEvent(exchange: Exchange, event: ExchangeEvent): Exchange {
  if (event.id <= exchange.lastEventId || exchange.state === 'answered') return exchange
  const next = { ...exchange, lastEventId: event.id }
  switch (event.type) {
    case 'question':
      return { ...next, state: 'answering', question: event.message }
    case 'delta':
      return { ...next, state: 'answering', streamed: exchange.streamed + event.text }
    case 'answer':
      return { ...next, state: 'answered', answer: event.message }
    case 'error':
      return { ...next, state: exchange.question ? 'failed' : 'not_sent', error: event.error }
  }
}

/** The exchange after its connection broke. */
export function breakOff(exchange: Exchange, error: ApiError): Exchange {
  if (exchange.question) return { ...exchange, state: 'lost', error }
  return { ...exchange, state: 'not_sent', error }
}

export function isBusy(exchange: Exchange | null): boolean {
  return exchange !== null && ['sending', 'answering', 'lost'].includes(exchange.state)
}

/** Messages in their order, each once; a newer copy replaces the older one. */
export function mergeMessages(known: ChatMessage[], incoming: ChatMessage[]): ChatMessage[] {
  const byId = new Map(known.map((message) => [message.id, message]))
  for (const message of incoming) byId.set(message.id, message)
  return [...byId.values()].sort((a, b) => a.seq - b.seq)
}

/** The last question, if nothing answers it. */
export function openQuestion(messages: ChatMessage[]): ChatMessage | null {
  const last = messages.at(-1)
  return last?.role === 'user' ? last : null
}
