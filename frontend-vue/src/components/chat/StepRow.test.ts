import { describe, expect, it } from 'vitest'
import { aStep } from '@/testing/builders'
import { mountPart } from '@/testing/mountApp'
import StepRow from './StepRow.vue'

const textOf = (over: Parameters<typeof aStep>[0]) => {
  const { wrapper } = mountPart(StepRow, { step: aStep(over) })
  const text = wrapper.text()
  wrapper.unmount()
  return text
}

describe('a step that the session knew the result of', () => {
  it('says so beside what was found', () => {
    const step = { action: 'web_search', status: 'ok', found: 2 } as const
    expect(textOf({ ...step, is_cached: true })).toContain('2 found, from cache')
    expect(textOf({ ...step, is_cached: false })).not.toContain('from cache')
    expect(textOf({ action: 'web_search', status: 'empty', is_cached: true })).toContain(
      'nothing found, from cache',
    )
  })
})
