import { createPinia, setActivePinia } from 'pinia'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { AgentSession } from '@/api/types'
import { aDraft, aDraftTurn, aFiledTurn, anAgentSession, aStep, aTurn } from '@/testing/builders'
import { fakeServer, networkDown, openStream, refusal } from '@/testing/fakeServer'
import { readReply } from './agentOutbox'
import { editedDraftOf, hasReplacedEdits } from './agentProgress'
import { readStart, writeStart } from './agentStart'
import { useDrafts } from './drafts'
import { useHelpdeskSession } from './helpdeskSession'

const CHAT = 'session-1'
const AGENT = '/api/helpdesk/agent'
const start = `POST ${AGENT}/start`
const resume = `POST ${AGENT}/resume`
const confirm = `POST ${AGENT}/confirm`
const list = `GET ${AGENT}/sessions`
const one = `GET ${AGENT}/sessions/*`
const events = `GET ${AGENT}/sessions/*/events`
const messages = { 'GET /api/chat/sessions/*/messages': () => ({ items: [], has_earlier: false }) }

const running = (over: Partial<AgentSession> = {}) =>
  anAgentSession({ status: 'running', turn: null, steps: [], last_event_id: 0, ...over })
const sessions = (...items: AgentSession[]) => ({ items })

/** Lets streams be read and waits pass. */
const pass = (ms = 0) => vi.advanceTimersByTimeAsync(ms)

beforeEach(() => {
  setActivePinia(createPinia())
  vi.useFakeTimers({ now: Date.parse('2026-11-30T10:02:00Z') })
})
afterEach(() => vi.useRealTimers())

/** A chat with one session as the server has it. */
async function opened(view: AgentSession, handlers: Parameters<typeof fakeServer>[0] = {}) {
  const server = fakeServer({ ...messages, [list]: () => sessions(view), ...handlers })
  const store = useHelpdeskSession()
  await store.load(CHAT)
  const session = store.current(CHAT)
  if (!session) throw new Error('no session')
  return { server, store, session }
}

describe('starting', () => {
  it('shows each step as it comes, and the question it ends in', async () => {
    const line = openStream()
    fakeServer({ ...messages, [start]: () => line.response, [one]: () => anAgentSession() })
    const store = useHelpdeskSession()
    const started = store.start(CHAT)
    const session = () => store.current(CHAT)
    expect(session()).toMatchObject({ status: 'starting', sessionId: null })

    line.send('session', running())
    line.send('step', aStep({ status: 'running', duration_ms: null }), 1)
    await pass()
    expect(session()).toMatchObject({ status: 'running', sessionId: 'agent-1', lastEventId: 1 })
    expect(session()?.steps.map(({ status }) => status)).toEqual(['running'])

    line.send('step', aStep(), 2)
    line.send('turn', aTurn(), 3)
    await pass()
    await started
    expect(session()).toMatchObject({ status: 'awaiting_user', pendingQuestionId: 'a1' })
    expect(readStart(CHAT)).toBeNull()
  })

  it('is repeated under the same key until the server confirms it', async () => {
    let attempts = 0
    const line = openStream()
    const server = fakeServer({
      ...messages,
      [one]: () => anAgentSession(),
      [start]: () => {
        attempts += 1
        return attempts < 3 ? networkDown() : line.response
      },
    })
    const store = useHelpdeskSession()
    const started = store.start(CHAT)
    await pass(500 + 1000)
    line.send('session', running())
    line.send('turn', aTurn(), 3)
    await pass()
    await started
    const keys = server.to(start).map((call) => call.headers.get('Idempotency-Key'))
    expect(keys).toHaveLength(3)
    expect(new Set(keys).size).toBe(1)
    expect(store.of(CHAT).sessions).toHaveLength(1)
  })

  it('that nobody answered is the same start at the next click, and after a reload', async () => {
    const server = fakeServer({ ...messages, [start]: networkDown, [list]: () => sessions() })
    const store = useHelpdeskSession()
    const failed = expect(store.start(CHAT)).rejects.toMatchObject({ code: 'unreachable' })
    await pass(60_000)
    await failed
    expect(store.of(CHAT).sessions).toEqual([])

    setActivePinia(createPinia())
    const reloaded = useHelpdeskSession()
    const loaded = reloaded.load(CHAT)
    await pass(60_000)
    await loaded
    const keys = server.to(start).map((call) => call.headers.get('Idempotency-Key'))
    expect(new Set(keys).size).toBe(1)
    expect(keys.length).toBeGreaterThan(7)
  })

  it('is not repeated after a reload where the server has the session', async () => {
    writeStart(CHAT, 'key-1')
    const { server } = await opened(anAgentSession())
    expect(server.to(start)).toEqual([])
  })

  it('in a chat with an open session shows that one', async () => {
    fakeServer({
      ...messages,
      [start]: () => refusal(409, 'session_open'),
      [list]: () => sessions(anAgentSession()),
    })
    const store = useHelpdeskSession()
    await expect(store.start(CHAT)).rejects.toMatchObject({ code: 'session_open' })
    expect(store.of(CHAT).sessions.map(({ sessionId }) => sessionId)).toEqual(['agent-1'])
  })

  it('twice is one session', async () => {
    const line = openStream()
    const server = fakeServer({ ...messages, [start]: () => line.response })
    const store = useHelpdeskSession()
    void store.start(CHAT)
    void store.start(CHAT)
    await pass()
    expect(server.to(start)).toHaveLength(1)
  })

  it('that is refused leaves nothing behind', async () => {
    fakeServer({ [start]: () => refusal(429, 'daily_cap_reached', { 'Retry-After': '60' }) })
    const store = useHelpdeskSession()
    await expect(store.start(CHAT)).rejects.toMatchObject({ retryAfterSeconds: 60 })
    expect(store.of(CHAT).sessions).toEqual([])
    expect(readStart(CHAT)).toBeNull()
  })
})

