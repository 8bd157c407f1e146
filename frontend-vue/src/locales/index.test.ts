import { describe, expect, it } from 'vitest'
import { t } from '.'
import { ageOf, formatDay, formatShort, formatWait } from './dates'

describe('texts', () => {
  it('take their values', () => {
    expect(t('source.open', { number: 2, title: 'VPN {name}' })).toBe('Source 2: VPN {name}')
  })

  it('choose by number', () => {
    expect(t('time.seconds', { count: 1 })).toBe('1 second')
    expect(t('time.seconds', { count: 0 })).toBe('0 seconds')
  })
})

describe('dates', () => {
  const now = new Date(2026, 10, 30, 9, 0)
  const at = (daysAgo: number) => new Date(2026, 10, 30 - daysAgo, 23, 30).toISOString()

  it('are as short as they can be', () => {
    expect(formatShort(at(0), now)).toBe('23:30')
    expect(formatShort(at(2), now)).toBe('Sat')
    expect(formatShort(at(7), now)).toBe('23 Nov')
  })

  it('fall into days of the calendar', () => {
    expect([0, 1, 2, 6, 7].map((days) => ageOf(at(days), now))).toEqual([
      'today',
      'yesterday',
      'week',
      'week',
      'earlier',
    ])
    expect(formatDay(at(1), now)).toBe('Yesterday')
    expect(formatDay(at(9), now)).toBe('21 November 2026')
  })

  it('take a clock that runs ahead for today', () => {
    expect(ageOf(at(-1), now)).toBe('today')
  })

  it('become waiting times', () => {
    expect(formatWait(42)).toBe('42 seconds')
    expect(formatWait(125)).toBe('3 minutes')
  })
})
