import { describe, expect, it } from 'vitest'
import { anAnswer, aQuestion } from '@/testing/builders'
import { fakeServer, jsonReply, networkDown, refusal, streamReply } from '@/testing/fakeServer'
import { ask, type ExchangeEvent } from './chat'

const path = 'POST /api/chat/sessions/*/messages'

async function collect(): Promise<ExchangeEvent[]> {
  const events: ExchangeEvent[] = []
  for await (const event of ask('session-1', 'Why?', 'key-1')) events.push(event)
  return events
}

describe('asking', () => {
  it('sends the text under its key and yields what comes back', async () => {
    const server = fakeServer({
      [path]: () =>
        streamReply([
          ['question', aQuestion()],
          ['delta', { text: 'The ' }],
          ['something_new', { a: 1 }],
          ['delta', { text: 'lease' }],
          ['answer', anAnswer()],
        ]),
    })
    const events = await collect()
    expect(events.map(({ id, type }) => [id, type])).toEqual([
      [1, 'question'],
      [2, 'delta'],
      [4, 'delta'],
      [5, 'answer'],
    ])
    const [call] = server.calls
    expect(call?.body).toEqual({ text: 'Why?' })
    expect(call?.headers.get('Idempotency-Key')).toBe('key-1')
    expect(call?.headers.get('Accept')).toBe('text/event-stream')
  })

  it('takes a whole exchange as well', async () => {
    fakeServer({ [path]: () => jsonReply({ question: aQuestion(), answer: anAnswer() }, 201) })
    expect((await collect()).map((event) => event.type)).toEqual(['question', 'answer'])
  })

  it('ends with the error the server reports in the stream', async () => {
    fakeServer({
      [path]: () =>
        streamReply([
          ['question', aQuestion()],
          ['error', { error: 'internal', detail: 'Something went wrong on our side.' }],
        ]),
    })
    expect((await collect()).at(-1)).toMatchObject({ type: 'error', error: { code: 'internal' } })
  })

  it('fails when the stream breaks off', async () => {
    fakeServer({ [path]: () => streamReply([['question', aQuestion()]]) })
    await expect(collect()).rejects.toMatchObject({ code: 'stream_cut' })
  })

  it('fails with the refusal of the server', async () => {
    fakeServer({ [path]: () => refusal(429, 'too_many_messages', { 'Retry-After': '5' }) })
    await expect(collect()).rejects.toMatchObject({ status: 429, retryAfterSeconds: 5 })
  })

  it('fails when there is no network', async () => {
    fakeServer({ [path]: networkDown })
    await expect(collect()).rejects.toMatchObject({ code: 'unreachable' })
  })
})
