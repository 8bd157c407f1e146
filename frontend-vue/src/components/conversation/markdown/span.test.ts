import { expect, it } from 'vitest'
import { overlaps, spanFromCodePoints } from './span'

it('counts code points, not UTF-16 units', () => {
  const body = 'a🔑b🔑c'
  expect(spanFromCodePoints(body, 2, 3)).toEqual({ start: 3, end: 4 })
  expect(spanFromCodePoints(body, 3, 5)).toEqual({ start: 4, end: 7 })
})

it('follows normalised line ends', () => {
  const body = 'a\r\nb\r\nc'
  const span = spanFromCodePoints(body, 6, 7)
  expect(span).toEqual({ start: 4, end: 5 })
  expect(body.replace(/\r\n/g, '\n').slice(4, 5)).toBe('c')
})

it('ends at the end of the body', () => {
  expect(spanFromCodePoints('abc', 1, 99)).toEqual({ start: 1, end: 3 })
})

it.each([
  [0, 0],
  [3, 1],
  [-1, 2],
  [9, 12],
  [Number.NaN, 2],
])('is nothing from %s to %s', (start, end) => {
  expect(spanFromCodePoints('abc', start, end)).toBeNull()
})

it('overlaps only where there is something in common', () => {
  const span = { start: 2, end: 4 }
  expect(overlaps(span, 0, 2)).toBe(false)
  expect(overlaps(span, 3, 9)).toBe(true)
  expect(overlaps(span, 4, 9)).toBe(false)
})
