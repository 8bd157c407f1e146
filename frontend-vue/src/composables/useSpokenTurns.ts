import { type Ref, watch } from 'vue'
import type { AgentTurn } from '@/api/types'
import { t } from '@/locales'
import { type AgentProgress, type AgentStatus, hasReplacedEdits } from '@/stores/agentProgress'
import { useUi } from '@/stores/ui'

const working: AgentStatus[] = ['starting', 'running', 'confirming']

/** What a turn is in one sentence, for those who do not see it. */
function spoken(turn: AgentTurn): string {
  const number = turn.ticket_number ?? ''
  switch (turn.kind) {
    case 'question':
      return turn.proposal
        ? t('agent.spoken.proposal', { text: turn.proposal.title })
        : t('agent.spoken.question', { text: turn.message })
    case 'draft_ready':
      return t('agent.spoken.draft')
    case 'info':
      return t('agent.spoken.info')
    case 'filed':
      return number ? t('outcome.filed', { number }) : t('outcome.filed_plain')
    case 'linked':
      return number ? t('outcome.linked', { number }) : t('outcome.linked_plain')
    case 'resolved':
      return t('outcome.resolved')
    case 'aborted':
      return t('outcome.aborted')
    default:
      return turn.message
  }
}

/** Tried once and not arrived. */
function isStuck({ isSending, isReconnecting }: AgentProgress): boolean {
  return isSending && isReconnecting
}

/** Says once when the agent begins to work, and once what it came to. Not what was there before. */
export function useSpokenTurns(current: Ref<AgentProgress | null>): void {
  const { announce } = useUi()

  watch(
    () => ({
      key: current.value?.key,
      status: current.value?.status,
      isSending: current.value?.isSending,
    }),
    (now, before) => {
      const isSame = now.key === before.key && before.status !== undefined
      const isNew = now.status === 'starting'
      if (!now.status || (!isSame && !isNew)) return
      const wasWorking = isSame && before.status && working.includes(before.status)
      if (working.includes(now.status)) {
        // What is on its way only has set nobody to work.
        if (!now.isSending && (!wasWorking || before.isSending)) {
          void announce(t('agent.spoken.working'))
        }
        return
      }
      if (now.status === before.status) return
      const session = current.value
      if (now.status === 'lost') void announce(t('agent.spoken.lost'))
      else if (session?.currentTurn) {
        const replaced = hasReplacedEdits(session) ? ` ${t('draft.replaced')}` : ''
        void announce(spoken(session.currentTurn) + replaced)
      }
    },
  )
  watch(
    () => current.value !== null && isStuck(current.value),
    (stuck) => {
      if (stuck) void announce(t('agent.unsent'))
    },
  )
}
