import { defineStore } from 'pinia'
import { nextTick, ref, shallowRef } from 'vue'
import type { ChatSession } from '@/api/types'

/** What is open on the page, and what its one status line says to those who do not see it. */
export const useUi = defineStore('ui', () => {
  const areShortcutsOpen = ref<boolean>(false)
  const isDeletionOpen = ref<boolean>(false)
  const deletionCandidate = shallowRef<ChatSession | null>(null)
  const announcement = ref<string>('')

  function askToDelete(session: ChatSession): void {
    deletionCandidate.value = session
    isDeletionOpen.value = true
  }

  async function announce(text: string): Promise<void> {
    // Saying the same words twice needs an empty moment in between.
    announcement.value = ''
    await nextTick()
    announcement.value = text
  }

  return {
    areShortcutsOpen,
    isDeletionOpen,
    deletionCandidate,
    announcement,
    askToDelete,
    announce,
  }
})
