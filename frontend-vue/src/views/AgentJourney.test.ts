import { fireEvent, within } from '@testing-library/dom'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { AgentSession, AgentTurn, DraftPreview, TurnKind } from '@/api/types'
import {
  aCandidate,
  aDraft,
  aDraftTurn,
  aFiledTurn,
  anAgentSession,
  anAnswer,
  aQuestion,
  aSession,
  aSource,
  aStep,
  aTurn,
  aWelcome,
  signedIn,
} from '@/testing/builders'
import { fakeServer, networkDown, openStream, refusal } from '@/testing/fakeServer'
import { startTelemetry } from '@/telemetry'
import { findBarriers, mountAt, settle } from '@/testing/mountApp'

const CHAT = '/chat/session-1'
const AGENT = '/api/helpdesk/agent'
const list = `GET ${AGENT}/sessions`
const one = `GET ${AGENT}/sessions/*`
const start = `POST ${AGENT}/start`
const resume = `POST ${AGENT}/resume`
const confirm = `POST ${AGENT}/confirm`
const preview = `POST ${AGENT}/preview`

const draftView = (turn: AgentTurn = aDraftTurn()) =>
  anAgentSession({ status: 'awaiting_confirm', turn })
const ended = (turn: AgentTurn) =>
  anAgentSession({ status: 'ended', turn: { ...turn, pending_question_id: null } })

function world(view: AgentSession | null, handlers: Parameters<typeof fakeServer>[0] = {}) {
  return fakeServer({
    'GET /api/auth/me': () => signedIn(),
    'GET /api/chat/sessions': () => ({ items: [aSession()], next_before: null }),
    'GET /api/chat/sessions/*': () => aSession(),
    'GET /api/chat/welcome': () => aWelcome(),
    'GET /api/chat/sessions/*/messages': () => ({
      items: [aQuestion(), anAnswer({ kb_resolved: false })],
      has_earlier: false,
    }),
    [list]: () => ({ items: view ? [view] : [] }),
    [one]: () => view ?? anAgentSession(),
    ...handlers,
  })
}

type Page = Awaited<ReturnType<typeof mountAt>>
const area = (page: Page) => page.getByRole('textbox', { name: 'Message' }) as HTMLTextAreaElement
async function write(page: Page, text: string) {
  fireEvent.input(area(page), { target: { value: text } })
  await settle()
  fireEvent.keyDown(area(page), { key: 'Enter' })
  await settle()
}
const spoken = (page: Page) => page.getAllByRole('status').map(({ textContent }) => textContent)

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

describe('getting help', () => {
  it('shows the steps live, the question, and says both once', async () => {
    const line = openStream()
    const server = world(null, { [start]: () => line.response, [one]: () => anAgentSession() })
    const page = await mountAt(CHAT)
    page.getByRole('button', { name: 'Get help' }).focus()
    page.getByRole('button', { name: 'Get help' }).click()
    await settle()
    expect(page.queryByRole('button', { name: 'Get help' })).toBeNull()
    page.getByText('Help requested')
    const bubble = page.getByRole('article', { name: 'Agent' })
    expect(document.activeElement).toBe(bubble)
    expect(spoken(page)).toContain('The agent is working')

    line.send('session', anAgentSession({ status: 'running', turn: null, steps: [] }))
    line.send('step', aStep({ status: 'running', duration_ms: null }), 1)
    await settle()
    within(bubble).getByText('Taking a second look in the knowledge base')
    page.getByRole('button', { name: 'Cancel session' })
    line.send('step', aStep(), 2)
    line.send('turn', aTurn(), 3)
    await settle()
    within(bubble).getByText('Checked 1 place')
    within(bubble).getByText('Question 1 of 2')
    expect(spoken(page)).toContain('The agent asks: Only you, or others as well?')
    expect(area(page).placeholder).toBe('Or type your own answer')
    expect(server.to(start)).toHaveLength(1)
    expect(server.to(start)[0]?.body).toEqual({ chat_session_id: 'session-1', trigger: 'chip' })
    expect(await findBarriers()).toEqual([])
  })

  it.each([
    [() => refusal(503, 'agent_switched_off'), 'The agent is switched off right now.'],
    [
      () => refusal(429, 'daily_cap_reached', { 'Retry-After': '120' }),
      'That was too often. Try again in 2 minutes.',
    ],
  ])('that is refused says why, and is offered again', async (reply, words) => {
    world(null, { [start]: reply })
    const page = await mountAt(CHAT)
    page.getByRole('button', { name: 'Get help' }).click()
    await settle()
    expect(page.getByRole('alert').textContent).toContain(words)
    page.getByRole('button', { name: 'Get help' })
  })
})

