import { fireEvent, within } from '@testing-library/dom'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { anAnswer, anArticle, aQuestion, aSession, aWelcome, signedIn } from '@/testing/builders'
import { fakeServer, networkDown, refusal, streamReply } from '@/testing/fakeServer'
import { findBarriers, mountAt, settle } from '@/testing/mountApp'

const ID = 'session-1'
const list = 'GET /api/chat/sessions'
const messages = 'GET /api/chat/sessions/*/messages'
const post = 'POST /api/chat/sessions/*/messages'
const welcome = 'GET /api/chat/welcome'

const standard = {
  'GET /api/auth/me': () => signedIn(),
  [list]: () => ({ items: [aSession()], next_before: null }),
  'GET /api/chat/sessions/*': () => aSession(),
  [messages]: () => ({ items: [aQuestion(), anAnswer()], has_earlier: false }),
  [welcome]: () => aWelcome(),
  'GET /api/knowledge/articles/*': () => anArticle(),
}
const answered = () =>
  streamReply([
    ['question', aQuestion()],
    ['delta', { text: 'The lease' }],
    ['answer', anAnswer()],
  ])

beforeEach(() => {
  // A wide window: the list and the source have columns of their own.
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

type Page = Awaited<ReturnType<typeof mountAt>>
async function write(page: Page, text: string) {
  const area = page.getByRole('textbox', { name: 'Message' })
  fireEvent.input(area, { target: { value: text } })
  await settle()
  fireEvent.keyDown(area, { key: 'Enter' })
  await settle()
}

describe('a new conversation', () => {
  it('says what one can do, and has no barriers', async () => {
    fakeServer(standard)
    const page = await mountAt('/chat')
    page.getByRole('heading', { name: 'What can we help with?' })
    page.getByText(/Answers from the knowledge base, with sources/)
    expect(await findBarriers()).toEqual([])
  })

  it('is created by its first question, in the mode chosen here', async () => {
    const server = fakeServer({
      ...standard,
      'POST /api/chat/sessions': () => aSession({ mode: 'ask', title: '' }),
      [post]: answered,
    })
    const page = await mountAt('/chat')
    page.getByRole('button', { name: 'Ask' }).click()
    await settle()
    expect(server.to('PATCH /api/chat/sessions/*')).toEqual([])
    page.getByRole('button', { name: 'Why does the VPN drop?' }).click()
    await settle()
    expect(server.to('POST /api/chat/sessions')[0]?.body).toEqual({ mode: 'ask' })
    expect(page.router.currentRoute.value.params.chatId).toBe(ID)
    page.getByRole('button', { name: 'Source 1: VPN leases' })
  })

  it.each([
    ['set at the server', () => aWelcome({ mode: 'ask' }), { mode: 'ask' }],
    ['the server chooses when this page does not know it', networkDown, {}],
  ])('starts in the mode %s', async (_, reply, expected) => {
    const server = fakeServer({
      ...standard,
      [welcome]: reply,
      'POST /api/chat/sessions': () => aSession({ mode: 'ask', title: '' }),
      'GET /api/chat/sessions/*': () => aSession({ mode: 'ask' }),
      [post]: answered,
    })
    const page = await mountAt('/chat')
    const pressed = page.queryAllByRole('button', { pressed: true }).map((one) => one.textContent)
    expect(pressed.map((text) => text?.trim())).toEqual('mode' in expected ? ['Ask'] : [])
    await write(page, 'Why?')
    expect(server.to('POST /api/chat/sessions')[0]?.body).toEqual(expected)
    page.getByRole('button', { name: 'Ask', pressed: true })
  })

  it('keeps the question when it cannot be created', async () => {
    let isUp = false
    fakeServer({
      ...standard,
      'POST /api/chat/sessions': () => (isUp ? aSession() : networkDown()),
      [post]: answered,
    })
    const page = await mountAt('/chat')
    await write(page, 'Why?')
    page.getByText(/Not sent/)
    isUp = true
    page.getByRole('button', { name: 'Retry' }).click()
    await settle()
    expect(page.router.currentRoute.value.params.chatId).toBe(ID)
  })

  it.each([
    ['are absent', () => aWelcome({ questions: [] }), null],
    ['cannot be loaded', networkDown, 'This could not be loaded'],
  ])('works when the examples %s', async (_, reply, text) => {
    fakeServer({ ...standard, [welcome]: reply })
    const page = await mountAt('/chat')
    page.getByRole('textbox', { name: 'Message' })
    if (text) page.getByText(text)
    else expect(page.queryByText('For example')).toBeNull()
  })
})

describe('a conversation', () => {
  it('shows its messages in a log that is not read out, and has no barriers', async () => {
    fakeServer(standard)
    const page = await mountAt(`/chat/${ID}`)
    expect(page.getByRole('log', { name: 'Messages' }).getAttribute('aria-live')).toBe('off')
    page.getByRole('heading', { name: 'Conversation: VPN drops every hour' })
    expect(await findBarriers()).toEqual([])
  })

  it('answers a question and says once that it has', async () => {
    fakeServer({ ...standard, [post]: answered })
    const page = await mountAt(`/chat/${ID}`)
    await write(page, 'Why does the VPN drop?')
    const spoken = page.getAllByRole('status').map((element) => element.textContent)
    expect(spoken).toContain('Answer ready')
  })

  it('switches the mode at the server, also from an unresolved answer', async () => {
    let mode: 'ask' | 'agent' = 'ask'
    const server = fakeServer({
      ...standard,
      [list]: () => ({ items: [aSession({ mode })], next_before: null }),
      [messages]: () => ({
        items: [aQuestion(), anAnswer({ kb_resolved: false })],
        has_earlier: false,
      }),
      'PATCH /api/chat/sessions/*': ({ body }) => {
        mode = (body as { mode: 'ask' | 'agent' }).mode
        return aSession({ mode })
      },
    })
    const page = await mountAt(`/chat/${ID}`)
    page.getByRole('button', { name: 'Switch to Agent' }).click()
    await settle()
    expect(server.to('PATCH /api/chat/sessions/*')[0]?.body).toEqual({ mode: 'agent' })
    page.getByRole('button', { name: 'Get help' })
    page.getByRole('button', { name: 'Agent', pressed: true })
  })

  it('says when the mode could not be switched', async () => {
    fakeServer({ ...standard, 'PATCH /api/chat/sessions/*': networkDown })
    const page = await mountAt(`/chat/${ID}`)
    page.getByRole('button', { name: 'Ask' }).click()
    await settle()
    expect(page.getByRole('alert').textContent).toContain('The mode was not changed')
    page.getByRole('button', { name: 'Agent', pressed: true })
  })

  it('that does not exist says so', async () => {
    fakeServer({
      ...standard,
      'GET /api/chat/sessions/*': () => refusal(404, 'chat_session_not_found'),
      [messages]: () => refusal(404, 'chat_session_not_found'),
    })
    const page = await mountAt('/chat/unknown')
    page.getByText('This conversation does not exist')
    expect(page.queryByRole('textbox', { name: 'Message' })).toBeNull()
    const main = page.getByRole('main')
    within(main).getByRole('button', { name: 'New conversation' }).click()
    await settle()
    expect(document.activeElement).toBe(page.getByRole('textbox', { name: 'Message' }))
  })

  it('that cannot be loaded offers to try again', async () => {
    let isUp = false
    fakeServer({
      ...standard,
      [messages]: () =>
        isUp ? { items: [aQuestion(), anAnswer()], has_earlier: false } : networkDown(),
    })
    const page = await mountAt(`/chat/${ID}`)
    isUp = true
    page.getByRole('button', { name: 'Try again' }).click()
    await settle()
    page.getByText('Why does the VPN drop?')
  })

  it('without an answer says so, and asks again under a new key', async () => {
    const server = fakeServer({
      ...standard,
      [messages]: () => ({
        items: [aQuestion({ created_at: '2020-01-01T10:00:00Z' })],
        has_earlier: false,
      }),
      [post]: answered,
    })
    const page = await mountAt(`/chat/${ID}`)
    page.getByText('No answer was stored')
    page.getByRole('button', { name: 'Ask again' }).click()
    await settle()
    expect(server.to(post)[0]?.body).toEqual({ text: 'Why does the VPN drop?' })
  })

  it('keeps its own draft', async () => {
    fakeServer({ ...standard, 'GET /api/chat/sessions/*': () => aSession({ id: 'session-2' }) })
    const page = await mountAt(`/chat/${ID}`)
    const area = () => page.getByRole('textbox', { name: 'Message' }) as HTMLTextAreaElement
    fireEvent.input(area(), { target: { value: 'half a thought' } })
    await page.router.push('/chat/session-2')
    await settle()
    expect(area().value).toBe('')
    await page.router.push(`/chat/${ID}`)
    await settle()
    expect(area().value).toBe('half a thought')
  })

  it('whose session ends leads to signing in and back, with the text', async () => {
    fakeServer({
      ...standard,
      [post]: () => refusal(401, 'sign_in_required'),
      'POST /api/auth/login': () => signedIn(),
    })
    const page = await mountAt(`/chat/${ID}`)
    await write(page, 'Why?')
    expect(page.router.currentRoute.value).toMatchObject({
      name: 'login',
      query: { next: `/chat/${ID}` },
    })
    fireEvent.input(page.getByLabelText('User name'), { target: { value: 'maya' } })
    fireEvent.input(page.getByLabelText('Password'), { target: { value: 'secret' } })
    page.getByRole('button', { name: 'Sign in' }).click()
    await settle()
    expect(page.router.currentRoute.value.path).toBe(`/chat/${ID}`)
    expect((page.getByRole('textbox', { name: 'Message' }) as HTMLTextAreaElement).value).toBe(
      'Why?',
    )
  })
})

it('shows nothing of one person to the next one at the same tab', async () => {
  fakeServer({
    ...standard,
    [post]: () => refusal(401, 'sign_in_required'),
    'POST /api/auth/login': () => signedIn({ user: { ...signedIn().user, id: 'user-2' } }),
  })
  const page = await mountAt(`/chat/${ID}`)
  await write(page, 'A secret of the first')
  fakeServer({
    'POST /api/auth/login': () => signedIn({ user: { ...signedIn().user, id: 'user-2' } }),
    [list]: () => ({ items: [], next_before: null }),
    'GET /api/chat/sessions/*': () => refusal(404, 'chat_session_not_found'),
    [messages]: () => refusal(404, 'chat_session_not_found'),
  })
  fireEvent.input(page.getByLabelText('User name'), { target: { value: 'ben' } })
  fireEvent.input(page.getByLabelText('Password'), { target: { value: 'secret' } })
  page.getByRole('button', { name: 'Sign in' }).click()
  await settle()
  page.getByText('This conversation does not exist')
  expect(document.body.textContent).not.toContain('VPN')
  expect(JSON.stringify({ ...sessionStorage })).not.toContain('secret')
})

describe('a source', () => {
  it('opens beside the chat with its passage marked, and closes with Escape', async () => {
    fakeServer(standard)
    const page = await mountAt(`/chat/${ID}`)
    page.getByRole('button', { name: 'Source 1: VPN leases' }).click()
    await settle()
    const aside = page.getByRole('complementary', { name: 'Source' })
    expect(aside.querySelector('mark')?.textContent).toBe('The lease ends every hour.')
    expect(page.router.currentRoute.value.query).toEqual({
      article: 'article-1',
      start: '11',
      end: '37',
    })
    expect(await findBarriers()).toEqual([])
    fireEvent.keyDown(window, { key: 'Escape' })
    await settle()
    expect(page.queryByRole('complementary', { name: 'Source' })).toBeNull()
  })

  it('has a page of its own', async () => {
    fakeServer(standard)
    const page = await mountAt('/articles/article-1?start=11&end=37')
    page.getByRole('heading', { level: 1, name: 'VPN leases' })
    expect(document.querySelector('mark')?.textContent).toBe('The lease ends every hour.')
    expect(await findBarriers()).toEqual([])
  })

  it.each([
    ['is gone', () => refusal(404, 'article_not_found'), 'This article is gone'],
    ['has an impossible id', () => refusal(422, 'invalid_request'), 'This article is gone'],
    ['cannot be loaded', networkDown, 'This could not be loaded'],
    ['is empty', () => anArticle({ body: '' }), 'This article has no text.'],
  ])('that %s says so', async (_, reply, expected) => {
    fakeServer({ ...standard, 'GET /api/knowledge/articles/*': reply })
    const page = await mountAt('/articles/article-1')
    page.getByText(expected)
  })
})

describe('the list of conversations', () => {
  it('marks the open one', async () => {
    fakeServer(standard)
    const page = await mountAt(`/chat/${ID}`)
    const row = page.getByRole('link', { name: /VPN drops every hour/ })
    expect(row.getAttribute('aria-current')).toBe('page')
  })

  it.each([
    ['is empty', () => ({ items: [], next_before: null }), 'No conversations yet'],
    ['cannot be loaded', networkDown, 'This could not be loaded'],
  ])('says when it %s', async (_, reply, expected) => {
    fakeServer({ ...standard, [list]: reply })
    const page = await mountAt('/chat')
    page.getByText(expected)
  })

  it('asks before deleting, then leaves the conversation that is gone', async () => {
    const server = fakeServer({ ...standard, 'DELETE /api/chat/sessions/*': () => undefined })
    const page = await mountAt(`/chat/${ID}`)
    page.getByRole('button', { name: 'Delete conversation “VPN drops every hour”' }).click()
    await settle()
    expect(server.to('DELETE /api/chat/sessions/*')).toEqual([])
    page.getByRole('alertdialog', { name: 'Delete this conversation?' })
    page.getByRole('button', { name: 'Delete' }).click()
    await settle()
    expect(server.to('DELETE /api/chat/sessions/*')).toHaveLength(1)
    expect(page.router.currentRoute.value.fullPath).toBe('/chat')
    page.getByText('No conversations yet')
  })
})

describe('keys', () => {
  it('C starts a new conversation and / goes to the composer', async () => {
    fakeServer(standard)
    const page = await mountAt(`/chat/${ID}`)
    fireEvent.keyDown(document.body, { key: 'c' })
    await settle()
    expect(page.router.currentRoute.value.fullPath).toBe('/chat')
    const area = page.getByRole('textbox', { name: 'Message' })
    expect(document.activeElement).toBe(area)
    area.blur()
    fireEvent.keyDown(document.body, { key: '/' })
    expect(document.activeElement).toBe(area)
  })

  it('? shows all of them', async () => {
    fakeServer(standard)
    const page = await mountAt('/chat')
    fireEvent.keyDown(document.body, { key: '?' })
    await settle()
    const dialog = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
    expect(await findBarriers(dialog)).toEqual([])
  })
})
