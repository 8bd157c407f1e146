import { createPinia, setActivePinia } from 'pinia'
import { beforeEach, describe, expect, it } from 'vitest'
import { signedIn } from '@/testing/builders'
import { fakeServer, networkDown, refusal } from '@/testing/fakeServer'
import { useAuth } from './auth'
import { useDrafts } from './drafts'

beforeEach(() => setActivePinia(createPinia()))

describe('who is signed in', () => {
  it.each([
    ['somebody', () => signedIn(), 'signed_in'],
    ['nobody', () => refusal(401, 'sign_in_required'), 'guest'],
    ['unknown while the server is away', networkDown, 'unreachable'],
    [
      'unknown while its database is away',
      () => refusal(503, 'database_unavailable'),
      'unreachable',
    ],
  ])('is %s', async (_, reply, status) => {
    fakeServer({ 'GET /api/auth/me': reply })
    await useAuth().load()
    expect(useAuth().status).toBe(status)
  })

  it('is nobody after signing out, even if the server was not told', async () => {
    fakeServer({ 'POST /api/auth/login': () => signedIn(), 'POST /api/auth/logout': networkDown })
    await useAuth().login('maya', 'secret')
    useDrafts().write('new', 'half a thought')
    await expect(useAuth().logout()).rejects.toMatchObject({ code: 'unreachable' })
    expect(useAuth()).toMatchObject({ status: 'guest', user: null, csrfToken: null })
    expect(useDrafts().read('new')).toBe('')
  })
})

describe('drafts', () => {
  const as = (id: string) => {
    fakeServer({
      'POST /api/auth/login': () => signedIn({ user: { ...signedIn().user, id } }),
    })
    return useAuth().login('maya', 'secret')
  }

  it('wait for the same person to sign in again', async () => {
    await as('user-1')
    useDrafts().write('session-1', 'half a thought')
    useAuth().expire()
    await as('user-1')
    expect(useDrafts().read('session-1')).toBe('half a thought')
  })

  it('are not shown to the next person', async () => {
    await as('user-1')
    useDrafts().write('session-1', 'half a thought')
    useAuth().expire()
    await as('user-2')
    expect(useDrafts().read('session-1')).toBe('')
  })

  it('survive a reload', () => {
    useDrafts().write('session-1', 'half a thought')
    setActivePinia(createPinia())
    expect(useDrafts().read('session-1')).toBe('half a thought')
  })
})
