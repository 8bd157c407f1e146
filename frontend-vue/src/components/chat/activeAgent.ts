import { inject, type InjectionKey, onUnmounted } from 'vue'
import type { Source } from '@/api/types'
import type { ActiveAgent } from '@/composables/useActiveAgent'

/** The agent of the chat on screen, and what its messages need from the page around them. */
export interface AgentContext extends ActiveAgent {
  openSource: (source: Source) => void
}

export const agentKey: InjectionKey<AgentContext> = Symbol('agent')

export function useAgentContext(): AgentContext {
  const context = inject(agentKey)
  if (!context) throw new Error('No agent is provided here')
  return context
}

/** Where the focus goes on when what had it is gone: to the agent's latest message. */
export function focusLatestAgent(): void {
  const messages = document.querySelectorAll<HTMLElement>('[data-agent]')
  messages[messages.length - 1]?.focus({ preventScroll: true })
}

/** For a window over the chat: the button that opened it may have gone when it closes. */
export function keepFocusOnClose(): void {
  onUnmounted(() => {
    setTimeout(() => {
      if (document.activeElement === document.body) focusLatestAgent()
    }, 50)
  })
}
