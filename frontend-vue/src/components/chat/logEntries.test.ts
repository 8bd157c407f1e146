import { describe, expect, it } from 'vitest'
import { streamCut, unreachable } from '@/api/errors'
import { applyEvent, breakOff, startExchange } from '@/stores/exchange'
import { applyView, newProgress } from '@/stores/agentProgress'
import { anAgentSession, anAnswer, aQuestion } from '@/testing/builders'
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

  it('shows news of a ticket by itself, and takes it for no answer', () => {
    const notice = anAnswer({
      id: 'notice-1',
      seq: 2,
      reply_to: null,
      notice: { kind: 'issue_closed', ticket_id: 'ticket-12', ticket_number: 12, issue_number: 7 },
    })
    expect(kinds([aQuestion(), notice], null, true)).toEqual([
      'day',
      'question',
      'unanswered',
      'notice',
    ])
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

describe('agent sessions', () => {
  const session = (over: Parameters<typeof anAgentSession>[0] = {}) => {
    const progress = newProgress(over.session_id ?? 'agent-1')
    applyView(progress, anAgentSession(over))
    return progress
  }
  const unresolved = anAnswer({ kb_resolved: false })
  const line = anAnswer({
    id: 'line-1',
    seq: 3,
    reply_to: null,
    agent_summary: {
      agent_session_id: 'agent-1',
      kind: 'question',
      linked_issue_url: null,
      ticket_id: null,
    },
  })
  const log = (...given: Parameters<typeof buildEntries>) =>
    buildEntries(...given).filter(({ kind }) => kind !== 'day')

  it('stand once each, in the place of their line', () => {
    const next = aQuestion({ id: 'question-2', seq: 4 })
    const entries = log([aQuestion(), unresolved, line, next], null, false, [session()])
    expect(entries.map(({ kind }) => kind)).toEqual([
      'question',
      'answer',
      'agent',
      'question',
      'unanswered',
    ])
    expect(entries[2]).toMatchObject({
      session: { sessionId: 'agent-1' },
      message: { id: 'line-1' },
    })
  })

  it('keep their key when they get their line', () => {
    const progress = session()
    const without = log([aQuestion(), unresolved], null, false, [progress]).at(-1)
    const stored = log([aQuestion(), unresolved, line], null, false, [progress]).at(-1)
    expect(without).toMatchObject({ kind: 'agent', key: stored?.key })
  })

  it('without details keep their recap', () => {
    expect(log([aQuestion(), unresolved, line], null, false).at(-1)).toMatchObject({
      kind: 'agent',
      session: null,
      message: { id: 'line-1' },
    })
  })

  it('whose line is further up are not shown below', () => {
    const early = session({ status: 'ended', turn: null, created_at: '2026-11-29T10:00:00Z' })
    expect(log([aQuestion(), unresolved], null, false, [early])).toHaveLength(2)
  })

  it('that ended without a line stand where they began', () => {
    const ended = session({ status: 'ended', created_at: '2026-11-30T10:00:01Z' })
    const later = aQuestion({ id: 'question-2', seq: 3, created_at: '2026-11-30T10:05:00Z' })
    const entries = log([aQuestion(), unresolved, later], null, false, [ended])
    expect(entries.map(({ kind }) => kind).slice(0, 3)).toEqual(['question', 'answer', 'agent'])
  })

  it('are offered under the latest answer only', () => {
    const second = [
      aQuestion({ id: 'question-2', seq: 3 }),
      anAnswer({ id: 'answer-2', seq: 4, reply_to: 'question-2', kb_resolved: false }),
    ]
    const entries = log([aQuestion(), unresolved, ...second], null, false)
    const offers = entries.map((entry) => (entry.kind === 'answer' ? entry.escalation : null))
    expect(offers).toEqual([null, undefined, null, 'offered'])
  })

  it('are not offered while one is open, or while a question is on its way', () => {
    const offer = (...given: Parameters<typeof buildEntries>) =>
      buildEntries(...given).find((entry) => entry.kind === 'answer')
    const messages = [aQuestion(), unresolved]
    expect(offer(messages, null, false, [session()])).toMatchObject({ escalation: 'requested' })
    expect(offer(messages, sending(), false)).not.toHaveProperty('escalation')
  })
})
