import { describe, expect, it, vi } from 'vitest'
import { signedIn } from '@/testing/builders'
import { fakeServer, networkDown, refusal } from '@/testing/fakeServer'
import { changePassword, fetchSignedIn, login, logout } from './auth'
import { connectSession, type SessionHooks } from './client'
import { readRetryAfter } from './errors'

function hooks(over: Partial<SessionHooks> = {}): SessionHooks {
  const all = {
    csrfToken: () => 'csrf-1',
    renewCsrfToken: vi.fn(() => Promise.resolve(true)),
    onSignInRequired: vi.fn(),
    onPasswordChangeRequired: vi.fn(),
    ...over,
  }
  connectSession(all)
  return all
}

describe('the token against foreign forms', () => {
  it('goes with what changes something, and with nothing else', async () => {
    hooks()
    const server = fakeServer({
      'GET /api/auth/me': () => signedIn(),
      'POST /api/auth/logout': () => undefined,
    })
    await fetchSignedIn()
    await logout()
    expect(server.calls.map((call) => call.headers.get('X-CSRF-Token'))).toEqual([null, 'csrf-1'])
  })

  it('is renewed once when another tab has rotated the session', async () => {
    let token = 'old'
    const { renewCsrfToken } = hooks({
      csrfToken: () => token,
      renewCsrfToken: vi.fn(() => {
        token = 'new'
        return Promise.resolve(true)
      }),
    })
    const server = fakeServer({
      'POST /api/auth/password': ({ headers }) =>
        headers.get('X-CSRF-Token') === 'new' ? signedIn() : refusal(403, 'csrf_token_missing'),
    })
    await changePassword('old', 'new')
    expect(renewCsrfToken).toHaveBeenCalledOnce()
    expect(server.calls[1]?.body).toEqual({ current_password: 'old', new_password: 'new' })
  })
})

describe('a refusal', () => {
  it('tells who holds the session that it is over', async () => {
    const { onSignInRequired } = hooks()
    fakeServer({ 'GET /api/auth/me': () => refusal(401, 'sign_in_required') })
    await expect(fetchSignedIn()).rejects.toMatchObject({ status: 401, code: 'sign_in_required' })
    expect(onSignInRequired).toHaveBeenCalledOnce()
  })

  it('of wrong credentials ends no session', async () => {
    const { onSignInRequired } = hooks()
    fakeServer({ 'POST /api/auth/login': () => refusal(401, 'bad_credentials') })
    await expect(login('maya', 'no')).rejects.toMatchObject({ code: 'bad_credentials' })
    expect(onSignInRequired).not.toHaveBeenCalled()
  })

  it('tells that the password has to be changed', async () => {
    const { onPasswordChangeRequired } = hooks()
    fakeServer({ 'GET /api/auth/me': () => refusal(403, 'password_change_required') })
    await expect(fetchSignedIn()).rejects.toMatchObject({ status: 403 })
    expect(onPasswordChangeRequired).toHaveBeenCalledOnce()
  })

  it('carries the time to wait', async () => {
    hooks()
    fakeServer({
      'POST /api/auth/login': () => refusal(429, 'too_many_attempts', { 'Retry-After': '42' }),
    })
    await expect(login('maya', 'no')).rejects.toMatchObject({ status: 429, retryAfterSeconds: 42 })
  })

  it('from a proxy is still an error one can show', async () => {
    hooks()
    fakeServer({ 'GET /api/auth/me': () => new Response('<h1>Bad gateway</h1>', { status: 502 }) })
    await expect(fetchSignedIn()).rejects.toMatchObject({ status: 502, code: 'unreadable_answer' })
  })
})

it('says that the server cannot be reached', async () => {
  hooks()
  fakeServer({ 'GET /api/auth/me': networkDown })
  await expect(fetchSignedIn()).rejects.toMatchObject({ status: 0, code: 'unreachable' })
})

it.each([
  ['17', 17],
  ['0.5', 1],
  ['Mon, 30 Nov 2026 10:00:30 GMT', 30],
  ['soon', null],
  [null, null],
])('reads Retry-After %s as %s', (value, expected) => {
  expect(readRetryAfter(value, Date.parse('2026-11-30T10:00:00Z'))).toBe(expected)
})
