import { useTimeoutFn } from '@vueuse/core'
import { ref } from 'vue'
import { t } from '@/locales'
import { useUi } from '@/stores/ui'

function copyBySelection(text: string): boolean {
  const area = document.createElement('textarea')
  area.value = text
  area.className = 'sr-only'
  // Inside an open dialog the focus may not leave it, so the area is put there.
  const host = document.activeElement?.closest('[data-modal]') ?? document.body
  const focused = document.activeElement
  host.append(area)
  area.select()
  const done = document.execCommand('copy')
  area.remove()
  if (focused instanceof HTMLElement) focused.focus()
  return done
}

async function write(text: string): Promise<boolean> {
  // The clipboard API exists in secure contexts only; plain HTTP takes the older way.
  if (!navigator.clipboard) return copyBySelection(text)
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return copyBySelection(text)
  }
}

export function useCopy() {
  const isCopied = ref<boolean>(false)
  const { announce } = useUi()
  const { start } = useTimeoutFn(() => (isCopied.value = false), 2_000, { immediate: false })

  async function copy(text: string): Promise<void> {
    isCopied.value = await write(text)
    if (!isCopied.value) return
    start()
    await announce(t('app.copied'))
  }

  return { isCopied, copy }
}
