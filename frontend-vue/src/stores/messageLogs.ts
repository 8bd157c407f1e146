import { defineStore } from 'pinia'
import { reactive } from 'vue'
import * as api from '@/api/chat'
import { ApiError, toApiError } from '@/api/errors'
import type { ChatMessage, Rating } from '@/api/types'
import { useDrafts } from './drafts'
import {
  applyEvent,
  breakOff,
  type Exchange,
  isBusy,
  mergeMessages,
  openQuestion,
  startExchange,
} from './exchange'
import { newKey } from './keys'
import { clearOutbox, readOutbox, writeOutbox } from './outbox'

/** How long an answer that was being written is looked for after a reload or a broken stream. */
const LOOK_AGAIN_MS = 2_000
const LOOK_TIMES = 20
/** A question older than this is not waited for: no answer takes that long. */
const HOPELESS_AFTER_MS = 120_000

export interface MessageLog {
  messages: ChatMessage[]
  status: 'idle' | 'loading' | 'ready' | 'error'
  error: ApiError | null
  hasEarlier: boolean
  isLoadingEarlier: boolean
  earlierError: ApiError | null
  exchange: Exchange | null
  /** An answer to the last question may still arrive at the server. */
  isAwaitingAnswer: boolean
}

function emptyLog(): MessageLog {
  return {
    messages: [],
    status: 'idle',
    error: null,
    hasEarlier: false,
    isLoadingEarlier: false,
    earlierError: null,
    exchange: null,
    isAwaitingAnswer: false,
  }
}

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

/** The messages of each conversation opened in this tab. A stream goes on while another is shown. */
export const useMessageLogs = defineStore('messageLogs', () => {
  const logs = reactive(new Map<string, MessageLog>())

  function of(chatId: string): MessageLog {
    if (!logs.has(chatId)) logs.set(chatId, emptyLog())
    return logs.get(chatId) as MessageLog
  }

  /** Shows a message that was under way when the page went, unless the server has it after all. */
  function recoverOutbox(chatId: string, log: MessageLog): void {
    const unconfirmed = readOutbox(chatId)
    if (!unconfirmed || log.exchange) return
    const arrived = log.messages.findLast((message) => message.role === 'user')
    if (arrived?.content === unconfirmed.text) {
      writeOutbox(chatId, null)
      return
    }
    const exchange = startExchange(unconfirmed.key, unconfirmed.text)
    log.exchange = breakOff(exchange, new ApiError({ status: 0, code: 'unreachable' }))
  }

  async function load(chatId: string): Promise<void> {
    const log = of(chatId)
    if (log.status === 'loading' || isBusy(log.exchange)) return
    if (log.status !== 'ready') log.status = 'loading'
    try {
      const page = await api.listMessages(chatId)
      if (log.messages.length === 0) log.hasEarlier = page.has_earlier
      log.messages = mergeMessages(log.messages, page.items)
      log.error = null
      log.status = 'ready'
    } catch (cause) {
      log.error = toApiError(cause)
      // Messages shown before stay where they are.
      if (log.status === 'loading') log.status = 'error'
      return
    }
    recoverOutbox(chatId, log)
    const open = openQuestion(log.messages)
    if (open && !log.exchange && Date.now() - Date.parse(open.created_at) < HOPELESS_AFTER_MS) {
      await awaitAnswer(chatId)
    }
  }

  async function loadEarlier(chatId: string): Promise<void> {
    const log = of(chatId)
    const first = log.messages[0]
    if (!first || log.isLoadingEarlier) return
    log.isLoadingEarlier = true
    log.earlierError = null
    try {
      const page = await api.listMessages(chatId, first.seq)
      log.messages = mergeMessages(log.messages, page.items)
      log.hasEarlier = page.has_earlier
    } catch (cause) {
      log.earlierError = toApiError(cause)
    } finally {
      log.isLoadingEarlier = false
    }
  }

  /** Looks for the stored answer to the last question until it is there or hope is gone. */
  async function awaitAnswer(chatId: string): Promise<void> {
    const log = of(chatId)
    if (log.isAwaitingAnswer) return
    log.isAwaitingAnswer = true
    try {
      for (let look = 0; look < LOOK_TIMES; look += 1) {
        await pause(LOOK_AGAIN_MS)
        try {
          log.messages = mergeMessages(log.messages, (await api.listMessages(chatId)).items)
        } catch (cause) {
          const status = toApiError(cause).status
          if (status === 401 || status === 404) break
        }
        if (!openQuestion(log.messages)) break
      }
    } finally {
      log.isAwaitingAnswer = false
      if (log.exchange?.state === 'lost') log.exchange = null
    }
  }

  async function run(chatId: string, exchange: Exchange): Promise<void> {
    const log = of(chatId)
    log.exchange = exchange
    writeOutbox(chatId, { key: exchange.key, text: exchange.text })
    try {
      for await (const event of api.ask(chatId, exchange.text, exchange.key)) {
        log.exchange = applyEvent(log.exchange, event)
        if (log.exchange.question) writeOutbox(chatId, null)
      }
      settle(log)
    } catch (cause) {
      await failed(chatId, log, toApiError(cause))
    }
  }

  /** Moves what is stored by now from the exchange into the messages. */
  function settle(log: MessageLog): void {
    const { exchange } = log
    if (!exchange) return
    const stored = [exchange.question, exchange.answer].filter((message) => message !== null)
    log.messages = mergeMessages(log.messages, stored)
    if (log.status === 'idle') log.status = 'ready'
    if (exchange.state === 'answered') log.exchange = null
  }

  async function failed(chatId: string, log: MessageLog, error: ApiError): Promise<void> {
    if (!log.exchange) return
    if (error.status === 401) {
      // The sign-in page comes next; the text waits in the composer for the way back.
      useDrafts().giveBack(chatId, log.exchange.text)
      writeOutbox(chatId, null)
      log.exchange = null
      return
    }
    log.exchange = breakOff(log.exchange, error)
    settle(log)
    if (log.exchange.state === 'lost') await awaitAnswer(chatId)
  }

  function send(chatId: string, text: string): Promise<void> {
    return run(chatId, startExchange(newKey(), text))
  }

  /** Sends a message that did not get through once more, under the same key. */
  async function retry(chatId: string): Promise<void> {
    const { exchange } = of(chatId)
    if (exchange?.state === 'not_sent') {
      await run(chatId, startExchange(exchange.key, exchange.text))
    }
  }

  function discard(chatId: string): void {
    of(chatId).exchange = null
    writeOutbox(chatId, null)
  }

  async function rate(
    chatId: string,
    messageId: string,
    rating: Rating | null,
    comment?: string,
  ): Promise<void> {
    const log = of(chatId)
    const rated = await api.rateMessage(messageId, rating, comment)
    log.messages = mergeMessages(log.messages, [rated])
  }

  /** Shows a message whose chat session is still being created. */
  function hold(chatId: string, text: string): void {
    of(chatId).exchange = startExchange(newKey(), text)
  }

  /** Keeps a held message as not sent, as its chat session could not be created. */
  function keepUnsent(chatId: string, error: ApiError): void {
    const log = of(chatId)
    if (log.exchange) log.exchange = breakOff(log.exchange, error)
  }

  function forget(chatId: string): void {
    logs.delete(chatId)
    writeOutbox(chatId, null)
  }

  function reset(): void {
    logs.clear()
    clearOutbox()
  }

  return { of, load, loadEarlier, send, retry, discard, rate, hold, keepUnsent, forget, reset }
})
