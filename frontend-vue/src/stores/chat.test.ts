import { createPinia, setActivePinia } from 'pinia'
import { beforeEach, describe, expect, it } from 'vitest'
import { aSession } from '@/testing/builders'
import { fakeServer, refusal } from '@/testing/fakeServer'
import { useChat } from './chat'
import { mergeSessions, renewFirstPage, withoutSession } from './chatSessions'

beforeEach(() => setActivePinia(createPinia()))

const older = aSession({ id: 'older', updated_at: '2026-11-29T10:00:00Z' })
const newer = aSession({ id: 'newer', updated_at: '2026-11-30T10:00:00Z' })

describe('the list', () => {
  it('has each session once, newest activity first', () => {
    const moved = { ...older, updated_at: '2026-12-01T10:00:00Z' }
    expect(mergeSessions([newer, older], [moved]).map(({ id }) => id)).toEqual(['older', 'newer'])
    expect(withoutSession([newer, older], 'newer')).toEqual([older])
  })

  it('drops what its renewed first page should hold but does not', () => {
    const oldest = aSession({ id: 'oldest', updated_at: '2026-11-01T10:00:00Z' })
    const ids = (isWhole: boolean) =>
      renewFirstPage([newer, older, oldest], [older], isWhole).map(({ id }) => id)
    expect(ids(false)).toEqual(['older', 'oldest'])
    expect(ids(true)).toEqual(['older'])
  })

  it('is loaded page by page', async () => {
    const server = fakeServer({
      'GET /api/chat/sessions': ({ query }) =>
        query.get('before')
          ? { items: [older], next_before: null }
          : { items: [newer], next_before: 'cursor' },
    })
    const chat = useChat()
    await chat.loadSessions()
    expect(chat.hasMore).toBe(true)
    await chat.loadMore()
    expect(chat.sessions).toEqual([newer, older])
    expect(chat.hasMore).toBe(false)
    expect(server.calls[1]?.query.get('before')).toBe('cursor')
  })

  it('says when it cannot be loaded', async () => {
    fakeServer({ 'GET /api/chat/sessions': () => refusal(503, 'database_unavailable') })
    const chat = useChat()
    await chat.loadSessions()
    expect(chat).toMatchObject({ status: 'error', error: { code: 'database_unavailable' } })
  })
})

describe('the mode', () => {
  it('of a new conversation is kept in this tab, for this person', async () => {
    const server = fakeServer({})
    await useChat().setMode(null, 'ask')
    expect(server.calls).toEqual([])
    setActivePinia(createPinia())
    expect(useChat().newMode).toBe('ask')
    useChat().reset()
    setActivePinia(createPinia())
    expect(useChat().newMode).toBeNull()
  })

  it('of an existing one is the server’s to change', async () => {
    fakeServer({ 'PATCH /api/chat/sessions/*': () => aSession({ mode: 'ask' }) })
    await useChat().setMode('session-1', 'ask')
    expect(useChat().find('session-1')?.mode).toBe('ask')
    expect(useChat().newMode).toBeNull()
  })
})