describe('an open question', () => {
  it('is answered by a chip, which stays marked', async () => {
    const line = openStream()
    const server = world(anAgentSession(), { [resume]: () => line.response })
    const page = await mountAt(CHAT)
    page.getByRole('button', { name: /My team$/ }).click()
    await settle()
    page.getByRole('button', { name: 'My team', pressed: true })
    page.getByRole('button', { name: 'Just me', pressed: false }).click()
    await settle()
    expect(server.to(resume)).toHaveLength(1)
    expect(server.to(resume)[0]?.body).toMatchObject({ choice: 'My team' })
  })

  it('is answered by a number key, but not while typing', async () => {
    const line = openStream()
    const server = world(anAgentSession(), { [resume]: () => line.response })
    const page = await mountAt(CHAT)
    fireEvent.keyDown(area(page), { key: '1' })
    fireEvent.keyDown(document.body, { key: '7' })
    await settle()
    expect(server.to(resume)).toEqual([])
    fireEvent.keyDown(document.body, { key: '1' })
    await settle()
    expect(server.to(resume)[0]?.body).toMatchObject({ choice: 'Just me' })
  })

  it('is answered by what is written', async () => {
    const line = openStream()
    const server = world(anAgentSession(), { [resume]: () => line.response })
    const page = await mountAt(CHAT)
    await write(page, 'All of finance')
    expect(server.to(resume)[0]?.body).toMatchObject({ reply: 'All of finance' })
    within(page.getByRole('article', { name: 'Agent' })).getByText('All of finance')
    expect(server.to('POST /api/chat/sessions/*/messages')).toEqual([])
    expect(area(page).placeholder).toBe('Your text is kept meanwhile')
  })

  it('says of an answer that it is not sent until the server has it', async () => {
    const line = openStream()
    world(anAgentSession(), { [resume]: () => line.response })
    const page = await mountAt(CHAT)
    await write(page, 'All of finance')
    const bubble = page.getByRole('article', { name: 'Agent' })
    const bar = page.getByRole('region', { name: 'Agent session' })
    within(bubble).getByText('Sending. It is not there yet.')
    expect(bar.textContent).toContain('not there yet')
    expect(bar.textContent).not.toContain('working')
    expect(bubble.textContent).not.toContain('Working')
    expect(spoken(page)).not.toContain('The agent is working')

    line.send('session', anAgentSession({ status: 'running', turn: null }))
    await settle()
    expect(bubble.textContent).not.toContain('not there yet')
    expect(bar.textContent).toContain('Agent is working')
    expect(area(page).placeholder).toBe('Your text is kept while the agent works')
    expect(spoken(page)).toContain('The agent is working')
  })

  it('that cannot be answered says that, and has the text again after a reload', async () => {
    const handlers = { [resume]: networkDown }
    world(anAgentSession(), handlers)
    const page = await mountAt(CHAT)
    await write(page, 'All of finance')
    within(page.getByRole('article', { name: 'Agent' })).getByText('Not sent yet. Trying again.')
    const bar = page.getByRole('region', { name: 'Agent session' })
    expect(bar.textContent).toContain('Not sent yet')
    expect(page.wrapper.text()).not.toContain('carries on')
    expect(spoken(page)).toContain('Not sent yet. Trying again.')
    expect(await findBarriers()).toEqual([])

    page.wrapper.unmount()
    const reloaded = await mountAt(CHAT)
    expect(area(reloaded).value).toBe('All of finance')
    reloaded.getByRole('button', { name: /My team$/ })
  })

  it('that another tab has answered shows how it stands and gives the text back', async () => {
    world(anAgentSession(), {
      [resume]: () => refusal(409, 'stale_question'),
      [one]: () => ({ ...draftView(), last_event_id: 20 }),
    })
    const page = await mountAt(CHAT)
    await write(page, 'All of finance')
    page.getByRole('region', { name: 'Draft ticket' })
    expect(spoken(page).join()).toContain('This was answered elsewhere')
    expect(area(page).value).toBe('All of finance')
  })

  it('of a session that is too old ends there, with the text kept', async () => {
    world(anAgentSession(), { [resume]: () => refusal(410, 'session_expired') })
    const page = await mountAt(CHAT)
    await write(page, 'All of finance')
    page.getByText('It waited too long for an answer.')
    page.getByRole('button', { name: 'Get help again' })
    expect(area(page).value).toBe('All of finance')
  })

  it('with a fix shows it with its sources', async () => {
    const turn = aTurn({
      message: 'Does it fix the problem?',
      proposal: { title: 'Reset the role', text: 'Ask for the role again [1].' },
      sources: [aSource()],
      choices: ['That fixed it', 'Still broken', 'File a ticket'],
    })
    world(anAgentSession({ turn }), {
      'GET /api/knowledge/articles/*': () => refusal(404, 'article_not_found'),
    })
    const page = await mountAt(CHAT)
    const fix = page.getByRole('region', { name: 'A possible fix' })
    within(fix).getByRole('heading', { name: 'Reset the role' })
    within(fix).getByRole('button', { name: 'Source 1: VPN leases' }).click()
    await settle()
    page.getByRole('complementary', { name: 'Source' })
    expect(await findBarriers()).toEqual([])
  })
})

