import { type InjectionKey, provide } from 'vue'
import type { Source } from '@/api/types'

/** What the numbers in an answer stand for, handed down to each of them. */
export interface Citations {
  /** The title behind a number, or null if no source bears it. */
  titleOf: (number: number) => string | null
  /** Numbers stay plain until the answer is complete and its sources are known. */
  areKnown: () => boolean
  open: (number: number) => void
}

export const citationsKey: InjectionKey<Citations> = Symbol('citations')

/** Ties the numbers in the text below this component to its sources; null while they are unknown. */
export function provideCitations(
  sources: () => Source[] | null,
  open: (source: Source) => void,
): void {
  const find = (number: number) => sources()?.find((source) => source.number === number)
  provide(citationsKey, {
    titleOf: (number) => find(number)?.title ?? null,
    areKnown: () => sources() !== null,
    open: (number) => {
      const source = find(number)
      if (source) open(source)
    },
  })
}