describe('a dropped stream', () => {
  it('is followed from the last event, and steps seen before come once', async () => {
    const first = openStream()
    const second = openStream()
    const server = fakeServer({
      ...messages,
      [start]: () => first.response,
      [events]: () => second.response,
      [one]: () => anAgentSession(),
    })
    const store = useHelpdeskSession()
    const started = store.start(CHAT)
    first.send('session', running())
    first.send('step', aStep(), 4)
    await pass()
    first.breakOff()
    await pass()
    expect(store.current(CHAT)).toMatchObject({ status: 'running', isReconnecting: true })

    await pass(500)
    expect(server.to(events)[0]?.headers.get('Last-Event-ID')).toBe('4')
    second.send('step', aStep({ seq: 1, status: 'running' }), 3)
    second.send('turn', aTurn(), 5)
    await pass()
    await started
    expect(store.current(CHAT)).toMatchObject({ status: 'awaiting_user', isReconnecting: false })
    expect(store.current(CHAT)?.steps.find(({ seq }) => seq === 1)?.status).toBe('ok')
    expect(server.to(start)).toHaveLength(1)
  })

  it('whose run is over by then takes over the session', async () => {
    const first = openStream()
    fakeServer({
      ...messages,
      [start]: () => first.response,
      [events]: () => undefined,
      [one]: () => anAgentSession({ facts: [{ key: 'app', value: 'Oracle' }] }),
    })
    const store = useHelpdeskSession()
    const started = store.start(CHAT)
    first.send('session', running())
    await pass()
    first.end()
    await pass(600)
    await started
    expect(store.current(CHAT)).toMatchObject({
      status: 'awaiting_user',
      facts: [{ key: 'app', value: 'Oracle' }],
    })
  })

  it('is given up after a while, and found again on coming back', async () => {
    let isUp = false
    const first = openStream()
    fakeServer({
      ...messages,
      [start]: () => first.response,
      [events]: networkDown,
      [one]: () => (isUp ? anAgentSession() : networkDown()),
      [list]: () => sessions(anAgentSession()),
    })
    const store = useHelpdeskSession()
    const started = store.start(CHAT)
    first.send('session', running())
    await pass()
    first.breakOff()
    await pass(60_000)
    await started
    expect(store.current(CHAT)?.status).toBe('lost')
    isUp = true
    await store.load(CHAT)
    expect(store.current(CHAT)?.status).toBe('awaiting_user')
  })
})

