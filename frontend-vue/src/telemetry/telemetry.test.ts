import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { ApiError } from '@/api/errors'
import type { TelemetryEvent } from '@/api/types'
import { fakeServer, networkDown, refusal } from '@/testing/fakeServer'
import { startTelemetry, track, trackCancel, trackError } from '.'

const path = 'POST /api/telemetry'
const event: TelemetryEvent = { name: 'agent.modal_submitted' }
const leave = () => window.dispatchEvent(new Event('pagehide'))
let stop = () => {}

beforeEach(() => {
  vi.useFakeTimers()
  stop = startTelemetry()
})
afterEach(() => {
  stop()
  vi.useRealTimers()
})

/** Long enough for what waits to be sent, and for its answer. */
const pass = () => vi.advanceTimersByTimeAsync(5000)

describe('what happens in the page', () => {
  it('is told together, a little later, by a request that outlives the page', async () => {
    const server = fakeServer({ [path]: () => ({ is_wanted: true }) })
    track(event)
    trackCancel('awaiting_user')
    expect(server.calls).toHaveLength(0)
    await pass()
    expect(server.to(path).map(({ body }) => body)).toEqual([
      { events: [event, { name: 'agent.cancel_clicked', from_state: 'awaiting_user' }] },
    ])
  })

  it('is told at once when the page goes', async () => {
    const server = fakeServer({ [path]: () => ({ is_wanted: true }) })
    track(event)
    leave()
    await vi.advanceTimersByTimeAsync(0)
    expect(server.to(path)).toHaveLength(1)
    await pass()
    expect(server.to(path)).toHaveLength(1)
  })

  it('is told in batches that the server takes', async () => {
    const server = fakeServer({ [path]: () => ({ is_wanted: true }) })
    for (let count = 0; count < 45; count += 1) track(event)
    await pass()
    const sizes = server.to(path).map(({ body }) => (body as { events: unknown[] }).events.length)
    expect(sizes).toEqual([20, 20, 5])
  })

  it('is told no more when the server does not want it', async () => {
    const server = fakeServer({ [path]: () => ({ is_wanted: false }) })
    track(event)
    await pass()
    track(event)
    await pass()
    expect(server.to(path)).toHaveLength(1)
  })

  it.each([
    ['the server is away', networkDown],
    ['nobody is signed in', () => refusal(401, 'sign_in_required')],
    ['it was too often', () => refusal(429, 'telemetry_too_often')],
  ])('is dropped when %s, and what comes later is told', async (_, answer) => {
    let isFirst = true
    const server = fakeServer({
      [path]: () => {
        const reply = isFirst ? answer : () => ({ is_wanted: true })
        isFirst = false
        return reply()
      },
    })
    track(event)
    await pass()
    track(event)
    await pass()
    expect(server.to(path)).toHaveLength(2)
  })

  it('is not told before it is started or after it is stopped', async () => {
    const server = fakeServer({})
    track(event)
    stop()
    track(event)
    await pass()
    leave()
    expect(server.calls).toHaveLength(0)
  })
})

it.each([
  [0, 'unreachable'],
  [404, 'refused'],
  [409, 'conflict'],
  [410, 'expired'],
  [429, 'limit'],
  [500, 'fault'],
  [503, 'unavailable'],
  [200, 'other'],
])('tells of a problem with status %i only that it was of kind %s', async (status, kind) => {
  const server = fakeServer({ [path]: () => ({ is_wanted: true }) })
  trackError(new ApiError({ status, code: 'x', detail: 'what somebody wrote' }))
  await pass()
  expect(server.to(path)[0]?.body).toEqual({ events: [{ name: 'agent.error_shown', kind }] })
})
