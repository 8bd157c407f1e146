import { useEventListener } from '@vueuse/core'
import { ref } from 'vue'
import { lastingStorage } from '@/stores/browserStorage'

export interface Shortcut {
  /** A character as typed (`?`, `c`), or with `alt` the physical key (`KeyM`). */
  key: string
  alt?: boolean
  run: () => void
}

const KEY = 'helpdesk.single-keys'

/** Speech input and shaky hands need a way to switch single-key shortcuts off. */
const areSingleKeysOn = ref<boolean>(lastingStorage.read(KEY) !== 'off')

export function useSingleKeys() {
  function setSingleKeys(on: boolean): void {
    areSingleKeysOn.value = on
    lastingStorage.write(KEY, on ? null : 'off')
  }
  return { areSingleKeysOn, setSingleKeys }
}

export function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false
  return target.isContentEditable || ['INPUT', 'TEXTAREA', 'SELECT'].includes(target.tagName)
}

function isModalOpen(): boolean {
  return document.querySelector('[data-modal]') !== null
}

function matches(shortcut: Shortcut, event: KeyboardEvent): boolean {
  if (event.ctrlKey || event.metaKey) return false
  // With Alt some layouts type another character, so the physical key counts there.
  if (shortcut.alt) return event.altKey && event.code === shortcut.key
  return !event.altKey && event.key.toLowerCase() === shortcut.key
}

export function useShortcuts(shortcuts: Shortcut[]): void {
  useEventListener(window, 'keydown', (event: KeyboardEvent) => {
    if (event.defaultPrevented || event.isComposing || event.repeat || isModalOpen()) return
    const shortcut = shortcuts.find((candidate) => matches(candidate, event))
    if (!shortcut) return
    if (!shortcut.alt && (!areSingleKeysOn.value || isTyping(event.target))) return
    event.preventDefault()
    shortcut.run()
  })
}