describe('a reload', () => {
  it.each([
    ['a question', anAgentSession(), 'awaiting_user', 'a1'],
    [
      'a draft',
      anAgentSession({ status: 'awaiting_confirm', turn: aDraftTurn() }),
      'awaiting_confirm',
      'b2',
    ],
    [
      'an end',
      anAgentSession({ status: 'ended', outcome: 'filed', turn: aFiledTurn() }),
      'ended',
      null,
    ],
  ] as const)('finds %s again', async (_, view, status, pendingQuestionId) => {
    const { session } = await opened(view)
    expect(session).toMatchObject({ status, pendingQuestionId, currentTurn: view.turn })
  })

  it('goes on listening where the agent works', async () => {
    const line = openStream()
    const { server, session } = await opened(running({ last_event_id: 7 }), {
      [events]: () => line.response,
      [one]: () => anAgentSession({ last_event_id: 9 }),
    })
    expect(server.to(events)[0]?.headers.get('Last-Event-ID')).toBe('7')
    line.send('step', aStep(), 8)
    line.send('turn', aTurn(), 9)
    await pass()
    expect(session.status).toBe('awaiting_user')
  })

  it('that cannot load them says so and leaves the chat usable', async () => {
    fakeServer({ [list]: networkDown })
    const store = useHelpdeskSession()
    await store.load(CHAT)
    expect(store.of(CHAT)).toMatchObject({ isLoaded: true, sessions: [] })
    expect(store.of(CHAT).error?.code).toBe('unreachable')
  })
})

describe('answering', () => {
  it('carries the question, shows the answer at once, and what came of it', async () => {
    const line = openStream()
    const { server, store, session } = await opened(anAgentSession(), {
      [resume]: () => line.response,
      [one]: () =>
        anAgentSession({
          status: 'awaiting_confirm',
          turn: aDraftTurn(),
          exchanges: [{ question: 'Only you, or others as well?', reply: 'My team' }],
          last_event_id: 12,
        }),
    })
    const answered = store.resume(CHAT, { choice: 'My team' })
    expect(session).toMatchObject({
      status: 'running',
      exchanges: [{ reply: 'My team' }],
      offered: [['Just me', 'My team']],
    })
    line.send('session', running({ exchanges: [], last_event_id: 10 }))
    await pass()
    expect(session.exchanges).toHaveLength(1)
    line.send('turn', aDraftTurn(), 12)
    await pass()
    await answered
    expect(session.status).toBe('awaiting_confirm')
    expect(server.to(resume)[0]?.body).toEqual({
      session_id: 'agent-1',
      pending_question_id: 'a1',
      choice: 'My team',
    })
  })

  it('what another tab has answered shows how it stands', async () => {
    const { store, session } = await opened(anAgentSession(), {
      [resume]: () => refusal(409, 'stale_question'),
      [one]: () =>
        anAgentSession({ status: 'awaiting_confirm', turn: aDraftTurn(), last_event_id: 14 }),
    })
    await expect(store.resume(CHAT, { reply: 'Us all' })).rejects.toMatchObject({
      code: 'stale_question',
    })
    expect(session).toMatchObject({ status: 'awaiting_confirm', exchanges: [] })
  })

  it('that got lost on the way is taken back', async () => {
    const { store, session } = await opened(anAgentSession(), {
      [resume]: networkDown,
      [one]: networkDown,
    })
    const failed = expect(store.resume(CHAT, { reply: 'Us all' })).rejects.toMatchObject({
      code: 'unreachable',
    })
    await pass(60_000)
    await failed
    expect(session).toMatchObject({ status: 'awaiting_user', exchanges: [] })
  })

  it('twice sends once', async () => {
    const line = openStream()
    const { server, store } = await opened(anAgentSession(), { [resume]: () => line.response })
    void store.resume(CHAT, { choice: 'Just me' })
    void store.resume(CHAT, { choice: 'Just me' })
    await pass()
    expect(server.to(resume)).toHaveLength(1)
  })
})