describe('a draft', () => {
  const shown = (over: Partial<DraftPreview> = {}): DraftPreview => ({
    draft: aDraft({ title: 'Changed' }),
    body_preview: 'As it will stand there.',
    draft_digest: 'd2',
    ...over,
  })

  it('is filed as it was shown', async () => {
    const line = openStream()
    const server = world(draftView(), { [confirm]: () => line.response })
    const page = await mountAt(CHAT)
    page.getByRole('button', { name: 'Review and file' }).click()
    await settle()
    const dialog = page.getByRole('dialog', { name: 'Review before filing' })
    expect(await findBarriers(dialog)).toEqual([])
    within(dialog).getByRole('button', { name: 'File it' }).click()
    within(dialog).getByRole('button', { name: 'File it' }).click()
    await settle()
    expect(server.to(confirm).map(({ body }) => body)).toEqual([
      { session_id: 'agent-1', pending_question_id: 'b2', draft: aDraft(), draft_digest: 'd1' },
    ])
    within(dialog).getByRole('button', { name: 'Filing' })
    line.send('turn', aFiledTurn(), 30)
    await settle()
    expect(page.queryByRole('dialog')).toBeNull()
    const link = page.getByRole('link', { name: 'Ticket #12' })
    expect(link.getAttribute('href')).toBe('/my/tickets/ticket-12')
    expect(spoken(page)).toContain('Ticket #12 filed')
    expect(page.queryByRole('region', { name: 'Agent session' })).toBeNull()
    expect(area(page).placeholder).toBe('Ask something else')
  })

  it('that was changed is shown anew before it can be filed, and that is filed', async () => {
    const line = openStream()
    const server = world(draftView(), { [preview]: () => shown(), [confirm]: () => line.response })
    const page = await mountAt(CHAT)
    page.getByRole('button', { name: 'Review and file' }).click()
    await settle()
    fireEvent.input(page.getByLabelText('Title'), { target: { value: 'Changed' } })
    await settle()
    page.getByRole('button', { name: 'File it with your changes' }).click()
    await settle()
    expect(server.to(confirm)).toEqual([])
    expect(server.to(preview)[0]?.body).toMatchObject({ draft: { title: 'Changed' } })
    page.getByText('As it will stand there.')
    page.getByRole('button', { name: 'File it with your changes' }).click()
    await settle()
    expect(server.to(confirm)[0]?.body).toMatchObject({
      draft: { title: 'Changed' },
      draft_digest: 'd2',
    })
  })

  it('that changed elsewhere shows the new preview and asks again', async () => {
    let digest = 'd1'
    const server = world(draftView(), {
      [preview]: () => shown({ draft: aDraft(), draft_digest: digest }),
      [confirm]: () => {
        digest = 'd3'
        return refusal(409, 'draft_changed')
      },
    })
    const page = await mountAt(CHAT)
    page.getByRole('button', { name: 'Review and file' }).click()
    await settle()
    page.getByRole('button', { name: 'File it' }).click()
    await settle()
    within(page.getByRole('dialog')).getByText(/Look at the new preview and confirm again/)
    page.getByText('As it will stand there.')
    page.getByRole('button', { name: 'File it' }).click()
    await settle()
    expect(server.to(confirm)[1]?.body).toMatchObject({ draft_digest: 'd3' })
  })

  it('waits on when its window is closed, with what was changed', async () => {
    const server = world(draftView(), { [preview]: () => shown() })
    const page = await mountAt(CHAT)
    page.getByRole('button', { name: 'Review and file' }).focus()
    page.getByRole('button', { name: 'Review and file' }).click()
    await settle()
    fireEvent.input(page.getByLabelText('Title'), { target: { value: 'Changed' } })
    page.getByRole('button', { name: 'Not now' }).click()
    await settle()
    expect(page.queryByRole('dialog')).toBeNull()
    expect(server.to(`POST ${AGENT}/abort`)).toEqual([])
    page.getByRole('button', { name: 'Review and file' }).click()
    await settle()
    expect((page.getByLabelText('Title') as HTMLInputElement).value).toBe('Changed')
  })

  it('keeps what was changed over a reload', async () => {
    world(draftView(), { [preview]: () => shown() })
    const page = await mountAt(CHAT)
    page.getByRole('button', { name: 'Review and file' }).click()
    await settle()
    fireEvent.input(page.getByLabelText('Title'), { target: { value: 'Changed' } })
    page.wrapper.unmount()

    const reloaded = await mountAt(CHAT)
    within(reloaded.getByRole('region', { name: 'Draft ticket' })).getByText('Changed')
    reloaded.getByRole('button', { name: 'Review and file' }).click()
    await settle()
    expect((reloaded.getByLabelText('Title') as HTMLInputElement).value).toBe('Changed')
  })

  it('says so where it takes the place of a changed one, also while that is looked at', async () => {
    let view = draftView()
    world(null, { [list]: () => ({ items: [view] }), [preview]: () => shown() })
    const page = await mountAt(CHAT)
    page.getByRole('button', { name: 'Review and file' }).click()
    await settle()
    fireEvent.input(page.getByLabelText('Title'), { target: { value: 'Changed' } })
    fireEvent.input(page.getByLabelText('Description'), { target: { value: 'By me.' } })
    await settle()
    const next = { title: 'The next', description: 'With a detail.' }
    view = {
      ...draftView(
        aDraftTurn({ pending_question_id: 'c3', draft_digest: 'd9', draft: aDraft(next) }),
      ),
      last_event_id: 22,
    }
    window.dispatchEvent(new Event('focus'))
    await settle()
    const words = 'Your changes were replaced by the new draft.'
    within(page.getByRole('dialog')).getByText(words)
    expect((page.getByLabelText('Title') as HTMLInputElement).value).toBe('The next')
    page.getByRole('button', { name: 'Not now' }).click()
    await settle()
    within(page.getByRole('article', { name: 'Agent' })).getByText(words)
  })

  it.each([
    ['503', () => refusal(503, 'agent_switched_off'), 'The agent is switched off right now.'],
    [
      '429',
      () => refusal(429, 'daily_cap_reached', { 'Retry-After': '120' }),
      'That was too often. Try again in 2 minutes.',
    ],
    ['409', () => refusal(409, 'draft_changed'), 'Look at the new preview and confirm again.'],
    ['a fault', () => refusal(500, 'internal'), 'Whether this was filed is not known.'],
  ])('that is refused by %s says why outside of what scrolls', async (_, reply, words) => {
    world(draftView(), { [confirm]: reply, [preview]: () => shown() })
    const page = await mountAt(CHAT)
    page.getByRole('button', { name: 'Review and file' }).click()
    await settle()
    const dialog = page.getByRole('dialog', { name: 'Review before filing' })
    within(dialog).getByRole('button', { name: 'File it' }).click()
    await settle()
    const notice = within(dialog).getByText(words, { exact: false })
    expect(notice.closest('form')).toBeNull()
    expect(dialog.querySelector('form')?.parentElement?.contains(notice)).toBe(false)
    expect(document.querySelector('p[aria-live=polite]')?.textContent).toContain(words)
    expect(await findBarriers(dialog)).toEqual([])
  })

  it('without a title cannot be filed', async () => {
    world(draftView())
    const page = await mountAt(CHAT)
    page.getByRole('button', { name: 'Review and file' }).click()
    await settle()
    fireEvent.input(page.getByLabelText('Title'), { target: { value: ' ' } })
    await settle()
    const button = page.getByRole('button', { name: 'File it with your changes' })
    expect((button as HTMLButtonElement).disabled).toBe(true)
    page.getByText('Fill in this field.')
  })

  it('takes in a detail that is written', async () => {
    const line = openStream()
    const server = world(draftView(), { [resume]: () => line.response })
    const page = await mountAt(CHAT)
    expect(area(page).placeholder).toBe('Add a detail; change the rest under Review')
    await write(page, 'Since Sunday')
    expect(server.to(resume)[0]?.body).toMatchObject({
      pending_question_id: 'b2',
      reply: 'Since Sunday',
    })
  })

  it('may be linked to a ticket about the same', async () => {
    const line = openStream()
    const view = draftView(aDraftTurn({ candidates: [aCandidate()] }))
    const server = world(view, { [confirm]: () => line.response })
    const page = await mountAt(CHAT)
    page.getByText('Possible duplicate: #42 Oracle 403')
    page.getByText('In common: oracle, 403')
    page.getByText('In progress')
    page.getByRole('button', { name: 'Link to #42' }).click()
    await settle()
    expect(server.to(confirm)[0]?.body).toEqual({
      session_id: 'agent-1',
      pending_question_id: 'b2',
      link: { source: 'desk', number: 42 },
    })
    const linked = aFiledTurn({
      kind: 'linked',
      ticket_number: 42,
      linked_issue_url: '/my/tickets/ticket-42',
    })
    line.send('turn', linked, 30)
    await settle()
    const bubble = page.getByRole('article', { name: 'Agent' })
    within(bubble).getByText('Linked to ticket #42')
    const link = page.getByRole('link', { name: 'Ticket #42' })
    expect(link.getAttribute('href')).toBe('/my/tickets/ticket-42')
  })
})

