import { tabStorage } from './browserStorage'

const PREFIX = 'helpdesk.agent-start.'
/** A click older than this is not carried out any more when the page comes back. */
const FORGOTTEN_AFTER_MS = 300_000

/** The key of a start the server has not confirmed: kept through a reload, so that it stays one. */
export function readStart(chatId: string): string | null {
  const stored = tabStorage.read(PREFIX + chatId)
  if (!stored) return null
  try {
    const { key, at } = JSON.parse(stored) as { key?: string; at?: number }
    return key && at && Date.now() - at < FORGOTTEN_AFTER_MS ? key : null
  } catch {
    return null
  }
}

export function writeStart(chatId: string, key: string | null): void {
  tabStorage.write(PREFIX + chatId, key ? JSON.stringify({ key, at: Date.now() }) : null)
}

export function clearStarts(): void {
  tabStorage.clear(PREFIX)
}
