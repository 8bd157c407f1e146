import { useIntervalFn } from '@vueuse/core'
import { ref } from 'vue'

/** Counts whole seconds down to zero. */
export function useCountdown() {
  const left = ref<number>(0)
  let endsAt = 0
  const { pause, resume } = useIntervalFn(tick, 500, { immediate: false })

  function tick(): void {
    left.value = Math.max(0, Math.ceil((endsAt - Date.now()) / 1000))
    if (left.value === 0) pause()
  }

  function start(seconds: number): void {
    endsAt = Date.now() + seconds * 1000
    tick()
    if (left.value > 0) resume()
  }

  return { left, start }
}