describe('cancelling', () => {
  const abort = `POST ${AGENT}/abort`

  it('asks first, ends the session, and offers help again', async () => {
    const turn = aTurn({
      kind: 'aborted',
      reason: 'user',
      choices: null,
      pending_question_id: null,
    })
    let view = anAgentSession()
    const server = world(null, {
      [list]: () => ({ items: [view] }),
      [one]: () => view,
      [abort]: () => {
        view = ended(turn)
        return { ok: true, turn }
      },
    })
    const page = await mountAt(CHAT)
    page.getByRole('button', { name: 'Cancel session' }).click()
    await settle()
    const dialog = page.getByRole('alertdialog', { name: 'Cancel this session?' })
    within(dialog).getByRole('button', { name: 'Keep going' }).click()
    await settle()
    expect(server.to(abort)).toEqual([])
    page.getByRole('button', { name: 'Cancel session' }).click()
    await settle()
    within(page.getByRole('alertdialog')).getByRole('button', { name: 'Cancel session' }).click()
    await settle()
    page.getByText('It was cancelled.')
    expect(spoken(page)).toContain('Session ended, nothing was filed')
    page.getByRole('button', { name: 'Get help again' })
    expect(page.queryByRole('alertdialog')).toBeNull()
  })
})

describe('a turn', () => {
  it.each([
    ['info', aTurn({ kind: 'info', message: 'It is **known**.', choices: null }), 'known'],
    ['resolved', aTurn({ kind: 'resolved', message: 'Good.', choices: null }), 'Resolved'],
    ['filed', aFiledTurn(), 'Ticket #12 filed'],
    ['filed before', aFiledTurn({ deduplicated: true }), 'Ticket #12 was already filed'],
    ['aborted', aTurn({ kind: 'aborted', reason: 'server_restart', choices: null }), /restarted/],
    [
      'unknown',
      aTurn({ kind: 'handed_over' as TurnKind, message: '**As it is** <b>', choices: ['x'] }),
      '**As it is** <b>',
    ],
  ])('of kind %s is shown, and has no barriers', async (_, turn, text) => {
    world(ended(turn))
    const page = await mountAt(CHAT)
    const bubble = page.getByRole('article', { name: 'Agent' })
    within(bubble).getByText(text)
    expect(within(bubble).queryByRole('group', { name: /^Pick an answer/ })).toBeNull()
    expect(await findBarriers()).toEqual([])
  })

  it('before it stay with what was said to them, and the facts are there', async () => {
    world(
      anAgentSession({
        exchanges: [{ question: 'Which printer?', reply: 'The blue one' }],
        facts: [
          { key: 'product', value: 'Printer' },
          { key: 'room_number', value: '12' },
        ],
      }),
    )
    const page = await mountAt(CHAT)
    page.getByText('Which printer?')
    page.getByText('The blue one')
    page.getByText('What the agent knows (2 facts)')
    page.getByText('Room number')
  })
})

