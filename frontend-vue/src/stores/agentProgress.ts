import type {
  AgentExchange,
  AgentFact,
  AgentSession,
  AgentStep,
  AgentTurn,
  TicketDraft,
} from '@/api/types'
import type { DraftEdits } from './agentOutbox'

/**
 * How an agent session stands in this tab.
 * - `starting`: asked for, the server has not confirmed it
 * - `confirming`: the yes to a draft or a link is on its way or being carried out
 * - `lost`: the server could not be reached for so long that this tab stopped trying
 */
export type AgentStatus =
  | 'idle'
  | 'starting'
  | 'running'
  | 'awaiting_user'
  | 'awaiting_confirm'
  | 'confirming'
  | 'ended'
  | 'lost'

export interface AgentProgress {
  /** Names it in this tab from the click on, before the server has given it an id. */
  key: string
  sessionId: string | null
  status: AgentStatus
  currentTurn: AgentTurn | null
  steps: AgentStep[]
  pendingQuestionId: string | null
  lastEventId: number
  facts: AgentFact[]
  exchanges: AgentExchange[]
  /** What could be chosen in each exchange, as far as this tab has seen it. */
  offered: (string[] | undefined)[]
  /** By the server's clock; null until it has confirmed the session. */
  startedAt: string | null
  isReconnecting: boolean
  /** What the person decided is on its way: nothing has come back from the server yet. */
  isSending: boolean
  /** What the person made of a draft, kept when its window closes and when another draft comes. */
  edits: DraftEdits | null
}

export function newProgress(key: string): AgentProgress {
  return {
    key,
    sessionId: null,
    status: 'starting',
    currentTurn: null,
    steps: [],
    pendingQuestionId: null,
    lastEventId: 0,
    facts: [],
    exchanges: [],
    offered: [],
    startedAt: null,
    isReconnecting: false,
    isSending: false,
    edits: null,
  }
}

const isWorkingStatus = (status: AgentStatus) =>
  status === 'starting' || status === 'running' || status === 'confirming'

/** Nothing can be answered now: the agent works, or this tab does not know. */
export function isBusyAgent({ status }: AgentProgress): boolean {
  return isWorkingStatus(status) || status === 'lost'
}

export function isOpenAgent({ status }: AgentProgress): boolean {
  return status !== 'ended' && status !== 'idle'
}

/** Whether the server may not have got what was last asked of the agent. */
export function isUnsent({ isSending, status }: AgentProgress): boolean {
  return isSending || status === 'starting'
}

/** What the person made of the draft that waits. */
export function editedDraftOf({ edits, currentTurn }: AgentProgress): TicketDraft | null {
  return edits && edits.questionId === currentTurn?.pending_question_id ? edits.draft : null
}

/** Whether the waiting draft took the place of one that the person had changed. */
export function hasReplacedEdits({ edits, currentTurn }: AgentProgress): boolean {
  return Boolean(
    edits && currentTurn?.draft && edits.questionId !== currentTurn.pending_question_id,
  )
}

/** Steps by their number; the same one comes twice, running and then with its end. */
export function mergeSteps(known: AgentStep[], incoming: AgentStep[]): AgentStep[] {
  const bySeq = new Map(known.map((step) => [step.seq, step]))
  for (const step of incoming) {
    const before = bySeq.get(step.seq)
    if (!before || before.status === 'running') bySeq.set(step.seq, step)
  }
  return [...bySeq.values()].sort((a, b) => a.seq - b.seq)
}

function statusAfter(turn: AgentTurn): AgentStatus {
  if (turn.kind === 'draft_ready') return 'awaiting_confirm'
  return turn.pending_question_id ? 'awaiting_user' : 'ended'
}

/** Takes over what the server says of the whole session; something older than known changes nothing. */
export function applyView(progress: AgentProgress, view: AgentSession): void {
  if (view.last_event_id < progress.lastEventId) return
  const isRunning = view.status === 'running'
  progress.sessionId = view.session_id
  progress.startedAt = view.created_at
  progress.lastEventId = view.last_event_id
  progress.steps = mergeSteps(progress.steps, view.steps)
  progress.facts = view.facts
  // An answer just given may not be written down yet, and what is on screen does not vanish.
  if (view.exchanges.length >= progress.exchanges.length) progress.exchanges = view.exchanges
  progress.isReconnecting = false
  if (!isRunning || progress.status !== 'confirming') {
    setTurn(progress, view.turn)
    progress.status = view.status
  }
  if (isRunning || view.status === 'ended') progress.pendingQuestionId = null
}

/** Takes over the session that a call has set to work; its events come after this. */
export function applyBegun(progress: AgentProgress, view: AgentSession): void {
  applyView(progress, { ...view, status: 'running', last_event_id: progress.lastEventId })
}

export function applyStep(progress: AgentProgress, id: number, step: AgentStep): void {
  if (id && id <= progress.lastEventId) return
  progress.lastEventId = Math.max(id, progress.lastEventId)
  progress.steps = mergeSteps(progress.steps, [step])
}

export function applyTurn(progress: AgentProgress, id: number, turn: AgentTurn): void {
  if (id && id <= progress.lastEventId) return
  progress.lastEventId = Math.max(id, progress.lastEventId)
  progress.sessionId = turn.session_id
  progress.isReconnecting = false
  setTurn(progress, turn)
  progress.status = statusAfter(turn)
}

function setTurn(progress: AgentProgress, turn: AgentTurn | null): void {
  progress.currentTurn = turn
  progress.pendingQuestionId = turn?.pending_question_id ?? null
}

/** Shows an answer at once, before the server has written it down. */
export function giveAnswer(progress: AgentProgress, text: string): void {
  const turn = progress.currentTurn
  const question =
    turn?.kind === 'draft_ready' ? '' : (turn?.proposal?.title ?? turn?.message ?? '')
  progress.offered[progress.exchanges.length] = turn?.choices ?? undefined
  progress.exchanges = [...progress.exchanges, { question, reply: text }]
  progress.status = 'running'
}

/** The server will not go on with it any more: it waited too long, or is of an older version. */
export function expire(progress: AgentProgress): void {
  const session_id = progress.sessionId ?? ''
  setTurn(progress, { session_id, kind: 'aborted', message: '', reason: 'expired' })
  progress.status = 'ended'
  progress.isReconnecting = false
}

/** Takes an answer back that the server did not get. */
export function withdrawAnswer(progress: AgentProgress): void {
  progress.exchanges = progress.exchanges.slice(0, -1)
  progress.status = progress.currentTurn ? statusAfter(progress.currentTurn) : 'lost'
}
