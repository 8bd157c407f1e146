import type { InjectionKey } from 'vue'

/** What the numbers in an answer stand for, handed down to each of them. */
export interface Citations {
  /** The title behind a number, or null if no source bears it. */
  titleOf: (number: number) => string | null
  /** Numbers stay plain until the answer is complete and its sources are known. */
  areKnown: () => boolean
  open: (number: number) => void
}

export const citationsKey: InjectionKey<Citations> = Symbol('citations')
