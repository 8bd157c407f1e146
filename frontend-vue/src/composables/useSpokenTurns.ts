import { type Ref, watch } from 'vue'
import type { AgentTurn } from '@/api/types'
import { t } from '@/locales'
import type { AgentProgress, AgentStatus } from '@/stores/agentProgress'
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

/** Says once when the agent begins to work, and once what it came to. Not what was there before. */
export function useSpokenTurns(current: Ref<AgentProgress | null>): void {
  const { announce } = useUi()

  watch(
    () => ({ key: current.value?.key, status: current.value?.status }),
    (now, before) => {
      const isSame = now.key === before.key && before.status !== undefined
      const isNew = now.status === 'starting'
      if (!now.status || now.status === before.status || (!isSame && !isNew)) return
      const turn = current.value?.currentTurn
      if (now.status === 'lost') void announce(t('agent.spoken.lost'))
      else if (working.includes(now.status)) {
        if (!isSame || !before.status || !working.includes(before.status)) {
          void announce(t('agent.spoken.working'))
        }
      } else if (turn) void announce(spoken(turn))
    },
  )
}
