import { defineStore } from 'pinia'
import { reactive } from 'vue'
import { clearAgentOutbox } from './agentOutbox'
import { tabStorage } from './browserStorage'
import { clearOutbox } from './outbox'

const PREFIX = 'helpdesk.draft.'
const OWNER = 'helpdesk.draft-owner'

/** The key of a conversation that has no id yet. */
export const NEW_CHAT = 'new'

/** What somebody was writing, per conversation; survives a reload and a new sign-in, in this tab. */
export const useDrafts = defineStore('drafts', () => {
  const texts = reactive(new Map<string, string>())

  function read(chatId: string): string {
    return texts.get(chatId) ?? tabStorage.read(PREFIX + chatId) ?? ''
  }

  function write(chatId: string, text: string): void {
    texts.set(chatId, text)
    tabStorage.write(PREFIX + chatId, text || null)
  }

  /** Puts a message that could not be sent back, in front of what was typed since. */
  function giveBack(chatId: string, text: string): void {
    const current = read(chatId)
    write(chatId, current ? `${text}\n\n${current}` : text)
  }

  function clear(): void {
    texts.clear()
    tabStorage.clear(PREFIX)
  }

  /** Drafts belong to one person: another one signing in at this tab must not see them. */
  function claimFor(userId: string): void {
    const owner = tabStorage.read(OWNER)
    if (owner !== null && owner !== userId) {
      clear()
      clearOutbox()
      clearAgentOutbox()
    }
    tabStorage.write(OWNER, userId)
  }

  return { read, write, giveBack, clear, claimFor }
})
