import { createPinia, setActivePinia } from 'pinia'
import { beforeEach, describe, expect, it } from 'vitest'
import { createMemoryHistory } from 'vue-router'
import { signedIn } from '@/testing/builders'
import { fakeServer, networkDown, refusal } from '@/testing/fakeServer'
import { createAppRouter } from '.'
import { nextPath } from './nextPath'

beforeEach(() => setActivePinia(createPinia()))

async function goTo(path: string) {
  const router = createAppRouter(createMemoryHistory())
  await router.push(path)
  return router.currentRoute.value
}

describe('a guest', () => {
  beforeEach(() => void fakeServer({ 'GET /api/auth/me': () => refusal(401, 'sign_in_required') }))

  it('signs in first and comes back to the same address', async () => {
    const path = '/chat/session-1?article=a&start=1&end=2'
    expect(await goTo(path)).toMatchObject({ name: 'login', query: { next: path } })
  })

  it('may see that an address leads nowhere', async () => {
    expect((await goTo('/nowhere/at/all')).name).toBe('not-found')
  })
})

describe('somebody signed in', () => {
  it('starts in the chat and does not sign in twice', async () => {
    fakeServer({ 'GET /api/auth/me': () => signedIn() })
    expect((await goTo('/')).fullPath).toBe('/chat')
    expect((await goTo('/login?next=/account')).fullPath).toBe('/account')
    expect((await goTo('/change-password')).fullPath).toBe('/chat')
  })

  it('with a one-time password goes nowhere before choosing another', async () => {
    fakeServer({ 'GET /api/auth/me': () => signedIn({ must_change_password: true }) })
    expect((await goTo('/account')).fullPath).toBe('/change-password?next=/account')
    expect((await goTo('/login?next=/chat/session-1')).fullPath).toBe(
      '/change-password?next=/chat/session-1',
    )
  })
})

it('goes nowhere while the server is away', async () => {
  fakeServer({ 'GET /api/auth/me': networkDown })
  expect((await goTo('/chat')).fullPath).toBe('/')
})

it.each([
  ['/chat/1?article=2', '/chat/1?article=2'],
  ['//evil.example', '/chat'],
  ['/\\evil.example', '/chat'],
  ['https://evil.example', '/chat'],
  [['/a', '/b'], '/chat'],
  [undefined, '/chat'],
])('comes back from signing in with next=%j to %s', (next, expected) => {
  expect(nextPath(next)).toBe(expected)
})
