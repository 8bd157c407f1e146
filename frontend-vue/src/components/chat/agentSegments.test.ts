import { describe, expect, it } from 'vitest'
import type { AgentStep } from '@/api/types'
import { type AgentProgress, newProgress } from '@/stores/agentProgress'
import { aStep } from '@/testing/builders'
import { segmentsOf, summarise } from './agentSegments'

const steps = (...actions: AgentStep['action'][]) =>
  actions.map((action, index) => aStep({ seq: index + 1, action }))
const exchange = (reply: string) => ({ question: 'Which?', reply })
function shown(over: Partial<AgentProgress>) {
  return segmentsOf({ ...newProgress('key'), status: 'awaiting_user', ...over }).map((segment) => [
    segment.steps.map(({ action }) => action).join(' '),
    segment.exchange?.reply ?? null,
  ])
}

describe('segments', () => {
  it('of a session that begins are one', () => {
    expect(shown({ status: 'starting' })).toEqual([['', null]])
  })

  it('pair what was done with the question it led to', () => {
    expect(
      shown({
        steps: steps('retry_kb', 'propose_solution', 'web_search', 'ask_user', 'write_draft'),
        exchanges: [exchange('no'), exchange('us')],
      }),
    ).toEqual([
      ['retry_kb propose_solution', 'no'],
      ['web_search', 'us'],
      ['write_draft', null],
    ])
  })

  it('begin anew with an answer, before a step of it is known', () => {
    const asked = { steps: steps('retry_kb', 'ask_user'), exchanges: [exchange('us')] }
    expect(shown({ ...asked, status: 'running' })).toEqual([
      ['retry_kb', 'us'],
      ['', null],
    ])
  })

  it('count something added to a draft as an exchange', () => {
    const drafted = { steps: steps('classify', 'write_draft'), exchanges: [exchange('and')] }
    expect(shown({ ...drafted, status: 'running' })).toEqual([
      ['classify write_draft', 'and'],
      ['', null],
    ])
    expect(shown({ ...drafted, steps: steps('classify', 'write_draft', 'write_draft') })).toEqual([
      ['classify write_draft', 'and'],
      ['write_draft', null],
    ])
  })

  it('lose no step where the exchanges are fewer', () => {
    expect(shown({ steps: steps('retry_kb', 'ask_user', 'web_search') })).toEqual([
      ['retry_kb web_search', null],
    ])
  })
})

it('the summary counts the places that answered', () => {
  expect(
    summarise([
      aStep({ duration_ms: 1200 }),
      aStep({ seq: 2, action: 'web_search', status: 'timed_out', duration_ms: 10_000 }),
      aStep({ seq: 3, action: 'classify', duration_ms: null }),
    ]),
  ).toEqual({ places: 1, ms: 11_200 })
})
