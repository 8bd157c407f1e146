import { useEventListener } from '@vueuse/core'
import { computed, ref, type Ref, watch } from 'vue'
import { type ApiError, toApiError } from '@/api/errors'
import type { AgentDecision } from '@/api/helpdesk'
import type { Candidate, DraftPreview } from '@/api/types'
import { t, type TextKey } from '@/locales'
import { isBusyAgent, isOpenAgent } from '@/stores/agentProgress'
import { useDrafts } from '@/stores/drafts'
import { useHelpdeskSession } from '@/stores/helpdeskSession'
import { useMessageLogs } from '@/stores/messageLogs'
import { useUi } from '@/stores/ui'
import { track, trackCancel, trackError } from '@/telemetry'
import { describeError } from './describeError'
import { useSpokenTurns } from './useSpokenTurns'

export interface AgentProblem {
  tone: 'bad' | 'warn'
  text: string
}

/** What a failed confirm means: without an answer of the server's own it may have been taken. */
function unfiled({ status, code }: ApiError): TextKey {
  const isUnknown = status === 0 || status === 500 || code === 'took_too_long'
  return isUnknown ? 'agent.confirm_unknown' : 'agent.not_confirmed'
}

/** The agent in the conversation on screen: how it stands, and everything a person can answer it. */
export function useActiveAgent(chatId: Ref<string | null>, isChatThere: Ref<boolean>) {
  const store = useHelpdeskSession()
  const logs = useMessageLogs()
  const drafts = useDrafts()
  const { announce } = useUi()

  const agent = computed(() => (chatId.value ? store.of(chatId.value) : null))
  const sessions = computed(() => agent.value?.sessions ?? [])
  const current = computed(() => sessions.value.at(-1) ?? null)
  const open = computed(() => (current.value && isOpenAgent(current.value) ? current.value : null))
  const isBusy = computed(() => open.value !== null && isBusyAgent(open.value))
  const isLoaded = computed(() => agent.value?.isLoaded ?? true)
  const problem = ref<AgentProblem | null>(null)
  const isReviewOpen = ref<boolean>(false)
  const isCancelOpen = ref<boolean>(false)

  useSpokenTurns(current)

  async function load(): Promise<void> {
    const id = chatId.value
    if (!id) return
    await store.load(id)
    const { error } = store.of(id)
    if (id !== chatId.value || !error || [401, 404, 422].includes(error.status)) return
    say('warn', t('agent.load_failed', { reason: describeError(error) }))
  }

  /** Another tab, or another device, may have answered meanwhile. */
  async function comeBack(): Promise<void> {
    const id = chatId.value
    if (!id || !isChatThere.value || document.visibilityState === 'hidden') return
    const isKnown = () => store.of(id).sessions.map(({ currentTurn }) => currentTurn?.message)
    const before = JSON.stringify(isKnown())
    await store.load(id)
    if (before !== JSON.stringify(isKnown())) await logs.load(id)
  }
  useEventListener(document, 'visibilitychange', comeBack)
  useEventListener(window, 'focus', comeBack)
  useEventListener(window, 'online', comeBack)

  watch(chatId, () => {
    problem.value = null
    isReviewOpen.value = false
    isCancelOpen.value = false
  })
  // Nothing is asked of a chat that does not exist.
  watch(
    [chatId, isChatThere],
    () => {
      if (isChatThere.value) void load()
    },
    { immediate: true },
  )
  watch(isCancelOpen, (isOpen) => {
    if (isOpen) trackCancel(open.value?.status)
  })
  watch(isReviewOpen, (isOpen) => {
    if (isOpen) track({ name: 'agent.modal_opened', trigger: 'button' })
    // Otherwise it went because something was decided, and not in this window only.
    else if (open.value?.status === 'awaiting_confirm') track({ name: 'agent.modal_cancelled' })
  })
  watch(
    () => open.value?.status,
    (status) => {
      if (status !== 'awaiting_confirm' && status !== 'confirming') isReviewOpen.value = false
      if (!status) isCancelOpen.value = false
    },
  )

  function say(tone: AgentProblem['tone'], text: string): void {
    problem.value = { tone, text }
    void announce(text)
  }

  /** An answer that came too late is no fault: the true state is on screen, and that is said. */
  function explain(error: ApiError, failure: TextKey, isTextKept = false): void {
    if (error.status === 401) return
    trackError(error)
    const isLate = ['stale_question', 'run_in_progress', 'session_ended'].includes(error.code)
    const words = isLate ? t('agent.stale') : t(failure, { reason: describeError(error) })
    say(isLate ? 'warn' : 'bad', isTextKept ? `${words} ${t('agent.text_kept')}` : words)
  }

  /** Runs a call for the chat on screen; explains its failure only while that is still the one. */
  async function attempt(
    call: (id: string) => Promise<unknown>,
    failed: (error: ApiError, id: string) => void,
  ): Promise<void> {
    const id = chatId.value
    if (!id) return
    problem.value = null
    try {
      await call(id)
    } catch (cause) {
      if (id === chatId.value) failed(toApiError(cause), id)
    }
  }

  function start(): Promise<void> {
    return attempt(store.start, (error) => {
      if (error.code === 'session_open') {
        trackError(error)
        say('warn', describeError(error))
      } else explain(error, 'agent.not_started')
    })
  }

  function choose(choice: string): Promise<void> {
    track({ name: 'agent.resumed_via', via: 'chip' })
    return attempt(
      (id) => store.resume(id, { choice }),
      (error) => explain(error, 'agent.not_sent'),
    )
  }

  async function reply(text: string): Promise<void> {
    const id = chatId.value
    if (!id) return
    track({ name: 'agent.resumed_via', via: 'free_text' })
    problem.value = null
    try {
      await store.resume(id, { reply: text })
    } catch (cause) {
      drafts.giveBack(id, text)
      if (id === chatId.value) explain(toApiError(cause), 'agent.not_sent', true)
    }
  }

  function decide(decision: AgentDecision): Promise<ApiError | null> {
    if (isReviewOpen.value) track({ name: 'agent.modal_submitted' })
    let refusal: ApiError | null = null
    return attempt(
      (id) => store.confirm(id, decision),
      (error) => {
        refusal = error
        // The window shows the new text and asks once more.
        if (error.code !== 'draft_changed') explain(error, unfiled(error))
      },
    ).then(() => refusal)
  }

  function file({ draft, draft_digest }: DraftPreview): Promise<ApiError | null> {
    return decide({ draft, draft_digest })
  }

  async function link({ source, number }: Candidate): Promise<void> {
    const refusal = await decide({ link: { source, number } })
    if (refusal?.code === 'draft_changed') explain(refusal, unfiled(refusal))
  }

  const isCancelling = ref<boolean>(false)
  async function cancel(): Promise<void> {
    if (isCancelling.value) return
    isCancelling.value = true
    await attempt(store.abort, (error) => explain(error, 'agent.not_cancelled'))
    isCancelling.value = false
    isCancelOpen.value = false
  }

  return {
    sessions,
    current,
    open,
    isBusy,
    isLoaded,
    problem,
    isReviewOpen,
    isCancelOpen,
    isCancelling,
    load,
    start,
    choose,
    reply,
    file,
    link,
    cancel,
  }
}

export type ActiveAgent = ReturnType<typeof useActiveAgent>
