import { defineStore } from 'pinia'
import { reactive } from 'vue'
import { ApiError, toApiError } from '@/api/errors'
import * as api from '@/api/helpdesk'
import type { AgentSession, AgentTurn, DraftPreview, TicketDraft } from '@/api/types'
import { isPassing, keepListening, type Opener } from './agentConnection'
import { clearAgentOutbox, readEdits, readReply, writeEdits, writeReply } from './agentOutbox'
import {
  type AgentProgress,
  applyBegun,
  applyStep,
  applyTurn,
  applyView,
  expire,
  giveAnswer,
  isBusyAgent,
  isOpenAgent,
  newProgress,
  withdrawAnswer,
} from './agentProgress'
import { clearStarts, readStart, writeStart } from './agentStart'
import { useDrafts } from './drafts'
import { newKey } from './keys'
import { useMessageLogs } from './messageLogs'

/** How soon a session that runs is listened to again after its stream was said to be over. */
const LISTEN_AGAIN_MS = 2_000

export interface ChatAgent {
  /** Oldest first; the last one is what the chat is about now. */
  sessions: AgentProgress[]
  isLoaded: boolean
  error: ApiError | null
}

const cancelled = () => new ApiError({ status: 0, code: 'session_cancelled' })
const emptyAgent = (): ChatAgent => ({ sessions: [], isLoaded: false, error: null })

