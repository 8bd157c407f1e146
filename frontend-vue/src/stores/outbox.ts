import { tabStorage } from './browserStorage'

const PREFIX = 'helpdesk.outbox.'

/** A message the server has not confirmed yet: kept through a reload together with its key. */
export interface Unconfirmed {
  key: string
  text: string
}

export function readOutbox(chatId: string): Unconfirmed | null {
  const stored = tabStorage.read(PREFIX + chatId)
  if (!stored) return null
  try {
    const entry = JSON.parse(stored) as Partial<Unconfirmed>
    return entry.key && entry.text ? { key: entry.key, text: entry.text } : null
  } catch {
    return null
  }
}

export function writeOutbox(chatId: string, entry: Unconfirmed | null): void {
  tabStorage.write(PREFIX + chatId, entry ? JSON.stringify(entry) : null)
}

export function clearOutbox(): void {
  tabStorage.clear(PREFIX)
}
