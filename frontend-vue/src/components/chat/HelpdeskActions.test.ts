import { fireEvent } from '@testing-library/dom'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { aDraft, anAnswer, aQuestion, aSession, aWelcome, signedIn } from '@/testing/builders'
import { type Call, fakeServer, networkDown, refusal } from '@/testing/fakeServer'
import { findBarriers, mountAt, settle } from '@/testing/mountApp'

const CHAT = '/chat/session-1'
const summarize = 'POST /api/helpdesk/summarize'
const draftTicket = 'POST /api/helpdesk/draft-ticket'
const createIssue = 'POST /api/helpdesk/create-issue'

const filed = {
  ticket_id: 'ticket-7',
  ticket_number: 7,
  deduplicated: false,
  issue_url: null,
  issue_number: null,
  issue_state: 'off',
}

function world(handlers: Parameters<typeof fakeServer>[0] = {}) {
  return fakeServer({
    'GET /api/auth/me': () => signedIn(),
    'GET /api/chat/sessions': () => ({ items: [aSession()], next_before: null }),
    'GET /api/chat/sessions/*': () => aSession(),
    'GET /api/chat/welcome': () => aWelcome({ agent_enabled: false }),
    'GET /api/chat/sessions/*/messages': () => ({
      items: [aQuestion(), anAnswer({ kb_resolved: false })],
      has_earlier: false,
    }),
    'GET /api/helpdesk/agent/sessions': () => ({ items: [] }),
    [summarize]: () => ({ title: 'VPN drops', summary: '> Why does the **VPN** drop?' }),
    [draftTicket]: () => ({ draft: aDraft(), body_preview: '' }),
    [createIssue]: () => filed,
    ...handlers,
  })
}

type Page = Awaited<ReturnType<typeof mountAt>>
async function press(page: Page, name: string) {
  page.getByRole('button', { name }).click()
  await settle()
}
const keyOf = (call: Call | undefined) => call?.headers.get('idempotency-key')

beforeEach(() => {
  vi.spyOn(window, 'matchMedia').mockImplementation(
    (query) =>
      ({
        matches: query.includes('min-width'),
        media: query,
        addEventListener() {},
        removeEventListener() {},
      }) as unknown as MediaQueryList,
  )
})

describe('while the agent is off', () => {
  it('offers what a person can do alone instead of help', async () => {
    world()
    const page = await mountAt(CHAT)
    expect(page.queryByRole('button', { name: 'Get help' })).toBeNull()
    await vi.dynamicImportSettled()
    await settle()
    page.getByRole('button', { name: 'Draft a ticket' })
    page.getByRole('button', { name: 'Summarise' })
    expect(await findBarriers()).toEqual([])
  })

  it('is not there while the agent is on, or where that is not known', async () => {
    for (const welcome of [() => aWelcome(), () => refusal(503, 'database_busy')]) {
      world({ 'GET /api/chat/welcome': welcome })
      const page = await mountAt(CHAT)
      page.getByRole('button', { name: 'Get help' })
      expect(page.queryByRole('button', { name: 'Summarise' })).toBeNull()
      page.wrapper.unmount()
    }
  })

  it('shows a summary and goes on to a draft from there', async () => {
    const server = world()
    const page = await mountAt(CHAT)
    await press(page, 'Summarise')
    page.getByText('VPN drops')
    expect(server.to(summarize)[0]?.body).toEqual({ chat_session_id: 'session-1' })
    expect(await findBarriers()).toEqual([])
    await press(page, 'Draft a ticket')
    expect((page.getByLabelText('Title') as HTMLInputElement).value).toBe(aDraft().title)
    fireEvent.input(page.getByLabelText('Title'), { target: { value: 'As I put it' } })
    await press(page, 'Back')
    page.getByRole('button', { name: 'Summarise' })
    await press(page, 'Draft a ticket')
    expect((page.getByLabelText('Title') as HTMLInputElement).value).toBe('As I put it')
  })

  it('files the draft as it was changed, and leads to the ticket', async () => {
    const server = world()
    const page = await mountAt(CHAT)
    await press(page, 'Draft a ticket')
    fireEvent.input(page.getByLabelText('Title'), { target: { value: 'VPN drops at noon' } })
    await settle()
    await press(page, 'File it')
    const [call] = server.to(createIssue)
    expect(call?.body).toMatchObject({
      chat_session_id: 'session-1',
      draft: { ...aDraft(), title: 'VPN drops at noon' },
    })
    expect(keyOf(call)).toMatch(/^[0-9a-f]{32}$/)
    const link = page.getByRole('link', { name: 'Ticket #7' })
    expect(link.getAttribute('href')).toBe('/my/tickets/ticket-7')
    expect(page.queryByRole('button', { name: 'File it' })).toBeNull()
  })

  it('says that it works, and why something could not be made, and tries again', async () => {
    let answers = 0
    world({
      [draftTicket]: () => {
        answers += 1
        return answers === 1 ? networkDown() : { draft: aDraft(), body_preview: '' }
      },
    })
    const page = await mountAt(CHAT)
    page.getByRole('button', { name: 'Draft a ticket' }).click()
    await settle()
    page.getByRole('alert')
    await press(page, 'Try again')
    page.getByLabelText('Title')
  })

  it('keeps the text and its key when no answer came, and takes another for another text', async () => {
    let answers = 0
    const server = world({
      [createIssue]: () => {
        answers += 1
        return answers < 3 ? networkDown() : filed
      },
    })
    const page = await mountAt(CHAT)
    await press(page, 'Draft a ticket')
    await press(page, 'File it')
    expect(page.getByRole('alert').textContent).toContain('may have been filed')
    await press(page, 'File it')
    fireEvent.input(page.getByLabelText('Title'), { target: { value: 'Another' } })
    await settle()
    await press(page, 'File it')
    const [first, second, third] = server.to(createIssue).map(keyOf)
    expect(second).toBe(first)
    expect(third).not.toBe(first)
  })

  it('files nothing that the server would refuse, and says why it refused', async () => {
    const server = world({ [createIssue]: () => refusal(429, 'daily_cap_reached') })
    const page = await mountAt(CHAT)
    await press(page, 'Draft a ticket')
    fireEvent.input(page.getByLabelText('Title'), { target: { value: ' ' } })
    await settle()
    await press(page, 'File it')
    expect(server.to(createIssue)).toEqual([])
    fireEvent.input(page.getByLabelText('Title'), { target: { value: 'VPN' } })
    await settle()
    await press(page, 'File it')
    expect(page.getByRole('alert').textContent).toContain('This was not filed.')
  })
})
