import { computed, reactive, ref, shallowRef } from 'vue'
import { createIssue, draftTicket, summarizeChat } from '@/api/escalation'
import { toApiError } from '@/api/errors'
import type { CreatedIssue, Summary, TicketDraft } from '@/api/types'
import { t } from '@/locales'
import { newKey } from '@/stores/keys'
import { useUi } from '@/stores/ui'
import { describeError } from './describeError'
import { descriptionProblem, titleProblem } from './useDraftReview'

type Wanted = 'summary' | 'draft'

/** What a person can do without the agent: a summary, or a ticket that they check, change and file. */
export function useEscalation(chatId: string) {
  const { announce } = useUi()
  const wanted = ref<Wanted | null>(null)
  const isLoading = ref<boolean>(false)
  const isFiling = ref<boolean>(false)
  const failure = ref<string>('')
  const summary = shallowRef<Summary | null>(null)
  const form = ref<TicketDraft | null>(null)
  const filed = shallowRef<CreatedIssue | null>(null)
  /** A text keeps its key, so that asking again files no second ticket; a changed one gets another. */
  const sent = reactive({ text: '', key: '' })
  let latest = 0

  const titleError = computed(() => (form.value ? titleProblem(form.value.title) : ''))
  const descriptionError = computed(() =>
    form.value ? descriptionProblem(form.value.description) : '',
  )
  const isValid = computed(() => !titleError.value && !descriptionError.value)

  async function make(what: Wanted): Promise<void> {
    latest += 1
    const turn = latest
    wanted.value = what
    failure.value = ''
    isLoading.value = false
    // What was changed already is not written over.
    if (what === 'draft' && form.value) return
    isLoading.value = true
    try {
      if (what === 'summary') {
        const made = await summarizeChat(chatId)
        if (turn === latest) summary.value = made
      } else {
        const made = await draftTicket(chatId)
        if (turn === latest) form.value = { ...made.draft }
      }
    } catch (cause) {
      if (turn === latest) failure.value = t('actions.failed', { reason: describeError(cause) })
    }
    if (turn === latest) isLoading.value = false
  }

  function keyFor(draft: TicketDraft): string {
    const text = JSON.stringify(draft)
    if (text !== sent.text) Object.assign(sent, { text, key: newKey() })
    return sent.key
  }

  async function file(): Promise<void> {
    if (!form.value || !isValid.value || isFiling.value) return
    isFiling.value = true
    failure.value = ''
    try {
      filed.value = await createIssue(chatId, { ...form.value }, keyFor(form.value))
      void announce(t('outcome.filed', { number: filed.value.ticket_number }))
    } catch (cause) {
      const { status, code } = toApiError(cause)
      const isUnknown = status === 0 || status === 500 || code === 'took_too_long'
      failure.value = t(isUnknown ? 'actions.unknown' : 'actions.not_filed', {
        reason: describeError(cause),
      })
    }
    isFiling.value = false
  }

  function back(): void {
    latest += 1
    wanted.value = null
    isLoading.value = false
    failure.value = ''
  }

  return {
    wanted,
    isLoading,
    isFiling,
    failure,
    summary,
    form,
    filed,
    titleError,
    descriptionError,
    isValid,
    make,
    file,
    back,
  }
}
