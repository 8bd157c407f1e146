import { describe, expect, it } from 'vitest'
import { streamCut, unreachable } from '@/api/errors'
import { applyEvent, breakOff, startExchange } from '@/stores/exchange'
import { anAnswer, aQuestion } from '@/testing/builders'
import { buildEntries } from './logEntries'

const kinds = (...given: Parameters<typeof buildEntries>) =>
  buildEntries(...given).map((entry) => entry.kind)
const sending = () => startExchange('key-1', 'Why?')
const answering = () => applyEvent(sending(), { id: 1, type: 'question', message: aQuestion() })

describe('the log', () => {
  it('separates days', () => {
    const later = { created_at: '2026-12-02T10:00:00Z' }
    const messages = [
      aQuestion(),
      anAnswer(),
      aQuestion({ id: 'question-2', seq: 3, ...later }),
      anAnswer({ id: 'answer-2', seq: 4, reply_to: 'question-2', ...later }),
    ]
    expect(kinds(messages, null, false)).toEqual([
      'day',
      'question',
      'answer',
      'day',
      'question',
      'answer',
    ])
  })

  it('shows an own message at once, and its answer in one place from the first word on', () => {
    expect(kinds([], sending(), false)).toEqual(['question', 'arriving'])
    const arriving = buildEntries([], answering(), false).at(-1)
    const stored = buildEntries([aQuestion(), anAnswer()], null, false).at(-1)
    expect(arriving?.kind).toBe('arriving')
    expect(arriving?.key).toBe(stored?.key)
  })

  it('keeps a message that was not sent', () => {
    expect(buildEntries([], breakOff(sending(), unreachable()), false)).toMatchObject([
      { kind: 'question', isUnsent: true, text: 'Why?' },
    ])
  })

  it('shows what has arrived of an answer whose stream broke off', () => {
    const lost = breakOff(answering(), streamCut())
    expect(buildEntries([aQuestion()], lost, true).at(-1)).toMatchObject({
      kind: 'arriving',
      isLost: true,
    })
    expect(kinds([aQuestion()], lost, true)).not.toContain('unanswered')
  })
})

describe('a question without an answer', () => {
  const open = (...given: Parameters<typeof buildEntries>) =>
    buildEntries(...given).filter((entry) => entry.kind === 'unanswered')

  it('is waited for, then missing, and can be asked again', () => {
    expect(open([aQuestion()], null, true)).toMatchObject([{ state: 'awaited' }])
    expect(open([aQuestion()], null, false)).toMatchObject([
      { state: 'missing', canAskAgain: true },
    ])
  })

  it('says why when the server gave up', () => {
    const error = unreachable()
    const failed = applyEvent(answering(), { id: 2, type: 'error', error })
    expect(open([aQuestion()], failed, false)).toMatchObject([
      { state: 'failed', canAskAgain: true },
    ])
  })

  it('further up stays as it is', () => {
    const messages = [
      aQuestion(),
      aQuestion({ id: 'question-2', seq: 2 }),
      anAnswer({ seq: 3, reply_to: 'question-2' }),
    ]
    expect(open(messages, null, false)).toMatchObject([{ state: 'missing', canAskAgain: false }])
  })

  it('cannot be asked again while another message is on its way', () => {
    expect(open([aQuestion()], sending(), false)).toMatchObject([{ canAskAgain: false }])
  })
})
