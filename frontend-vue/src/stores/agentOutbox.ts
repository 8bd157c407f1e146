import type { TicketDraft } from '@/api/types'
import { tabStorage } from './browserStorage'

const REPLY = 'helpdesk.agent-reply.'
const EDITS = 'helpdesk.agent-edits.'

/** A written answer the server has not accepted yet, and the question it is for. */
export interface UnsentReply {
  questionId: string
  text: string
}

/** What a person made of a draft, and the question with which it waits. */
export interface DraftEdits {
  questionId: string
  draft: TicketDraft
}

function read<T>(key: string): Partial<T> | null {
  try {
    return JSON.parse(tabStorage.read(key) ?? 'null') as Partial<T> | null
  } catch {
    return null
  }
}

function write(key: string, entry: object | null): void {
  tabStorage.write(key, entry && JSON.stringify(entry))
}

export function readReply(chatId: string): UnsentReply | null {
  const { questionId, text } = read<UnsentReply>(REPLY + chatId) ?? {}
  return questionId && text ? { questionId, text } : null
}

export function writeReply(chatId: string, reply: UnsentReply | null): void {
  write(REPLY + chatId, reply)
}

export function readEdits(sessionId: string): DraftEdits | null {
  const { questionId, draft } = read<DraftEdits>(EDITS + sessionId) ?? {}
  return questionId && draft ? { questionId, draft } : null
}

export function writeEdits(sessionId: string, edits: DraftEdits | null): void {
  write(EDITS + sessionId, edits)
}

export function clearAgentOutbox(): void {
  tabStorage.clear(REPLY)
  tabStorage.clear(EDITS)
}
