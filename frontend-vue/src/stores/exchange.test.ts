import { describe, expect, it } from 'vitest'
import type { ExchangeEvent } from '@/api/chat'
import { ApiError, streamCut } from '@/api/errors'
import { anAnswer, aQuestion } from '@/testing/builders'
import {
  applyEvent,
  breakOff,
  isBusy,
  mergeMessages,
  openQuestion,
  startExchange,
} from './exchange'

const events: ExchangeEvent[] = [
  { id: 1, type: 'question', message: aQuestion() },
  { id: 2, type: 'delta', text: 'The ' },
  { id: 3, type: 'delta', text: 'lease' },
  { id: 4, type: 'answer', message: anAnswer() },
]
const fresh = () => startExchange('key-1', 'Why does the VPN drop?')
const after = (list: ExchangeEvent[]) => list.reduce(applyEvent, fresh())

describe('an exchange', () => {
  it('goes from sending to answered', () => {
    const states = events.map((_, index) => after(events.slice(0, index + 1)).state)
    expect(states).toEqual(['answering', 'answering', 'answering', 'answered'])
    expect(after(events)).toMatchObject({ streamed: 'The lease', answer: { id: 'answer-1' } })
  })

  it('is the same when events arrive twice or too late', () => {
    for (let length = 0; length <= events.length; length += 1) {
      const prefix = events.slice(0, length)
      const expected = after(prefix)
      for (const repeated of prefix) {
        expect(applyEvent(expected, repeated)).toEqual(expected)
      }
      expect(after(prefix.flatMap((event) => [event, event]))).toEqual(expected)
    }
  })

  it('keeps a stored question when the answer fails', () => {
    const error = new ApiError({ status: 0, code: 'internal' })
    const failed = applyEvent(after(events.slice(0, 2)), { id: 9, type: 'error', error })
    expect(failed).toMatchObject({ state: 'failed', error, question: { id: 'question-1' } })
    expect(applyEvent(fresh(), { id: 1, type: 'error', error }).state).toBe('not_sent')
  })

  it('is lost once stored, and not sent before', () => {
    expect(breakOff(after(events.slice(0, 1)), streamCut()).state).toBe('lost')
    expect(breakOff(fresh(), streamCut()).state).toBe('not_sent')
  })

  it('is busy until it has ended one way or the other', () => {
    expect(isBusy(fresh())).toBe(true)
    expect(isBusy(after(events.slice(0, 2)))).toBe(true)
    expect(isBusy(after(events))).toBe(false)
    expect(isBusy(breakOff(fresh(), streamCut()))).toBe(false)
    expect(isBusy(null)).toBe(false)
  })
})

describe('messages', () => {
  it('stand in their order, each once, in the newest copy', () => {
    const rated = anAnswer({ feedback: 'helpful' })
    const merged = mergeMessages([anAnswer()], [rated, aQuestion()])
    expect(merged.map((message) => message.id)).toEqual(['question-1', 'answer-1'])
    expect(merged[1]?.feedback).toBe('helpful')
  })

  it('end in an open question if nothing answers the last one', () => {
    expect(openQuestion([aQuestion()])?.id).toBe('question-1')
    expect(openQuestion([aQuestion(), anAnswer()])).toBeNull()
    expect(openQuestion([])).toBeNull()
  })
})
