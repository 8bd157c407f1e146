import { computed, ref, type Ref, shallowRef, watch } from 'vue'
import { type ApiError, toApiError } from '@/api/errors'
import { listMyTickets } from '@/api/tickets'
import type { TicketSummary } from '@/api/types'

/** One's own tickets that match what is searched for, page by page. */
export function useMyTickets(query: Ref<string>) {
  const items = shallowRef<TicketSummary[]>([])
  const status = ref<'loading' | 'ready' | 'error'>('loading')
  const error = shallowRef<ApiError | null>(null)
  const nextBefore = ref<number | null>(null)
  const isLoadingMore = ref<boolean>(false)
  const hasMore = computed(() => nextBefore.value !== null)
  let latest = 0

  async function load(): Promise<void> {
    latest += 1
    const turn = latest
    if (status.value === 'error') status.value = 'loading'
    try {
      const page = await listMyTickets(query.value)
      if (turn !== latest) return
      items.value = page.items
      nextBefore.value = page.next_before
      error.value = null
      status.value = 'ready'
    } catch (cause) {
      if (turn !== latest) return
      error.value = toApiError(cause)
      status.value = 'error'
    }
  }

  async function loadMore(): Promise<void> {
    if (nextBefore.value === null || isLoadingMore.value) return
    const turn = latest
    isLoadingMore.value = true
    try {
      const page = await listMyTickets(query.value, nextBefore.value)
      if (turn !== latest) return
      const known = new Set(items.value.map(({ id }) => id))
      items.value = [...items.value, ...page.items.filter(({ id }) => !known.has(id))]
      nextBefore.value = page.next_before
      error.value = null
    } catch (cause) {
      if (turn === latest) error.value = toApiError(cause)
    } finally {
      isLoadingMore.value = false
    }
  }

  watch(query, load, { immediate: true })

  return { items, status, error, hasMore, isLoadingMore, load, loadMore }
}