describe('an answer on its way', () => {
  const reply = { reply: 'Us all' }
  const composer = () => useDrafts().read(CHAT)
  const reload = () => setActivePinia(createPinia())
  /** An answer of which nothing comes back. */
  async function onItsWay(view = anAgentSession()) {
    const line = openStream()
    const there = await opened(view, { [resume]: () => line.response })
    const answered = there.store.resume(CHAT, reply)
    await pass()
    return { ...there, line, answered }
  }

  it('is not sent until the server says something to it', async () => {
    const { session, line } = await onItsWay()
    expect(session).toMatchObject({ status: 'running', isSending: true })
    expect(readReply(CHAT)).toEqual({ questionId: 'a1', text: 'Us all' })
    line.send('session', running({ last_event_id: 10 }))
    await pass()
    expect(session).toMatchObject({ status: 'running', isSending: false })
    expect(readReply(CHAT)).toBeNull()
  })

  it('is sent by a stored answer, too', async () => {
    const { store, session } = await opened(anAgentSession(), {
      [resume]: () => aDraftTurn(),
      [one]: () => anAgentSession({ status: 'awaiting_confirm', turn: aDraftTurn() }),
    })
    await store.resume(CHAT, reply)
    expect(session).toMatchObject({ status: 'awaiting_confirm', isSending: false })
    expect(readReply(CHAT)).toBeNull()
  })

  it('stays so when the page is come back to', async () => {
    const { store, session } = await onItsWay()
    await store.load(CHAT)
    expect(session).toMatchObject({ status: 'running', isSending: true })
    expect(composer()).toBe('')
  })

  it.each([
    ['an answer', anAgentSession()],
    ['a detail', anAgentSession({ status: 'awaiting_confirm', turn: aDraftTurn() })],
  ])('as %s is in the composer after a reload, once', async (_, view) => {
    await onItsWay(view)
    reload()
    await opened(view)
    expect(composer()).toBe('Us all')
    await useHelpdeskSession().load(CHAT)
    expect(composer()).toBe('Us all')
  })

  it('that arrived all the same is not', async () => {
    await onItsWay()
    reload()
    const line = openStream()
    const { session } = await opened(running(), {
      [events]: () => line.response,
      [one]: () =>
        anAgentSession({
          status: 'awaiting_confirm',
          turn: aDraftTurn(),
          exchanges: [{ question: 'Only you, or others as well?', reply: 'Us all' }],
          last_event_id: 12,
        }),
    })
    expect(readReply(CHAT)).not.toBeNull()
    line.send('turn', aDraftTurn(), 12)
    await pass()
    expect(session.status).toBe('awaiting_confirm')
    expect(readReply(CHAT)).toBeNull()
    expect(composer()).toBe('')
  })

  it('that another answer came before is in the composer after a reload', async () => {
    await onItsWay()
    reload()
    const exchanges = [{ question: 'Only you, or others as well?', reply: 'Just me' }]
    await opened(anAgentSession({ status: 'awaiting_confirm', turn: aDraftTurn(), exchanges }))
    expect(composer()).toBe('Us all')
  })

  it('is taken back when the session is cancelled first', async () => {
    const ended = aTurn({ kind: 'aborted', reason: 'user', pending_question_id: null })
    const { store, session } = await opened(anAgentSession(), {
      [resume]: networkDown,
      [`POST ${AGENT}/abort`]: () => ({ ok: true, turn: ended }),
      [one]: () => anAgentSession({ status: 'ended', turn: ended, last_event_id: 11 }),
    })
    const failed = expect(store.resume(CHAT, reply)).rejects.toMatchObject({
      code: 'session_cancelled',
    })
    await pass()
    await store.abort(CHAT)
    await pass(1_000)
    await failed
    expect(session).toMatchObject({ status: 'ended', exchanges: [], isSending: false })
  })

  it('is forgotten on signing out', async () => {
    const { store, line, answered } = await onItsWay()
    store.reset()
    line.breakOff()
    await answered
    expect(readReply(CHAT)).toBeNull()
    expect(store.of(CHAT).sessions).toEqual([])
  })
})

