import type { AgentExchange, AgentStep } from '@/api/types'
import type { AgentProgress } from '@/stores/agentProgress'

/** A stretch of a session: what the agent did, and the exchange it led to if that is over. */
export interface Segment {
  steps: AgentStep[]
  exchange: AgentExchange | null
  offered: string[]
}

/** After these the agent waits for an answer. */
const QUESTIONS = new Set<string>(['ask_user', 'propose_solution'])
/** After this it waits for a yes, or for something to add. */
const DRAFTS = new Set<string>(['write_draft'])
/** These are no work of their own: the turn itself shows what came of them. */
const SILENT = new Set<string>(['ask_user', 'await_user_confirm', 'resolved_by_agent', 'abort'])
const PLACES = new Set<string>(['retry_kb', 'web_search', 'search_duplicates'])

/** The steps in groups, each of which ends in one of these actions or with the last step. */
function splitAfter(steps: AgentStep[], actions: Set<string>): AgentStep[][] {
  const groups: AgentStep[][] = [[]]
  for (const step of steps) {
    const last = groups.at(-1)
    const previous = last?.at(-1)
    if (last && !(previous && actions.has(previous.action))) last.push(step)
    else groups.push([step])
  }
  return groups
}

const isShown = ({ action, status }: AgentStep) => status === 'running' || !SILENT.has(action)

/**
 * The session from its beginning to now. The last segment is the one without an exchange: what the
 * agent does or came to. Steps that fit no exchange stand with the first.
 */
export function segmentsOf(progress: AgentProgress): Segment[] {
  const isRunning = progress.status === 'running'
  const count = progress.exchanges.length + 1
  let groups = splitAfter(progress.steps, QUESTIONS)
  const last = groups.at(-1)?.at(-1)
  if (isRunning && last && QUESTIONS.has(last.action)) groups.push([])
  // Something added to a draft is an exchange too.
  if (groups.length < count) {
    groups = [...groups.slice(0, -1), ...splitAfter(groups.at(-1) ?? [], DRAFTS)]
  }
  while (groups.length < count) {
    if (isRunning) groups.push([])
    else groups.unshift([])
  }
  while (groups.length > count) groups.splice(0, 2, [...(groups[0] ?? []), ...(groups[1] ?? [])])
  return groups.map((steps, index) => ({
    steps: steps.filter(isShown),
    exchange: progress.exchanges[index] ?? null,
    offered: progress.offered[index] ?? [],
  }))
}

/** How many places were looked at with success, and how long all of it took. */
export function summarise(steps: AgentStep[]): { places: number; ms: number } {
  const looked = steps.filter(
    ({ action, status }) => PLACES.has(action) && (status === 'ok' || status === 'empty'),
  )
  return {
    places: looked.length,
    ms: steps.reduce((sum, step) => sum + (step.duration_ms ?? 0), 0),
  }
}
