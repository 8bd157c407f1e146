import { mount } from '@vue/test-utils'
import { describe, expect, it, vi } from 'vitest'
import { h, nextTick, ref } from 'vue'
import { useStickToBottom } from './useStickToBottom'

let grown = () => {}

/** A box of 100 px over content of a height the test sets. */
async function scrollingBox() {
  vi.stubGlobal(
    'ResizeObserver',
    class {
      constructor(callback: () => void) {
        grown = callback
      }
      observe() {}
      disconnect() {}
    },
  )
  const box = ref<HTMLElement | null>(null)
  const content = ref<HTMLElement | null>(null)
  let stick!: ReturnType<typeof useStickToBottom>
  mount({
    setup() {
      stick = useStickToBottom(box, content)
      return () => h('div', { ref: box }, [h('div', { ref: content })])
    },
  })
  // The listener is added once the box is there.
  await nextTick()
  const element = box.value as HTMLElement
  let height = 300
  let top = 200
  Object.defineProperties(element, {
    clientHeight: { get: () => 100 },
    scrollHeight: { get: () => height },
    scrollTop: {
      get: () => top,
      set: (value: number) => {
        top = Math.max(0, Math.min(value, height - 100))
      },
    },
  })
  return {
    stick,
    top: () => top,
    grow(by: number) {
      height += by
      grown()
    },
    scrollTo(value: number) {
      element.scrollTop = value
      element.dispatchEvent(new Event('scroll'))
    },
    setHeight(value: number) {
      height = value
    },
  }
}

describe('a log', () => {
  it('follows what is added', async () => {
    const log = await scrollingBox()
    log.grow(50)
    expect(log.top()).toBe(250)
  })

  it('lets go at the first scroll up, and stays', async () => {
    const log = await scrollingBox()
    log.scrollTo(200)
    log.scrollTo(190)
    expect(log.stick.isFollowing.value).toBe(false)
    log.grow(50)
    expect(log.top()).toBe(190)
  })

  it('follows again within 48 px of the end', async () => {
    const log = await scrollingBox()
    log.scrollTo(200)
    log.scrollTo(50)
    log.scrollTo(120)
    expect(log.stick.isFollowing.value).toBe(false)
    log.scrollTo(152)
    expect(log.stick.isFollowing.value).toBe(true)
  })

  it('jumps to the end on request', async () => {
    const log = await scrollingBox()
    log.scrollTo(200)
    log.scrollTo(20)
    await log.stick.jump()
    expect(log.top()).toBe(200)
    expect(log.stick.isFollowing.value).toBe(true)
  })

  it('keeps what is read in place while earlier messages come in above', async () => {
    const log = await scrollingBox()
    log.scrollTo(200)
    log.scrollTo(20)
    await log.stick.keepPlace(() => {
      log.setHeight(800)
      return Promise.resolve()
    })
    expect(log.top()).toBe(520)
  })
})
