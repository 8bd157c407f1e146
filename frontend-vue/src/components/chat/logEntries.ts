import type { ChatMessage } from '@/api/types'
import { type AgentProgress, isOpenAgent } from '@/stores/agentProgress'
import type { Exchange } from '@/stores/exchange'

/** What stands below an answer that resolved nothing: the offer of help, or that it was taken. */
export type Escalation = 'offered' | 'requested'

/** What stands in the message log, from top to bottom. */
export type LogEntry =
  | { kind: 'day'; key: string; at: string }
  | { kind: 'question'; key: string; text: string; at: string | null; isUnsent: boolean }
  | { kind: 'answer'; key: string; message: ChatMessage; escalation?: Escalation }
  | { kind: 'notice'; key: string; message: ChatMessage }
  | { kind: 'agent'; key: string; session: AgentProgress | null; message: ChatMessage | null }
  | { kind: 'arriving'; key: string; text: string; isLost: boolean }
  | { kind: 'unanswered'; key: string; question: string; state: Unanswered; canAskAgain: boolean }

export type Unanswered = 'awaited' | 'missing' | 'failed'

const dayOf = (iso: string) => new Date(iso).toDateString()

const isAnswer = ({ role, agent_summary: summary, notice }: ChatMessage) =>
  role === 'assistant' && !summary && !notice

function answered(messages: ChatMessage[]): Set<string> {
  const ids = messages.map((message) => message.reply_to).filter((id) => id !== null)
  // An answer without a reference answers the question right before it.
  messages.forEach((message, index) => {
    const before = messages[index - 1]
    if (isAnswer(message) && before?.role === 'user') ids.push(before.id)
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

const agentKey = (name: string) => `agent-${name}`

/** Help is offered under the latest answer only, and not again while that offer is being taken up. */
function withEscalation(entries: LogEntry[]): LogEntry[] {
  const answer = entries.findLast((entry) => entry.kind === 'answer')
  if (answer?.kind !== 'answer') return entries
  const after = entries.slice(entries.indexOf(answer) + 1)
  if (after.some(({ kind }) => kind === 'question')) return entries
  const isTaken =
    after.some(({ kind }) => kind === 'agent') ||
    entries.some((entry) => entry.kind === 'agent' && entry.session && isOpenAgent(entry.session))
  answer.escalation = isTaken ? 'requested' : 'offered'
  return entries
}

/** Sessions whose line is not among the messages: stored ones in their place, new ones at the end. */
function addSessions(
  entries: LogEntry[],
  messages: ChatMessage[],
  sessions: AgentProgress[],
): LogEntry[] {
  const shown = new Set(entries.map(({ key }) => key))
  const first = messages[0]?.created_at
  const all = [...entries]
  for (const session of sessions) {
    const entry: LogEntry = { kind: 'agent', key: agentKey(session.key), session, message: null }
    const { startedAt } = session
    if (shown.has(entry.key)) continue
    const isOpen = isOpenAgent(session)
    // Its line stands further up, where nothing is loaded yet.
    if (!isOpen && startedAt && first && startedAt < first) continue
    const index = isOpen || !startedAt ? -1 : all.findIndex((other) => isAfter(other, startedAt))
    if (index < 0) all.push(entry)
    else all.splice(index, 0, entry)
  }
  return all
}

function isAfter(entry: LogEntry, at: string): boolean {
  if (entry.kind === 'question') return entry.at !== null && entry.at > at
  return (
    (entry.kind === 'answer' || entry.kind === 'agent') && (entry.message?.created_at ?? '') > at
  )
}

export function buildEntries(
  stored: ChatMessage[],
  exchange: Exchange | null,
  isAwaitingAnswer: boolean,
  sessions: AgentProgress[] = [],
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
    if (message.agent_summary) {
      const id = message.agent_summary.agent_session_id
      const session = sessions.find(({ sessionId }) => sessionId === id) ?? null
      entries.push({ kind: 'agent', key: agentKey(session?.key ?? id), session, message })
      return
    }
    if (message.notice) {
      entries.push({ kind: 'notice', key: `notice-${message.id}`, message })
      return
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
  const whole = addSessions(entries, messages, sessions)
  // While a question is on its way, nothing is offered under what came before it.
  return exchange ? [...whole, ...arriving(exchange)] : withEscalation(whole)
}
