import { useMediaQuery } from '@vueuse/core'
import { computed, ref, watchEffect } from 'vue'
import { lastingStorage } from '@/stores/browserStorage'

export const themeChoices = ['system', 'light', 'dark'] as const
export type ThemeChoice = (typeof themeChoices)[number]

/** The same key is read by `public/theme.js` before the first paint. */
const KEY = 'helpdesk.theme'

function stored(): ThemeChoice {
  const value = lastingStorage.read(KEY)
  return value === 'light' || value === 'dark' ? value : 'system'
}

const choice = ref<ThemeChoice>(stored())

export function useTheme() {
  function choose(next: ThemeChoice): void {
    choice.value = next
    lastingStorage.write(KEY, next === 'system' ? null : next)
  }
  return { choice, choose }
}

/** Keeps the page on the chosen theme; called once, by the root component. */
export function applyTheme(): void {
  const systemIsDark = useMediaQuery('(prefers-color-scheme: dark)')
  const theme = computed(() => {
    if (choice.value !== 'system') return choice.value
    return systemIsDark.value ? 'dark' : 'light'
  })
  watchEffect(() => {
    document.documentElement.dataset.theme = theme.value
  })
}
