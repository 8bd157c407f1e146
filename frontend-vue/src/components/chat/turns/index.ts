import type { Component } from 'vue'
import type { TurnKind } from '@/api/types'
import AbortedTurn from './AbortedTurn.vue'
import DraftReadyTurn from './DraftReadyTurn.vue'
import FiledTurn from './FiledTurn.vue'
import InfoTurn from './InfoTurn.vue'
import LinkedTurn from './LinkedTurn.vue'
import QuestionTurn from './QuestionTurn.vue'
import ResolvedTurn from './ResolvedTurn.vue'
import UnknownTurn from './UnknownTurn.vue'

const turns: Record<TurnKind, Component> = {
  question: QuestionTurn,
  info: InfoTurn,
  draft_ready: DraftReadyTurn,
  linked: LinkedTurn,
  filed: FiledTurn,
  resolved: ResolvedTurn,
  aborted: AbortedTurn,
}

const outcomes: readonly string[] = ['linked', 'filed', 'resolved', 'aborted'] satisfies TurnKind[]

/** Whether a session is over with a turn of this kind. */
export function isOutcome(kind: string): boolean {
  return outcomes.includes(kind)
}

/** What shows a turn of this kind; the server may know kinds that this page does not. */
export function turnComponent(kind: string): Component {
  return Object.hasOwn(turns, kind) ? turns[kind as TurnKind] : UnknownTurn
}
