import { useIntervalFn } from '@vueuse/core'
import { computed, type Ref, shallowRef, watch } from 'vue'
import { fetchTicket } from '@/api/tickets'
import type { Ticket } from '@/api/types'

type Issue = Pick<Ticket, 'issue_state' | 'issue_url' | 'issue_number' | 'issue_status'>

const LOOK_AGAIN_MS = 4_000
/** After that it takes longer; whoever opens the ticket sees how it stands. */
const LOOKS = 45

const isUnderWay = (state: string | null | undefined) => state === 'pending' || state === 'unknown'

/** A ticket's issue, looked at again and again while it is on its way into the tracker. */
export function useIssueProgress(ticketId: Ref<string | null>, told: Ref<Partial<Issue>>) {
  const latest = shallowRef<Issue | null>(null)
  const issue = computed<Partial<Issue>>(() =>
    isUnderWay(told.value.issue_state) ? (latest.value ?? told.value) : told.value,
  )
  let left = LOOKS

  const { pause, resume } = useIntervalFn(
    async () => {
      const id = ticketId.value
      left -= 1
      if (!id || left < 0 || !isUnderWay(issue.value.issue_state)) {
        pause()
        return
      }
      // What cannot be seen now is seen next time, or on the ticket itself.
      const ticket = await fetchTicket(id).catch(() => null)
      if (ticket && id === ticketId.value) latest.value = ticket
    },
    LOOK_AGAIN_MS,
    { immediate: false },
  )
  watch(
    [ticketId, () => told.value.issue_state],
    () => {
      left = LOOKS
      latest.value = null
      if (isUnderWay(told.value.issue_state)) resume()
      else pause()
    },
    { immediate: true },
  )
  return issue
}
