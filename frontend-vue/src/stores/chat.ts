import { defineStore } from 'pinia'
import { computed, ref, shallowRef } from 'vue'
import * as api from '@/api/chat'
import { type ApiError, toApiError } from '@/api/errors'
import type { ChatMode, ChatSession } from '@/api/types'
import { tabStorage } from './browserStorage'
import { mergeSessions, renewFirstPage, withoutSession } from './chatSessions'

export type LoadStatus = 'idle' | 'loading' | 'ready' | 'error'

const NEW_MODE = 'helpdesk.new-chat-mode'

function readNewMode(): ChatMode | null {
  const stored = tabStorage.read(NEW_MODE)
  return stored === 'ask' || stored === 'agent' ? stored : null
}

/** The chat sessions of the signed-in person, and the mode chosen in this tab for new ones. */
export const useChat = defineStore('chat', () => {
  const sessions = shallowRef<ChatSession[]>([])
  const status = ref<LoadStatus>('idle')
  const error = shallowRef<ApiError | null>(null)
  const nextBefore = ref<string | null>(null)
  const isLoadingMore = ref<boolean>(false)
  const newMode = ref<ChatMode | null>(readNewMode())
  const hasMore = computed(() => nextBefore.value !== null)

  function find(id: string): ChatSession | undefined {
    return sessions.value.find((session) => session.id === id)
  }

  function keep(session: ChatSession): ChatSession {
    sessions.value = mergeSessions(sessions.value, [session])
    return session
  }

  async function loadSessions(): Promise<void> {
    if (status.value !== 'ready') status.value = 'loading'
    try {
      const page = await api.listSessions()
      const isFirst = status.value !== 'ready'
      const isWhole = page.next_before === null
      sessions.value = renewFirstPage(sessions.value, page.items, isWhole)
      // Pages loaded further down stay, and so does the place to go on from.
      if (isFirst || isWhole) nextBefore.value = page.next_before
      error.value = null
      status.value = 'ready'
    } catch (cause) {
      error.value = toApiError(cause)
      if (status.value !== 'ready') status.value = 'error'
    }
  }

  async function loadMore(): Promise<void> {
    if (!nextBefore.value || isLoadingMore.value) return
    isLoadingMore.value = true
    try {
      const page = await api.listSessions(nextBefore.value)
      sessions.value = mergeSessions(sessions.value, page.items)
      nextBefore.value = page.next_before
      error.value = null
    } catch (cause) {
      error.value = toApiError(cause)
    } finally {
      isLoadingMore.value = false
    }
  }

  async function refresh(id: string): Promise<ChatSession> {
    return keep(await api.fetchSession(id))
  }

  async function create(mode: ChatMode | null): Promise<ChatSession> {
    return keep(await api.createSession(mode))
  }

  async function setMode(id: string | null, mode: ChatMode): Promise<void> {
    if (id) {
      keep(await api.setSessionMode(id, mode))
    } else {
      newMode.value = mode
      tabStorage.write(NEW_MODE, mode)
    }
  }

  async function remove(id: string): Promise<void> {
    await api.deleteSession(id)
    forget(id)
  }

  function forget(id: string): void {
    sessions.value = withoutSession(sessions.value, id)
  }

  function reset(): void {
    sessions.value = []
    status.value = 'idle'
    error.value = null
    nextBefore.value = null
    newMode.value = null
    tabStorage.write(NEW_MODE, null)
  }

  return {
    sessions,
    status,
    error,
    hasMore,
    isLoadingMore,
    newMode,
    find,
    loadSessions,
    loadMore,
    refresh,
    create,
    setMode,
    remove,
    forget,
    reset,
  }
})