describe('changes to a draft', () => {
  const draftView = anAgentSession({ status: 'awaiting_confirm', turn: aDraftTurn() })
  const redraft = anAgentSession({
    status: 'awaiting_confirm',
    turn: aDraftTurn({ pending_question_id: 'c3', draft_digest: 'd9' }),
    last_event_id: 20,
  })
  const mine = aDraft({ title: 'Mine' })

  it('are there after a reload', async () => {
    const { store, session } = await opened(draftView)
    store.keepEdits(session, mine)
    setActivePinia(createPinia())
    const again = await opened(draftView)
    expect(editedDraftOf(again.session)).toEqual(mine)
    expect(hasReplacedEdits(again.session)).toBe(false)
  })

  it('are known to be replaced by the next draft, also after a reload', async () => {
    const line = openStream()
    const { store, session } = await opened(draftView, {
      [resume]: () => line.response,
      [one]: () => redraft,
    })
    store.keepEdits(session, mine)
    const added = store.resume(CHAT, { reply: 'Since Sunday' })
    line.send('session', running({ last_event_id: 10 }))
    line.send('turn', redraft.turn, 20)
    await pass()
    await added
    expect(editedDraftOf(session)).toBeNull()
    expect(hasReplacedEdits(session)).toBe(true)

    setActivePinia(createPinia())
    const again = await opened(redraft)
    expect(hasReplacedEdits(again.session)).toBe(true)
    again.store.keepEdits(again.session, mine)
    expect(hasReplacedEdits(again.session)).toBe(false)
  })

  it('are not seen by the next person at this tab', async () => {
    useDrafts().claimFor('user-1')
    const { store, session } = await opened(draftView)
    store.keepEdits(session, mine)
    setActivePinia(createPinia())
    useDrafts().claimFor('user-2')
    expect(editedDraftOf((await opened(draftView)).session)).toBeNull()
  })
})

describe('confirming', () => {
  const draftView = anAgentSession({ status: 'awaiting_confirm', turn: aDraftTurn() })

  it('carries exactly the draft and its digest', async () => {
    const line = openStream()
    const { server, store, session } = await opened(draftView, {
      [confirm]: () => line.response,
      [one]: () => anAgentSession({ status: 'ended', turn: aFiledTurn(), last_event_id: 20 }),
    })
    const filed = store.confirm(CHAT, { draft: aDraft(), draft_digest: 'd1' })
    expect(session.status).toBe('confirming')
    line.send('session', running({ turn: aDraftTurn(), last_event_id: 10 }))
    await pass()
    expect(session.status).toBe('confirming')
    line.send('turn', aFiledTurn(), 20)
    await pass()
    await filed
    expect(session.status).toBe('ended')
    expect(server.to(confirm)[0]?.body).toEqual({
      session_id: 'agent-1',
      pending_question_id: 'b2',
      draft: aDraft(),
      draft_digest: 'd1',
    })
  })

  it('that is refused leaves the draft waiting', async () => {
    const { store, session } = await opened(draftView, {
      [confirm]: () => refusal(409, 'draft_changed'),
      [one]: () => draftView,
    })
    const decision = { draft: aDraft(), draft_digest: 'd1' }
    await expect(store.confirm(CHAT, decision)).rejects.toMatchObject({ code: 'draft_changed' })
    expect(session.status).toBe('awaiting_confirm')
  })
})

it('cancelling ends the session and stops listening', async () => {
  const line = openStream()
  const ended = aTurn({ kind: 'aborted', reason: 'user', pending_question_id: null })
  const { store, session } = await opened(running(), {
    [events]: () => line.response,
    [`POST ${AGENT}/abort`]: () => ({ ok: true, turn: ended }),
    [one]: () => anAgentSession({ status: 'ended', turn: ended, last_event_id: 11 }),
  })
  await store.abort(CHAT)
  line.send('step', aStep({ seq: 9 }), 50)
  await pass()
  expect(session).toMatchObject({ status: 'ended', currentTurn: { reason: 'user' } })
  expect(session.steps.map(({ seq }) => seq)).not.toContain(9)
})

it('nothing of one chat shows in another, whose session goes on meanwhile', async () => {
  const line = openStream()
  const { store, session } = await opened(running(), {
    [list]: ({ query }) =>
      query.get('chat_session_id') === CHAT ? sessions(running()) : sessions(),
    [events]: () => line.response,
    [one]: () => anAgentSession(),
  })
  await store.load('session-2')
  expect(store.current('session-2')).toBeNull()
  line.send('turn', aTurn(), 9)
  await pass()
  expect(session.status).toBe('awaiting_user')
  expect(store.current('session-2')).toBeNull()
})

it('signing out forgets all, also what is on its way', async () => {
  const line = openStream()
  const { store } = await opened(running(), { [events]: () => line.response })
  writeStart(CHAT, 'key-1')
  store.reset()
  line.send('turn', aTurn(), 9)
  await pass()
  expect(store.of(CHAT).sessions).toEqual([])
  expect(readStart(CHAT)).toBeNull()
})
