import { describe, expect, it } from 'vitest'
import source from './tokens.css?raw'

function readTokens(selector: string): Map<string, string> {
  const block = source.slice(source.indexOf(`${selector} {`)).split('}')[0] ?? ''
  return new Map(
    [...block.matchAll(/--c-([\w-]+): (#[\da-f]{6})/g)].map(([, name = '', value = '']) => [
      name,
      value,
    ]),
  )
}

function luminance(hex: string): number {
  const channels = [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16) / 255)
  const [red = 0, green = 0, blue = 0] = channels.map((value) =>
    value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4,
  )
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

function contrast(one: string, other: string): number {
  const [light = 0, dark = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a)
  return (light + 0.05) / (dark + 0.05)
}

const surfaces = ['canvas', 'panel', 'sunken']
const text = 4.5
const border = 3
const pairs: [front: string, back: string, least: number][] = [
  ...surfaces.flatMap((back) =>
    ['ink', 'ink-2', 'ink-3', 'accent-ink', 'ok', 'warn', 'bad', 'agent'].map(
      (front): [string, string, number] => [front, back, text],
    ),
  ),
  ...['canvas', 'panel'].map((back): [string, string, number] => ['edge', back, border]),
  ...['ink', 'ink-2', 'accent-ink'].map((front): [string, string, number] => [
    front,
    'accent-soft',
    text,
  ]),
  ['ink', 'raised', text],
  ['on-accent', 'accent', text],
  ['panel', 'bad', text],
  ['agent', 'agent-soft', text],
  ['ok', 'ok-soft', text],
  ['warn', 'warn-soft', text],
  ['ink', 'warn-soft', text],
  ['bad', 'bad-soft', text],
]

describe.each([
  ['light', ':root'],
  ['dark', ":root[data-theme='dark']"],
])('the %s theme', (_, selector) => {
  const tokens = readTokens(selector)

  it.each(pairs)('sets %s on %s with contrast', (front, back, least) => {
    const value = contrast(tokens.get(front) ?? '', tokens.get(back) ?? '')
    expect(value).toBeGreaterThanOrEqual(least)
  })
})
