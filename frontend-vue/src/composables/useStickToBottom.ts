import { useEventListener, useResizeObserver } from '@vueuse/core'
import { nextTick, ref, type Ref } from 'vue'

/** Within this distance of the end the view follows what is added. */
const NEAR_PX = 48

/** Keeps a scrolling box at its end while it grows, and lets go at once when the reader scrolls up. */
export function useStickToBottom(box: Ref<HTMLElement | null>, content: Ref<HTMLElement | null>) {
  const isFollowing = ref<boolean>(true)
  let lastTop = 0

  function distance(element: HTMLElement): number {
    return element.scrollHeight - element.scrollTop - element.clientHeight
  }

  function toEnd(): void {
    if (!box.value) return
    box.value.scrollTop = box.value.scrollHeight
    lastTop = box.value.scrollTop
  }

  function onScroll(): void {
    const element = box.value
    if (!element) return
    const movedUp = element.scrollTop < lastTop
    lastTop = element.scrollTop
    // A box that shrank also moves up, but stays at its end.
    if (movedUp && distance(element) > 1) isFollowing.value = false
    else if (distance(element) <= NEAR_PX) isFollowing.value = true
  }

  /** Goes to the end and follows again: after an own message, or on request. */
  async function jump(): Promise<void> {
    isFollowing.value = true
    await nextTick()
    toEnd()
  }

  /** Runs a change that adds content above, and keeps what is being read in its place. */
  async function keepPlace(change: () => Promise<void>): Promise<void> {
    const before = box.value ? box.value.scrollHeight - box.value.scrollTop : 0
    await change()
    await nextTick()
    if (!box.value) return
    box.value.scrollTop = box.value.scrollHeight - before
    lastTop = box.value.scrollTop
  }

  useEventListener(box, 'scroll', onScroll, { passive: true })
  const follow = () => {
    if (isFollowing.value) toEnd()
  }
  useResizeObserver(content, follow)
  useResizeObserver(box, follow)

  return { isFollowing, jump, keepPlace }
}
