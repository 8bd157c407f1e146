import { fireEvent } from '@testing-library/dom'
import { describe, expect, it } from 'vitest'
import type { TicketSummary } from '@/api/types'
import { aTicket, signedIn } from '@/testing/builders'
import { fakeServer, networkDown, refusal } from '@/testing/fakeServer'
import { findBarriers, mountAt, settle } from '@/testing/mountApp'

const list = 'GET /api/tickets'
const one = 'GET /api/tickets/*'
const standard = { 'GET /api/auth/me': () => signedIn(), [one]: () => aTicket() }
const page = (items: TicketSummary[], next_before: number | null = null) => ({ items, next_before })

describe('my tickets', () => {
  it('are listed with number, status and severity, and have no barriers', async () => {
    fakeServer({
      ...standard,
      [list]: () =>
        page([
          aTicket(),
          aTicket({ id: 'ticket-9', number: 9, status: 'resolved', is_mine: false }),
        ]),
    })
    const { getByRole, getByText } = await mountAt('/my/tickets')
    getByRole('heading', { level: 1, name: 'My tickets' })
    const link = getByRole('link', { name: /Ticket #12.*Budget reports.*New.*High/ })
    expect(link.getAttribute('href')).toBe('/my/tickets/ticket-12')
    getByText('Resolved')
    getByText('Filed by Maya Rowan; you follow it')
    expect(await findBarriers()).toEqual([])
  })

  it.each([
    ['pending', null, null, 'Not in the tracker yet'],
    ['unknown', null, null, 'Being looked for in the tracker'],
    ['refused', null, null, 'Refused by the tracker'],
    ['filed', 7, 'closed', 'Issue #7'],
  ] as const)('say how they stand in the tracker: %s', async (state, number, status, words) => {
    const issue = { issue_state: state, issue_number: number, issue_status: status }
    const issue_url = number ? 'https://github.com/acme/helpdesk/issues/7' : null
    fakeServer({ ...standard, [list]: () => page([aTicket({ ...issue, issue_url })]) })
    const { getByRole, getByText } = await mountAt('/my/tickets')
    getByText(words)
    if (number) getByText('closed')
    getByRole('link', { name: new RegExp(words) })
    expect(await findBarriers()).toEqual([])
  })

  it('come page by page, each once', async () => {
    const server = fakeServer({
      ...standard,
      [list]: ({ query }) =>
        query.get('before')
          ? page([aTicket(), aTicket({ id: 'ticket-3', number: 3, title: 'An old one' })])
          : page([aTicket()], 12),
    })
    const { getByRole, getAllByRole, queryByRole } = await mountAt('/my/tickets')
    getByRole('button', { name: 'Load more' }).click()
    await settle()
    expect(getAllByRole('listitem')).toHaveLength(2)
    expect(queryByRole('button', { name: 'Load more' })).toBeNull()
    expect(server.to(list)[1]?.query.get('before')).toBe('12')
  })

  it('are searched, and the search stands in the address', async () => {
    const server = fakeServer({
      ...standard,
      [list]: ({ query }) => page(query.get('query') ? [] : [aTicket()]),
    })
    const { getByRole, getByText, router } = await mountAt('/my/tickets')
    const box = getByRole('searchbox', { name: 'Search my tickets' })
    fireEvent.input(box, { target: { value: ' printer ' } })
    fireEvent.submit(getByRole('search'))
    await settle()
    expect(server.to(list).at(-1)?.query.get('query')).toBe('printer')
    expect(router.currentRoute.value.query).toEqual({ q: 'printer' })
    getByText('Nothing of yours was found for “printer”.')
  })

  it('that are none say so', async () => {
    fakeServer({ ...standard, [list]: () => page([]) })
    const { getByText } = await mountAt('/my/tickets')
    getByText('No tickets yet')
  })

  it('that cannot be loaded offer to try again', async () => {
    let isUp = false
    fakeServer({ ...standard, [list]: () => (isUp ? page([aTicket()]) : networkDown()) })
    const { getByRole } = await mountAt('/my/tickets')
    isUp = true
    getByRole('button', { name: 'Try again' }).click()
    await settle()
    getByRole('link', { name: /Budget reports/ })
  })
})

describe('a ticket', () => {
  it('shows what was filed, how it stands, and the way back, without barriers', async () => {
    fakeServer({ ...standard, [list]: () => page([]) })
    const { getByRole, getByText } = await mountAt('/my/tickets/ticket-12')
    getByRole('heading', { level: 1, name: 'Budget reports return 403' })
    getByRole('heading', { level: 2, name: 'What happens' })
    getByText('Ticket #12')
    const back = getByRole('link', { name: 'Open the conversation' })
    expect(back.getAttribute('href')).toBe('/chat/session-1')
    expect(await findBarriers()).toEqual([])
  })

  it('in an outside tracker leads there, or says how far it is', async () => {
    fakeServer({
      ...standard,
      [one]: () =>
        aTicket({ issue_state: 'filed', issue_url: 'https://example.org/7', issue_number: 7 }),
    })
    const { getByRole } = await mountAt('/my/tickets/ticket-12')
    expect(getByRole('link', { name: 'Issue #7' }).getAttribute('href')).toBe(
      'https://example.org/7',
    )
  })

  it('with a dangerous address has no link', async () => {
    fakeServer({
      ...standard,
      [one]: () =>
        aTicket({ issue_state: 'filed', issue_number: 7, issue_url: 'javascript:alert(1)' }),
    })
    const { getByText } = await mountAt('/my/tickets/ticket-12')
    getByText('Issue #7')
    expect(document.querySelector('a[href^="javascript"]')).toBeNull()
  })

  it.each([
    ['does not exist', () => refusal(404, 'ticket_not_found'), 'This ticket does not exist'],
    ['has an impossible id', () => refusal(422, 'invalid_request'), 'This ticket does not exist'],
    ['cannot be loaded', networkDown, 'This could not be loaded'],
  ])('that %s says so', async (_, reply, text) => {
    fakeServer({ ...standard, [one]: reply })
    const { getAllByText } = await mountAt('/my/tickets/ticket-12')
    expect(getAllByText(text).length).toBeGreaterThan(0)
  })
})

describe('the issue of a ticket', () => {
  const issue_url = 'https://github.com/acme/helpdesk/issues/7'

  it.each([
    ['pending', 'Not sent yet; that follows by itself'],
    ['unknown', 'Not certain whether the tracker has it; being checked'],
    ['refused', 'The tracker did not take it; the ticket stands here all the same'],
  ] as const)('is said in words while it is none: %s', async (issue_state, words) => {
    fakeServer({ ...standard, [one]: () => aTicket({ issue_state }) })
    const { getByText } = await mountAt('/my/tickets/ticket-12')
    getByText(words)
    expect(await findBarriers()).toEqual([])
  })

  it('is a link with how it stands', async () => {
    const filed = { issue_state: 'filed', issue_number: 7, issue_status: 'open' } as const
    fakeServer({ ...standard, [one]: () => aTicket({ ...filed, issue_url }) })
    const { getByRole, getByText } = await mountAt('/my/tickets/ticket-12')
    expect(getByRole('link', { name: 'Issue #7' }).getAttribute('href')).toBe(issue_url)
    getByText('open')
  })

  it('is nothing to speak of where there is no tracker', async () => {
    fakeServer(standard)
    const { queryByText } = await mountAt('/my/tickets/ticket-12')
    expect(queryByText('In the tracker')).toBeNull()
  })
})
