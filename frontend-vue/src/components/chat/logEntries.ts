import type { ChatMessage } from '@/api/types'
import type { Exchange } from '@/stores/exchange'

/** What stands in the message log, from top to bottom. */
export type LogEntry =
  | { kind: 'day'; key: string; at: string }
  | { kind: 'question'; key: string; text: string; at: string | null; isUnsent: boolean }
  | { kind: 'answer'; key: string; message: ChatMessage }
  | { kind: 'arriving'; key: string; text: string; isLost: boolean }
  | { kind: 'unanswered'; key: string; question: string; state: Unanswered; canAskAgain: boolean }

export type Unanswered = 'awaited' | 'missing' | 'failed'

const dayOf = (iso: string) => new Date(iso).toDateString()

function answered(messages: ChatMessage[]): Set<string> {
  const ids = messages.map((message) => message.reply_to).filter((id) => id !== null)
  // An answer without a reference answers the question right before it.
  messages.forEach((message, index) => {
    const before = messages[index - 1]
    if (message.role === 'assistant' && before?.role === 'user') ids.push(before.id)
  })
  return new Set(ids)
}

/** An answer keeps its key from its first word on, so that it is not rebuilt when it is stored. */
const answerKey = (questionId: string) => `answer-to-${questionId}`

function arriving(exchange: Exchange): LogEntry[] {
  const entries: LogEntry[] = []
  if (!exchange.question) {
    entries.push({
      kind: 'question',
      key: exchange.key,
      text: exchange.text,
      at: null,
      isUnsent: exchange.state === 'not_sent',
    })
  }
  if (exchange.state === 'sending' || exchange.state === 'answering' || exchange.state === 'lost') {
    entries.push({
      kind: 'arriving',
      key: answerKey(exchange.question?.id ?? exchange.key),
      text: exchange.streamed,
      isLost: exchange.state === 'lost',
    })
  }
  return entries
}

export function buildEntries(
  stored: ChatMessage[],
  exchange: Exchange | null,
  isAwaitingAnswer: boolean,
): LogEntry[] {
  const question = exchange?.question
  const isNew = question && !stored.some((message) => message.id === question.id)
  const messages = isNew ? [...stored, question] : stored
  const withAnswer = answered(messages)
  const entries: LogEntry[] = []
  let day = ''

  messages.forEach((message, index) => {
    if (dayOf(message.created_at) !== day) {
      day = dayOf(message.created_at)
      entries.push({ kind: 'day', key: `day-${message.id}`, at: message.created_at })
    }
    if (message.role === 'assistant') {
      const key = answerKey(message.reply_to ?? message.id)
      entries.push({ kind: 'answer', key, message })
      return
    }
    const { id, content: text, created_at: at } = message
    entries.push({ kind: 'question', key: id, text, at, isUnsent: false })
    const isUnderWay = question?.id === id && exchange?.state !== 'failed'
    if (withAnswer.has(id) || isUnderWay) return
    const isLast = index === messages.length - 1
    const state =
      question?.id === id ? 'failed' : isLast && isAwaitingAnswer ? 'awaited' : 'missing'
    // While the next message is on its way there is nothing to ask again.
    const canAskAgain = isLast && (exchange === null || exchange.state === 'failed')
    entries.push({ kind: 'unanswered', key: `open-${id}`, question: text, state, canAskAgain })
  })
  return exchange ? [...entries, ...arriving(exchange)] : entries
}
