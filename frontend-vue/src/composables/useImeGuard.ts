/** The key code browsers report for keys that an input method has taken. */
const TAKEN_BY_INPUT_METHOD = 229

/**
 * Tells an Enter that sends from an Enter that confirms a word of an input method. Safari ends the
 * composition before it reports the key, so the flag falls one task later.
 */
export function useImeGuard() {
  let isComposing = false

  return {
    onCompositionStart(): void {
      isComposing = true
    },
    onCompositionEnd(): void {
      setTimeout(() => {
        isComposing = false
      })
    },
    sends(event: KeyboardEvent): boolean {
      if (event.key !== 'Enter' || event.shiftKey) return false
      return !isComposing && !event.isComposing && event.keyCode !== TAKEN_BY_INPUT_METHOD
    },
  }
}
