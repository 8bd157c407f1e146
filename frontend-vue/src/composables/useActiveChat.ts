import { computed, ref, type Ref, watch } from 'vue'
import { type ApiError, isAbsent, toApiError } from '@/api/errors'
import type { ChatMode, Rating } from '@/api/types'
import { t } from '@/locales'
import { useAuth } from '@/stores/auth'
import { useChat } from '@/stores/chat'
import { NEW_CHAT, useDrafts } from '@/stores/drafts'
import { isBusy } from '@/stores/exchange'
import { useHelpdeskSession } from '@/stores/helpdeskSession'
import { useMessageLogs } from '@/stores/messageLogs'
import { useUi } from '@/stores/ui'
import { track } from '@/telemetry'
import { describeError } from './describeError'
import { useWelcome } from './useWelcome'

/** The conversation on screen: its session, its messages, and everything a person can do with it. */
export function useActiveChat(
  chatId: Ref<string | null>,
  onCreated: (id: string) => Promise<unknown>,
) {
  const chat = useChat()
  const logs = useMessageLogs()
  const drafts = useDrafts()
  const { announce } = useUi()

  const key = computed(() => chatId.value ?? NEW_CHAT)
  const session = computed(() => (chatId.value ? chat.find(chatId.value) : undefined))
  const log = computed(() => logs.of(key.value))
  const { data: welcome } = useWelcome(() => chatId.value === null)
  /** Null until it is known. */
  const mode = computed<ChatMode | null>(() => {
    if (chatId.value) return session.value?.mode ?? null
    return chat.newMode ?? welcome.value?.mode ?? null
  })
  const sessionError = ref<ApiError | null>(null)
  const problem = ref<string>('')
  const isSwitching = ref<boolean>(false)
  const busy = computed(() => isBusy(log.value.exchange))
  const isMissing = computed(() => isAbsent(log.value.error) || isAbsent(sessionError.value))

  async function loadSession(id: string): Promise<void> {
    try {
      if (!chat.find(id)) await chat.refresh(id)
    } catch (cause) {
      sessionError.value = toApiError(cause)
    }
  }

  async function load(): Promise<void> {
    const id = chatId.value
    sessionError.value = null
    if (id) await Promise.all([loadSession(id), logs.load(id)])
  }

  watch(
    chatId,
    () => {
      problem.value = ''
      void load()
    },
    { immediate: true },
  )

  // Deleted elsewhere, in another tab say.
  watch(isMissing, (missing) => {
    if (missing && chatId.value) chat.forget(chatId.value)
  })

  // The first question gives a conversation its title, long before the answer is there.
  watch(
    () => log.value.exchange?.question?.id,
    (questionId) => {
      const id = chatId.value
      if (questionId && id) void chat.refresh(id).catch(() => undefined)
    },
  )

  /** Says once how an exchange ended, and takes over the title and the place in the list. */
  async function conclude(id: string): Promise<void> {
    const { exchange, messages } = logs.of(id)
    const answer = messages.at(-1)
    const isShown = chatId.value === id
    if (isShown && !exchange && answer?.role === 'assistant') {
      void announce(t(answer.kb_resolved === false ? 'answer.ready_unresolved' : 'answer.ready'))
    }
    if (useAuth().isSignedIn) await chat.refresh(id).catch(() => undefined)
  }

  /** The id of a new session for a first message, or null; the message is kept if there is none. */
  async function createSession(text: string): Promise<string | null> {
    logs.hold(NEW_CHAT, text)
    try {
      const { id } = await chat.create(mode.value)
      useHelpdeskSession().expectNone(id)
      return id
    } catch (cause) {
      const error = toApiError(cause)
      if (error.status === 401) {
        drafts.giveBack(NEW_CHAT, text)
        logs.discard(NEW_CHAT)
      } else {
        logs.keepUnsent(NEW_CHAT, error)
      }
      return null
    }
  }

  async function send(text: string): Promise<void> {
    void announce(t('answer.working'))
    if (chatId.value) {
      const id = chatId.value
      await logs.send(id, text)
      return conclude(id)
    }
    const id = await createSession(text)
    if (!id) return
    const sent = logs.send(id, text)
    await onCreated(id)
    logs.discard(NEW_CHAT)
    await sent
    await conclude(id)
  }

  async function retry(): Promise<void> {
    const text = log.value.exchange?.text
    if (!text) return
    if (chatId.value) {
      const id = chatId.value
      await logs.retry(id)
      return conclude(id)
    }
    await send(text)
  }

  function discard(): void {
    logs.discard(key.value)
  }

  async function switchMode(next: ChatMode): Promise<void> {
    if (isSwitching.value || next === mode.value) return
    const from = mode.value
    isSwitching.value = true
    problem.value = ''
    try {
      await chat.setMode(chatId.value, next)
      if (from) track({ name: 'agent.mode_switched', from, to: next })
      void announce(t(next === 'ask' ? 'mode.switched.ask' : 'mode.switched.agent'))
    } catch (cause) {
      problem.value = t('mode.failed', { reason: describeError(cause) })
    } finally {
      isSwitching.value = false
    }
  }

  async function rate(messageId: string, rating: Rating | null, comment?: string): Promise<void> {
    problem.value = ''
    try {
      await logs.rate(key.value, messageId, rating, comment)
      void announce(t(rating ? 'feedback.stored' : 'feedback.removed'))
    } catch (cause) {
      problem.value = t('feedback.failed', { reason: describeError(cause) })
    }
  }

  return {
    key,
    session,
    log,
    mode,
    busy,
    isSwitching,
    isMissing,
    problem,
    load,
    loadEarlier: () => logs.loadEarlier(key.value),
    send,
    retry,
    discard,
    switchMode,
    rate,
  }
}
