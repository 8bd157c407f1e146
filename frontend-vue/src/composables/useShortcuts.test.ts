import { mount } from '@vue/test-utils'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { nextTick } from 'vue'
import { useShortcuts, useSingleKeys } from './useShortcuts'

const run = vi.fn()
const runMode = vi.fn()

function press(target: EventTarget, init: KeyboardEventInit) {
  const event = new KeyboardEvent('keydown', { bubbles: true, cancelable: true, ...init })
  target.dispatchEvent(event)
  return event
}

beforeEach(() => {
  vi.clearAllMocks()
  mount({
    setup() {
      useShortcuts([
        { key: 'c', run },
        { key: 'KeyM', alt: true, run: runMode },
      ])
    },
    render: () => null,
  })
})

describe('a single key', () => {
  it('acts, whatever its case, and is taken', () => {
    expect(press(document.body, { key: 'C' }).defaultPrevented).toBe(true)
    expect(run).toHaveBeenCalledOnce()
  })

  it.each([
    { ctrlKey: true },
    { metaKey: true },
    { altKey: true },
    { isComposing: true },
    { repeat: true },
  ])('is left alone with %j', (extra) => {
    press(document.body, { key: 'c', ...extra })
    expect(run).not.toHaveBeenCalled()
  })

  it.each(['input', 'textarea', 'select'])('is left alone while typing in %s', (tag) => {
    const field = document.body.appendChild(document.createElement(tag))
    press(field, { key: 'c' })
    expect(run).not.toHaveBeenCalled()
  })

  it('is left alone while a dialog is open', () => {
    document.body.appendChild(document.createElement('div')).dataset.modal = ''
    press(document.body, { key: 'c' })
    expect(run).not.toHaveBeenCalled()
  })

  it('can be switched off, for good', async () => {
    const { setSingleKeys } = useSingleKeys()
    setSingleKeys(false)
    await nextTick()
    press(document.body, { key: 'c' })
    expect(run).not.toHaveBeenCalled()
    expect(localStorage.getItem('helpdesk.single-keys')).toBe('off')
    setSingleKeys(true)
  })
})

it('a key with Alt acts while typing, by its place on the keyboard', () => {
  const field = document.body.appendChild(document.createElement('textarea'))
  press(field, { key: 'µ', code: 'KeyM', altKey: true })
  expect(runMode).toHaveBeenCalledOnce()
})
