import { useTimeoutFn } from '@vueuse/core'
import { ref } from 'vue'

/** Becomes true after a while: what loads faster than this shows no skeleton. */
export function useLate(ms = 200) {
  const isLate = ref<boolean>(false)
  useTimeoutFn(() => (isLate.value = true), ms)
  return isLate
}
