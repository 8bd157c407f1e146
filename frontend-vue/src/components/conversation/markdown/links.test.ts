import { expect, it } from 'vitest'
import { decodeEntities, safeHref } from './links'

it.each([
  ['https://example.org/a?b=c', 'https://example.org/a?b=c'],
  ['http://example.org', 'http://example.org/'],
  ['mailto:desk@example.org', 'mailto:desk@example.org'],
])('offers %s', (href, expected) => {
  expect(safeHref(href)).toBe(expected)
})

it.each([
  'javascript:alert(1)',
  'JaVaScRiPt:alert(1)',
  'java\nscript:alert(1)',
  '\u0001javascript:alert(1)',
  ' javascript:alert(1)',
  'data:text/html,<script>alert(1)</script>',
  'vbscript:msgbox(1)',
  'blob:https://example.org/1',
  'file:///etc/passwd',
  '//example.org/a',
  '/account',
  'other.md',
  '#part',
  '',
])('does not offer %j', (href) => {
  expect(safeHref(href)).toBeNull()
})

it.each([
  ['a &amp; b', 'a & b'],
  ['&lt;b&gt;', '<b>'],
  ['&#65;&#x42;', 'AB'],
  ['&nbsp;', '\u00a0'],
  ['&unknown; &', '&unknown; &'],
  ['&#0; &#9999999;', '&#0; &#9999999;'],
  ['&amp;lt;', '&lt;'],
])('reads %s as %s', (source, expected) => {
  expect(decodeEntities(source)).toBe(expected)
})
