import { fireEvent } from '@testing-library/dom'
import { describe, expect, it } from 'vitest'
import { aToken, signedIn } from '@/testing/builders'
import { fakeServer, networkDown } from '@/testing/fakeServer'
import { findBarriers, mountAt, settle } from '@/testing/mountApp'

const tokens = 'GET /api/auth/tokens'
const standard = {
  'GET /api/auth/me': () => signedIn(),
  [tokens]: () => ({ items: [aToken()] }),
}

describe('tokens', () => {
  it('are listed, without barriers', async () => {
    fakeServer(standard)
    const page = await mountAt('/account')
    page.getByText('nightly report')
    page.getByText('Never used')
    expect(await findBarriers()).toEqual([])
  })

  it.each([
    ['there are none', () => ({ items: [] }), 'No tokens yet'],
    ['they cannot be loaded', networkDown, 'This could not be loaded'],
  ])('say when %s', async (_, reply, expected) => {
    fakeServer({ ...standard, [tokens]: reply })
    const page = await mountAt('/account')
    page.getByText(expected)
  })

  it('are created and shown once', async () => {
    const server = fakeServer({
      ...standard,
      'POST /api/auth/tokens': () => ({ ...aToken({ id: 'token-2' }), token: 'hda_secret' }),
    })
    const page = await mountAt('/account')
    page.getByRole('button', { name: 'Create token' }).click()
    await settle()
    fireEvent.input(page.getByLabelText('Name'), { target: { value: 'import' } })
    fireEvent.submit(page.getByLabelText('Name').closest('form') as HTMLFormElement)
    await settle()
    expect(server.to('POST /api/auth/tokens')[0]?.body).toEqual({
      name: 'import',
      expires_in_days: 90,
    })
    expect((page.getByLabelText('New token') as HTMLInputElement).value).toBe('hda_secret')
    page.getByRole('button', { name: 'Done' }).click()
    await settle()
    expect(document.body.innerHTML).not.toContain('hda_secret')
  })

  it('are revoked after a question', async () => {
    const server = fakeServer({ ...standard, 'DELETE /api/auth/tokens/*': () => undefined })
    const page = await mountAt('/account')
    page.getByRole('button', { name: 'Revoke nightly report' }).click()
    await settle()
    page.getByRole('alertdialog', { name: 'Revoke “nightly report”?' })
    page.getByRole('button', { name: 'Revoke' }).click()
    await settle()
    expect(server.to('DELETE /api/auth/tokens/*')[0]?.path).toBe('/api/auth/tokens/token-1')
  })
})

it('signs out from the menu and forgets who was here', async () => {
  fakeServer({ ...standard, 'POST /api/auth/logout': () => undefined })
  const page = await mountAt('/account')
  const menu = page.getByRole('button', { name: 'Signed in as Maya Rowan' })
  fireEvent.keyDown(menu, { key: 'Enter' })
  await settle()
  page.getByRole('menuitem', { name: 'Sign out' }).click()
  await settle()
  expect(page.router.currentRoute.value.name).toBe('login')
})

it('has a page for addresses that lead nowhere', async () => {
  fakeServer(standard)
  const page = await mountAt('/nowhere')
  page.getByRole('link', { name: 'Go to chat' })
  expect(await findBarriers()).toEqual([])
})
