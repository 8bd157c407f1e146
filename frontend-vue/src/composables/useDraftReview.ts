import { useDebounceFn } from '@vueuse/core'
import { computed, reactive, ref, shallowRef, watch } from 'vue'
import type { AgentTurn, DraftPreview, TicketDraft } from '@/api/types'
import { t } from '@/locales'
import { type AgentProgress, editedDraftOf } from '@/stores/agentProgress'
import { useHelpdeskSession } from '@/stores/helpdeskSession'
import { describeError } from './describeError'

const WAIT_MS = 350
const MAX_TITLE = 120
const MAX_DESCRIPTION = 8000

const length = (text: string) => Array.from(text.trim()).length
const isSame = (a: TicketDraft, b: TicketDraft) =>
  a.title.trim() === b.title.trim() &&
  a.description.trim() === b.description.trim() &&
  a.severity === b.severity &&
  a.impact === b.impact &&
  a.category === b.category

function problemOf(text: string, max: number): string {
  if (!text.trim()) return t('draft.needed')
  const over = length(text) - max
  return over > 0 ? t('draft.too_long', { count: over }) : ''
}

export const titleProblem = (title: string) => problemOf(title, MAX_TITLE)
export const descriptionProblem = (text: string) => problemOf(text, MAX_DESCRIPTION)

function previewOf(turn: AgentTurn | null): DraftPreview | null {
  if (!turn?.draft || !turn.draft_digest) return null
  return {
    draft: turn.draft,
    body_preview: turn.body_preview ?? '',
    draft_digest: turn.draft_digest,
  }
}

const EMPTY: TicketDraft = {
  title: '',
  description: '',
  severity: 'medium',
  impact: 'Person',
  category: 'other',
}

/** The draft as the person edits it, and the preview of exactly what a yes would file. */
export function useDraftReview(chatId: string, session: AgentProgress) {
  const store = useHelpdeskSession()
  const original = computed(() => session.currentTurn?.draft ?? EMPTY)
  const edited = editedDraftOf(session)
  const form = reactive<TicketDraft>({ ...(edited ?? original.value) })
  const preview = shallowRef<DraftPreview | null>(edited ? null : previewOf(session.currentTurn))
  /** What the preview was made from, as it was typed. */
  const previewed = shallowRef<TicketDraft | null>(preview.value && { ...form })
  const problem = ref<string>('')
  let latest = 0
  let isTakingOver = false

  const titleError = computed(() => titleProblem(form.title))
  const descriptionError = computed(() => descriptionProblem(form.description))
  const isValid = computed(() => !titleError.value && !descriptionError.value)
  const isEdited = computed(() => !isSame(form, original.value))
  const isCurrent = computed(
    () => preview.value !== null && previewed.value !== null && isSame(form, previewed.value),
  )

  async function renew(): Promise<void> {
    if (!isValid.value) return
    latest += 1
    const turn = latest
    const sent = { ...form }
    try {
      const made = await store.preview(chatId, sent)
      if (turn !== latest) return
      preview.value = made
      previewed.value = sent
      problem.value = ''
    } catch (cause) {
      if (turn === latest) {
        problem.value = t('draft.preview_failed', { reason: describeError(cause) })
      }
    }
  }
  const renewSoon = useDebounceFn(() => (isCurrent.value ? undefined : renew()), WAIT_MS)

  watch(
    form,
    () => {
      // At once: the window may close in the same moment.
      if (!isTakingOver) store.keepEdits(session, isEdited.value ? { ...form } : null)
      if (!isCurrent.value) void renewSoon()
    },
    { flush: 'sync' },
  )
  // The agent wrote another draft meanwhile: that one is shown, and what it would file.
  watch(
    () => session.currentTurn?.draft_digest,
    () => {
      if (!session.currentTurn?.draft) return
      if (editedDraftOf(session)) return void renew()
      isTakingOver = true
      Object.assign(form, session.currentTurn.draft)
      isTakingOver = false
      preview.value = previewOf(session.currentTurn)
      previewed.value = { ...form }
    },
  )
  if (!preview.value) void renew()

  return {
    form,
    preview,
    problem,
    titleError,
    descriptionError,
    isValid,
    isEdited,
    isCurrent,
    renew,
  }
}