it('shows the recap where a session cannot be loaded', async () => {
  const line = anAnswer({
    id: 'line-1',
    seq: 3,
    reply_to: null,
    sources: [],
    content: 'Filed as *ticket* 12.',
    agent_summary: {
      agent_session_id: 'agent-1',
      kind: 'filed',
      linked_issue_url: null,
      ticket_id: 'ticket-12',
    },
  })
  world(null, {
    [list]: networkDown,
    'GET /api/chat/sessions/*/messages': () => ({
      items: [aQuestion(), anAnswer(), line],
      has_earlier: false,
    }),
  })
  const page = await mountAt(CHAT)
  within(page.getByRole('article', { name: 'Agent' })).getByText('ticket')
  expect(spoken(page).join()).toContain('The state of the agent could not be loaded')
})

it('shows nothing of a session in another conversation, and finds it again', async () => {
  world(null, {
    [list]: ({ query }) => ({
      items: query.get('chat_session_id') === 'session-1' ? [anAgentSession()] : [],
    }),
  })
  const page = await mountAt(CHAT)
  page.getByRole('region', { name: 'Agent session' })
  await page.router.push('/chat/session-2')
  await settle()
  expect(page.queryByRole('region', { name: 'Agent session' })).toBeNull()
  expect(page.queryByRole('article', { name: 'Agent' })).toBeNull()
  expect(area(page).placeholder).toBe('Ask something else')
  await page.router.push(CHAT)
  await settle()
  page.getByRole('button', { name: /My team$/ })
})