/** The agent sessions of each chat opened in this tab. A run goes on while another chat is shown. */
export const useHelpdeskSession = defineStore('helpdeskSession', () => {
  const chats = reactive(new Map<string, ChatAgent>())
  const connections = new Map<string, AbortController>()

  function of(chatId: string): ChatAgent {
    if (!chats.has(chatId)) chats.set(chatId, emptyAgent())
    return chats.get(chatId) as ChatAgent
  }

  /** A chat that has just been created has no sessions: there is nothing to wait for. */
  function expectNone(chatId: string): void {
    of(chatId).isLoaded = true
  }

  const current = (chatId: string) => of(chatId).sessions.at(-1) ?? null

  /** The session that may be answered, or an error as the server would give it. */
  function open(chatId: string): AgentProgress {
    const session = current(chatId)
    if (session && isOpenAgent(session)) return session
    throw new ApiError({ status: 409, code: 'session_ended' })
  }

  function drop(chatId: string, session: AgentProgress): void {
    hangUp(session)
    const agent = of(chatId)
    agent.sessions = agent.sessions.filter(({ key }) => key !== session.key)
  }

  function hangUp({ key }: AgentProgress): void {
    connections.get(key)?.abort()
    connections.delete(key)
  }

  /** Another place may hold the session that a click has just begun: both are one. */
  function adopt(chatId: string, session: AgentProgress, view: AgentSession): void {
    const twin = of(chatId).sessions.find(
      ({ key, sessionId }) => sessionId === view.session_id && key !== session.key,
    )
    if (twin) drop(chatId, twin)
    applyBegun(session, view)
    writeStart(chatId, null)
  }

  function follow(session: AgentProgress): Opener {
    return (signal) => api.followAgent(session.sessionId ?? '', session.lastEventId, signal)
  }

  /** Reads a run up to its pause or end. Throws what the server refuses. */
  async function drive(chatId: string, session: AgentProgress, call: Opener): Promise<void> {
    hangUp(session)
    const line = new AbortController()
    connections.set(session.key, line)
    const onBreak = () => (session.isReconnecting = true)
    try {
      const events = keepListening(call, follow(session), line.signal, onBreak)
      for await (const event of events) {
        if (line.signal.aborted) return
        if (event.type !== 'error') acknowledge(chatId, session)
        if (event.type === 'session') adopt(chatId, session, event.view)
        else if (event.type === 'step') applyStep(session, event.id, event.step)
        else if (event.type === 'turn') applyTurn(session, event.id, event.turn)
        else if (event.type === 'error') throw event.error
        if (event.type !== 'over') session.isReconnecting = false
      }
    } finally {
      if (connections.get(session.key) === line) connections.delete(session.key)
    }
    if (!line.signal.aborted) await conclude(chatId, session)
  }

  /** The server has what the person decided. */
  function acknowledge(chatId: string, session: AgentProgress): void {
    if (!session.isSending) return
    session.isSending = false
    writeReply(chatId, null)
  }

  /** After a run: what else belongs to the session, and its line in the chat. */
  async function conclude(chatId: string, session: AgentProgress): Promise<void> {
    writeStart(chatId, null)
    await Promise.all([refresh(chatId, session), useMessageLogs().load(chatId)])
    if (!isOpenAgent(session)) keepEdits(session, null)
    recoverReply(chatId)
  }

  /** Takes over how the session stands at the server; listens again, in a while, where it runs. */
  async function refresh(chatId: string, session: AgentProgress): Promise<void> {
    if (!session.sessionId) return
    try {
      applyView(session, await api.fetchAgentSession(session.sessionId))
    } catch (cause) {
      const error = toApiError(cause)
      if (error.status === 404) drop(chatId, session)
      else if (error.status === 410) expire(session)
      else if (isBusyAgent(session)) session.status = 'lost'
      return
    }
    if (session.status === 'running') setTimeout(() => pickUp(chatId, session), LISTEN_AGAIN_MS)
  }

  /** Listens to a session that runs without this tab listening yet. */
  function pickUp(chatId: string, session: AgentProgress): void {
    const isKept = of(chatId).sessions.includes(session)
    if (!isKept || session.status !== 'running' || connections.has(session.key)) return
    void drive(chatId, session, follow(session)).catch((cause: unknown) =>
      lose(chatId, session, toApiError(cause)),
    )
  }

  /** A run could not be listened to any longer. It may well go on at the server. */
  async function lose(chatId: string, session: AgentProgress, error: ApiError): Promise<void> {
    session.isReconnecting = false
    if (!isPassing(error) && error.status !== 401) await refresh(chatId, session)
    else if (isBusyAgent(session)) session.status = 'lost'
  }

  function merge(chatId: string, views: AgentSession[]): void {
    const agent = of(chatId)
    for (const view of [...views].reverse()) {
      const known = agent.sessions.find(({ sessionId }) => sessionId === view.session_id)
      if (known) {
        // An answer on its way comes back with how the session stands.
        if (!known.isSending) applyView(known, view)
        continue
      }
      agent.sessions.push(newProgress(view.session_id))
      const added = agent.sessions.at(-1)
      if (!added) continue
      added.edits = readEdits(view.session_id)
      applyView(added, view)
    }
    // What is being started has no time of the server's yet, and is the newest.
    const time = ({ startedAt }: AgentProgress) => startedAt ?? '9'
    agent.sessions.sort((a, b) => time(a).localeCompare(time(b)))
  }

  /** Everything the server knows of this chat's sessions: on opening it, and on coming back to it. */
  async function load(chatId: string): Promise<void> {
    const agent = of(chatId)
    try {
      merge(chatId, await api.listAgentSessions(chatId))
      agent.error = null
    } catch (cause) {
      agent.error = toApiError(cause)
      return
    } finally {
      agent.isLoaded = true
    }
    recoverReply(chatId)
    for (const session of agent.sessions) pickUp(chatId, session)
    await repeatStart(chatId)
  }

  /** An answer that was on its way when the page went is in the composer again, unless it arrived. */
  function recoverReply(chatId: string): void {
    const kept = readReply(chatId)
    const session = current(chatId)
    if (!kept || session?.isSending || session?.status === 'running') return
    writeReply(chatId, null)
    const isStillAsked = session?.pendingQuestionId === kept.questionId
    const isThere = of(chatId).sessions.some(({ exchanges }) =>
      exchanges.some(({ reply }) => reply === kept.text),
    )
    if (isStillAsked || !isThere) useDrafts().giveBack(chatId, kept.text)
  }

  /** A start that was on its way when the page went: once more, under its key. */
  async function repeatStart(chatId: string): Promise<void> {
    const key = readStart(chatId)
    if (!key || of(chatId).sessions.some(isOpenAgent)) return
    await begin(chatId, key).catch(() => undefined)
  }

  async function begin(chatId: string, key: string): Promise<void> {
    const agent = of(chatId)
    agent.sessions.push(newProgress(key))
    const session = agent.sessions.at(-1) as AgentProgress
    writeStart(chatId, key)
    try {
      await drive(chatId, session, (signal) => api.startAgent(chatId, key, signal))
    } catch (cause) {
      const error = toApiError(cause)
      if (session.sessionId) {
        await lose(chatId, session, error)
        return
      }
      drop(chatId, session)
      // Unconfirmed, the key is kept: the next click is the same start.
      if (!isPassing(error)) writeStart(chatId, null)
      if (error.code === 'session_open') await load(chatId)
      throw error
    }
  }

  async function start(chatId: string): Promise<void> {
    if (of(chatId).sessions.some(isOpenAgent)) return
    await begin(chatId, readStart(chatId) ?? newKey())
  }

  /** Sends what the person decided; where that is refused, shows how the session really stands. */
  async function answerWith(
    chatId: string,
    session: AgentProgress,
    call: Opener,
    undo: () => void,
  ): Promise<void> {
    session.isSending = true
    try {
      await drive(chatId, session, call)
      if (!session.isSending) return
      throw cancelled()
    } catch (cause) {
      // Whoever signed out or deleted the chat has nothing to get back.
      if (!of(chatId).sessions.includes(session)) return
      session.isReconnecting = false
      // Once the server has begun, the run itself was lost and not the answer.
      if (!session.isSending) {
        await lose(chatId, session, toApiError(cause))
        return
      }
      const error = isOpenAgent(session) ? toApiError(cause) : cancelled()
      session.isSending = false
      writeReply(chatId, null)
      undo()
      if (error.status === 410) expire(session)
      else await refresh(chatId, session)
      throw error
    }
  }

  async function resume(chatId: string, answer: api.AgentAnswer): Promise<void> {
    const session = open(chatId)
    const { sessionId, pendingQuestionId } = session
    if (!sessionId || !pendingQuestionId || isBusyAgent(session)) return
    const key = newKey()
    giveAnswer(session, 'choice' in answer ? answer.choice : answer.reply)
    if ('reply' in answer) {
      writeReply(chatId, { questionId: pendingQuestionId, text: answer.reply })
    }
    await answerWith(
      chatId,
      session,
      (signal) => api.resumeAgent(sessionId, pendingQuestionId, answer, key, signal),
      () => withdrawAnswer(session),
    )
  }

  async function confirm(chatId: string, decision: api.AgentDecision): Promise<void> {
    const session = open(chatId)
    const { sessionId, pendingQuestionId } = session
    if (!sessionId || !pendingQuestionId || isBusyAgent(session)) return
    const key = newKey()
    session.status = 'confirming'
    await answerWith(
      chatId,
      session,
      (signal) => api.confirmAgent(sessionId, pendingQuestionId, decision, key, signal),
      () => {
        if (session.status === 'confirming') session.status = 'awaiting_confirm'
      },
    )
  }

  /** Ends the open session; never refused, and the same again once it has ended. */
  async function abort(chatId: string): Promise<AgentTurn | null> {
    const session = open(chatId)
    if (!session.sessionId) return null
    let turn: AgentTurn
    try {
      turn = await api.abortAgent(session.sessionId)
    } catch (cause) {
      if (toApiError(cause).status === 410) expire(session)
      throw cause
    }
    hangUp(session)
    applyTurn(session, 0, turn)
    session.status = 'ended'
    await conclude(chatId, session)
    return turn
  }

  function preview(chatId: string, draft: TicketDraft): Promise<DraftPreview> {
    return api.previewDraft(open(chatId).sessionId ?? '', draft)
  }

  /** What the person made of the waiting draft, or that it stands as it was written. */
  function keepEdits(session: AgentProgress, draft: TicketDraft | null): void {
    const { sessionId, pendingQuestionId: questionId } = session
    session.edits = draft && questionId ? { questionId, draft } : null
    if (sessionId) writeEdits(sessionId, session.edits)
  }

  function forget(chatId: string): void {
    for (const session of of(chatId).sessions) {
      hangUp(session)
      keepEdits(session, null)
    }
    chats.delete(chatId)
    writeStart(chatId, null)
    writeReply(chatId, null)
  }

  function reset(): void {
    for (const line of connections.values()) line.abort()
    connections.clear()
    chats.clear()
    clearStarts()
    clearAgentOutbox()
  }

  return {
    of,
    expectNone,
    current,
    load,
    start,
    resume,
    confirm,
    abort,
    preview,
    keepEdits,
    forget,
    reset,
  }
})
