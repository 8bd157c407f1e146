import { createPinia, setActivePinia } from 'pinia'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { anAnswer, aQuestion } from '@/testing/builders'
import { fakeServer, networkDown, refusal, streamReply } from '@/testing/fakeServer'
import { useDrafts } from './drafts'
import { useMessageLogs } from './messageLogs'
import { readOutbox, writeOutbox } from './outbox'

const list = 'GET /api/chat/sessions/*/messages'
const post = 'POST /api/chat/sessions/*/messages'
const ID = 'session-1'
const page = (items: unknown[], has_earlier = false) => ({ items, has_earlier })
const answered = () =>
  streamReply([
    ['question', aQuestion()],
    ['answer', anAnswer()],
  ])

beforeEach(() => {
  setActivePinia(createPinia())
  vi.useFakeTimers({ now: Date.parse('2026-11-30T10:00:30Z') })
})
afterEach(() => vi.useRealTimers())

describe('sending', () => {
  it('stores question and answer and leaves nothing behind', async () => {
    fakeServer({ [post]: answered })
    const logs = useMessageLogs()
    await logs.send(ID, 'Why?')
    expect(logs.of(ID).messages.map((message) => message.role)).toEqual(['user', 'assistant'])
    expect(logs.of(ID).exchange).toBeNull()
    expect(readOutbox(ID)).toBeNull()
  })

  it('keeps a text that did not get through, and retries under the same key', async () => {
    let isUp = false
    const server = fakeServer({ [post]: () => (isUp ? answered() : networkDown()) })
    const logs = useMessageLogs()
    await logs.send(ID, 'Why?')
    expect(logs.of(ID).exchange).toMatchObject({ state: 'not_sent', text: 'Why?' })
    expect(readOutbox(ID)?.text).toBe('Why?')

    isUp = true
    await logs.retry(ID)
    expect(logs.of(ID).exchange).toBeNull()
    const keys = server.calls.map((call) => call.headers.get('Idempotency-Key'))
    expect(keys[0]).toBe(keys[1])
  })

  it('gives the text back to the composer when the session has ended', async () => {
    fakeServer({ [post]: () => refusal(401, 'sign_in_required') })
    useDrafts().write(ID, 'Typed since')
    await useMessageLogs().send(ID, 'Why?')
    expect(useDrafts().read(ID)).toBe('Why?\n\nTyped since')
    expect(useMessageLogs().of(ID).exchange).toBeNull()
  })

  it('looks for the stored answer when the stream breaks off', async () => {
    const server = fakeServer({
      [post]: () => streamReply([['question', aQuestion()]]),
      [list]: () => page(server.to(list).length < 3 ? [aQuestion()] : [aQuestion(), anAnswer()]),
    })
    const logs = useMessageLogs()
    const sent = logs.send(ID, 'Why?')
    await vi.advanceTimersByTimeAsync(100)
    expect(logs.of(ID).exchange?.state).toBe('lost')
    await vi.advanceTimersByTimeAsync(6_000)
    await sent
    expect(logs.of(ID).exchange).toBeNull()
    expect(logs.of(ID).messages.at(-1)?.id).toBe('answer-1')
  })

  it('shows a question whose answer failed as such', async () => {
    fakeServer({
      [post]: () =>
        streamReply([
          ['question', aQuestion()],
          ['error', { error: 'internal', detail: 'Our fault.' }],
        ]),
    })
    const logs = useMessageLogs()
    await logs.send(ID, 'Why?')
    expect(logs.of(ID).exchange?.state).toBe('failed')
    expect(logs.of(ID).messages).toHaveLength(1)
  })
})

describe('loading', () => {
  it('waits for the answer to a question asked moments ago', async () => {
    const server = fakeServer({
      [list]: () => page(server.to(list).length === 1 ? [aQuestion()] : [aQuestion(), anAnswer()]),
    })
    const logs = useMessageLogs()
    const loaded = logs.load(ID)
    await vi.advanceTimersByTimeAsync(10)
    expect(logs.of(ID).isAwaitingAnswer).toBe(true)
    await vi.advanceTimersByTimeAsync(3_000)
    await loaded
    expect(logs.of(ID)).toMatchObject({ isAwaitingAnswer: false, status: 'ready' })
    expect(logs.of(ID).messages).toHaveLength(2)
  })

  it('does not wait for an answer that can no longer come', async () => {
    vi.setSystemTime(Date.parse('2026-11-30T11:00:00Z'))
    fakeServer({ [list]: () => page([aQuestion()]) })
    await useMessageLogs().load(ID)
    expect(useMessageLogs().of(ID).isAwaitingAnswer).toBe(false)
  })

  it('shows a message again that was under way at a reload', async () => {
    writeOutbox(ID, { key: 'key-1', text: 'Another one' })
    fakeServer({ [list]: () => page([aQuestion(), anAnswer()]) })
    await useMessageLogs().load(ID)
    expect(useMessageLogs().of(ID).exchange).toMatchObject({ state: 'not_sent', key: 'key-1' })
  })

  it('forgets that message if the server has it after all', async () => {
    writeOutbox(ID, { key: 'key-1', text: aQuestion().content })
    fakeServer({ [list]: () => page([aQuestion(), anAnswer()]) })
    await useMessageLogs().load(ID)
    expect(useMessageLogs().of(ID).exchange).toBeNull()
    expect(readOutbox(ID)).toBeNull()
  })

  it('puts earlier pages in front', async () => {
    fakeServer({
      [list]: ({ query }) =>
        query.get('before_seq') === '3'
          ? page([aQuestion(), anAnswer()])
          : page(
              [aQuestion({ id: 'question-2', seq: 3 }), anAnswer({ id: 'answer-2', seq: 4 })],
              true,
            ),
    })
    const logs = useMessageLogs()
    await logs.load(ID)
    expect(logs.of(ID).hasEarlier).toBe(true)
    await logs.loadEarlier(ID)
    expect(logs.of(ID).messages.map((message) => message.seq)).toEqual([1, 2, 3, 4])
    expect(logs.of(ID).hasEarlier).toBe(false)
  })

  it('keeps what is shown when a second load fails', async () => {
    let isUp = true
    fakeServer({ [list]: () => (isUp ? page([aQuestion(), anAnswer()]) : networkDown()) })
    const logs = useMessageLogs()
    await logs.load(ID)
    isUp = false
    await logs.load(ID)
    expect(logs.of(ID)).toMatchObject({ status: 'ready', error: { code: 'unreachable' } })
    expect(logs.of(ID).messages).toHaveLength(2)
  })
})

it('replaces a message by its rated copy', async () => {
  const server = fakeServer({
    [list]: () => page([aQuestion(), anAnswer()]),
    'PUT /api/chat/messages/*/feedback': () => anAnswer({ feedback: 'helpful' }),
  })
  const logs = useMessageLogs()
  await logs.load(ID)
  await logs.rate(ID, 'answer-1', 'helpful')
  expect(logs.of(ID).messages[1]?.feedback).toBe('helpful')
  expect(server.to('PUT /api/chat/messages/*/feedback')[0]?.body).toEqual({ rating: 'helpful' })
})
