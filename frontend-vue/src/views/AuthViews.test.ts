import { fireEvent } from '@testing-library/dom'
import { describe, expect, it } from 'vitest'
import { signedIn } from '@/testing/builders'
import { fakeServer, networkDown, refusal } from '@/testing/fakeServer'
import { findBarriers, mountAt, settle } from '@/testing/mountApp'

const me = 'GET /api/auth/me'
const login = 'POST /api/auth/login'
const guest = { [me]: () => refusal(401, 'sign_in_required') }
const chat = {
  'GET /api/chat/sessions': () => ({ items: [], next_before: null }),
  'GET /api/chat/welcome': () => ({ mode: 'agent', questions: [] }),
}

async function signIn(page: Awaited<ReturnType<typeof mountAt>>) {
  fireEvent.input(page.getByLabelText('User name'), { target: { value: ' maya ' } })
  fireEvent.input(page.getByLabelText('Password'), { target: { value: 'secret' } })
  page.getByRole('button', { name: 'Sign in' }).click()
  await settle()
}

describe('signing in', () => {
  it('leads to where one wanted to go', async () => {
    const server = fakeServer({ ...guest, ...chat, [login]: () => signedIn() })
    const page = await mountAt('/chat')
    expect(await findBarriers()).toEqual([])
    await signIn(page)
    expect(server.to(login)[0]?.body).toEqual({ username: 'maya', password: 'secret' })
    expect(page.router.currentRoute.value.name).toBe('chat')
  })

  it('says which field is empty, and asks the server nothing', async () => {
    const server = fakeServer(guest)
    const page = await mountAt('/login')
    page.getByRole('button', { name: 'Sign in' }).click()
    await settle()
    expect(page.getByLabelText('User name').getAttribute('aria-invalid')).toBe('true')
    expect(document.activeElement).toBe(page.getByLabelText('User name'))
    expect(server.to(login)).toEqual([])
  })

  it.each([
    ['wrong credentials', () => refusal(401, 'bad_credentials'), /do not match/],
    ['a server that is away', networkDown, /could not be reached/],
    ['a database that is away', () => refusal(503, 'database_unavailable'), /its database/],
  ])('explains %s and keeps what was typed', async (_, reply, expected) => {
    fakeServer({ ...guest, [login]: reply })
    const page = await mountAt('/login')
    await signIn(page)
    expect(page.getByRole('alert').textContent).toMatch(expected)
    expect((page.getByLabelText('User name') as HTMLInputElement).value).toBe(' maya ')
  })

  it('counts down the time to wait', async () => {
    fakeServer({
      ...guest,
      [login]: () => refusal(429, 'too_many_attempts', { 'Retry-After': '42' }),
    })
    const page = await mountAt('/login')
    await signIn(page)
    expect(page.getByText(/Try again in 42 seconds/)).toBeTruthy()
    expect((page.getByRole('button', { name: 'Sign in' }) as HTMLButtonElement).disabled).toBe(true)
  })
})

describe('a one-time password', () => {
  const mustChange = { [me]: () => signedIn({ must_change_password: true }) }

  async function choose(page: Awaited<ReturnType<typeof mountAt>>, next: string) {
    fireEvent.input(page.getByLabelText('Current password'), { target: { value: 'once' } })
    fireEvent.input(page.getByLabelText('New password'), { target: { value: next } })
    page.getByRole('button', { name: 'Change password' }).click()
    await settle()
  }

  it('is replaced before anything else', async () => {
    fakeServer({ ...mustChange, ...chat, 'POST /api/auth/password': () => signedIn() })
    const page = await mountAt('/chat')
    page.getByRole('heading', { name: 'Choose your own password' })
    expect(await findBarriers()).toEqual([])
    await choose(page, 'a long enough one')
    expect(page.router.currentRoute.value.name).toBe('chat')
  })

  it('is not replaced by a short one', async () => {
    const server = fakeServer(mustChange)
    const page = await mountAt('/chat')
    await choose(page, 'short')
    page.getByText('Use at least 12 characters.')
    expect(server.to('POST /api/auth/password')).toEqual([])
  })

  it.each([
    ['weak_password', 422, 'A sentence for a person.'],
    ['wrong_password', 422, 'The current password is not right.'],
  ])('explains %s at the field', async (code, status, expected) => {
    fakeServer({ ...mustChange, 'POST /api/auth/password': () => refusal(status, code) })
    const page = await mountAt('/chat')
    await choose(page, 'a long enough one')
    page.getByText(expected)
  })
})

it('says when the server is away, and goes on once it is back', async () => {
  let isUp = false
  fakeServer({ ...chat, [me]: () => (isUp ? signedIn() : networkDown()) })
  window.history.replaceState({}, '', '/chat')
  const page = await mountAt('/chat')
  page.getByText('The helpdesk does not answer')
  isUp = true
  page.getByRole('button', { name: 'Try again' }).click()
  await settle()
  expect(page.router.currentRoute.value.name).toBe('chat')
})