it('takes over what another tab did on coming back to it', async () => {
  let view = anAgentSession()
  world(null, { [list]: () => ({ items: [view] }) })
  const page = await mountAt(CHAT)
  view = { ...draftView(), last_event_id: 22 }
  window.dispatchEvent(new Event('focus'))
  await settle()
  page.getByRole('region', { name: 'Draft ticket' })
})

describe('rating how a session ended', () => {
  const rateLine = 'PUT /api/chat/messages/*/feedback'
  const line = (feedback: 'helpful' | null) =>
    anAnswer({
      id: 'line-1',
      seq: 3,
      kb_resolved: null,
      sources: [],
      reply_to: null,
      feedback,
      agent_summary: {
        agent_session_id: anAgentSession().session_id,
        kind: 'filed',
        linked_issue_url: null,
        ticket_id: null,
      },
    })

  it('is done under its line, with a reason', async () => {
    const server = world(ended(aFiledTurn({ chat_message_id: 'line-1' })), {
      [rateLine]: () => line('helpful'),
    })
    const page = await mountAt(CHAT)
    const bubble = within(page.getByRole('article', { name: 'Agent' }))
    bubble.getByRole('button', { name: 'Helpful' }).click()
    await settle()
    expect(server.to(rateLine)[0]?.path).toContain('line-1')
    bubble.getByRole('button', { name: 'Helpful', pressed: true })
    fireEvent.input(bubble.getByRole('textbox', { name: 'Why? (optional)' }), {
      target: { value: 'Quick' },
    })
    await settle()
    bubble.getByRole('button', { name: 'Send' }).click()
    await settle()
    expect(server.to(rateLine)[1]?.body).toEqual({ rating: 'helpful', comment: 'Quick' })
    expect(await findBarriers()).toEqual([])
  })

  it('is not asked while it goes on', async () => {
    world(anAgentSession())
    const page = await mountAt(CHAT)
    const bubble = within(page.getByRole('article', { name: 'Agent' }))
    expect(bubble.queryByRole('button', { name: 'Helpful' })).toBeNull()
  })
})

describe('telemetry', () => {
  const told = 'POST /api/telemetry'
  const leave = async () => {
    window.dispatchEvent(new Event('pagehide'))
    await settle()
  }

  it('names what was pressed and how it went, and holds no text', async () => {
    const stop = startTelemetry()
    const server = world(anAgentSession(), {
      [told]: () => ({ is_wanted: true }),
      [resume]: () => refusal(503, 'kill_switch_on'),
    })
    const page = await mountAt(CHAT)
    const [choice] = anAgentSession().turn?.choices ?? []
    page.getByRole('button', { name: choice }).click()
    await settle()
    page.getByRole('button', { name: 'Cancel session' }).click()
    await settle()
    await leave()
    stop()
    expect(server.to(told).flatMap(({ body }) => (body as { events: unknown[] }).events)).toEqual([
      { name: 'agent.chip_clicked', chip_kind: 'quick_reply', position: 1 },
      { name: 'agent.resumed_via', via: 'chip' },
      { name: 'agent.error_shown', kind: 'unavailable' },
      { name: 'agent.cancel_clicked', from_state: 'awaiting_user' },
    ])
  })

  it('tells a window that was left from one that was decided in', async () => {
    const stop = startTelemetry()
    const server = world(draftView(), {
      [told]: () => ({ is_wanted: true }),
      [confirm]: () => aFiledTurn(),
    })
    const page = await mountAt(CHAT)
    const review = () => page.getByRole('button', { name: 'Review and file' })
    review().click()
    await settle()
    page.getByRole('button', { name: 'Not now' }).click()
    await settle()
    review().click()
    await settle()
    page.getByRole('button', { name: 'File it' }).click()
    await settle()
    await leave()
    stop()
    const names = server
      .to(told)
      .flatMap(({ body }) => (body as { events: { name: string }[] }).events)
      .map(({ name }) => name)
    expect(names).toEqual([
      'agent.modal_opened',
      'agent.modal_cancelled',
      'agent.modal_opened',
      'agent.modal_submitted',
    ])
  })
})
