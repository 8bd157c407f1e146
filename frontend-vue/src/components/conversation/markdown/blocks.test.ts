import { describe, expect, it } from 'vitest'
import { createBlockStream, lexBlocks } from './blocks'

const corpus = [
  '# Title\n\nA paragraph\nover two lines.\n\n## Part\n\nMore **bold** and `code`.\n',
  '- one\n- two\n  - nested\n\n  still two\n- three\n\nAfter the list.\n\n1. first\n2. second\n',
  '| a | b |\n|:--|--:|\n| 1 | 2 |\n| 3 | 4 |\n\nAfter the table.\n\nAnd more.\n\nAnd more.\n',
  'Before\n\n```sh\necho 1\n\necho 2\n```\n\nAfter\n\n~~~\nopen to the end\n\nmore',
  'Setext\n======\n\nText\n---\n\n> quote\nlazy line\n>\n> second\n\n***\n\nEnd.\n',
  'One\r\n\r\nTwo\r\n\r\nThree\r\n\r\nFour\r\n\r\nFive\r\n',
  '<div>\nraw\n</div>\n\nText <b>x</b>\n\n    indented code\n\n\n\nLast line [1][2].\n',
]

const shape = (blocks: ReturnType<typeof lexBlocks>) =>
  blocks.map(({ offset, token }) => [offset, token.type, token.raw])

describe('a growing text', () => {
  it.each(corpus)('read in two pieces, cut anywhere, equals the whole: %#', (source) => {
    const whole = shape(lexBlocks(source))
    for (let cut = 0; cut <= source.length; cut += 1) {
      const read = createBlockStream()
      read(source.slice(0, cut))
      expect(shape(read(source))).toEqual(whole)
    }
  })

  it.each(corpus)('read character by character equals each whole: %#', (source) => {
    const read = createBlockStream()
    for (let length = 1; length <= source.length; length += 1) {
      const part = source.slice(0, length)
      expect(shape(read(part))).toEqual(shape(lexBlocks(part)))
    }
  })

  it('keeps the identity of settled blocks', () => {
    const read = createBlockStream()
    const source = 'One\n\nTwo\n\nThree\n\nFour\n\nFive\n\nSix'
    const before = read(source)
    const after = read(`${source} and more`)
    expect(after[0]).toBe(before[0])
    expect(after.at(-1)?.token.raw).toBe('Six and more')
  })

  it('starts over when the text is another one', () => {
    const read = createBlockStream()
    read('One\n\nTwo\n\nThree\n\nFour\n\nFive')
    expect(shape(read('Other'))).toEqual(shape(lexBlocks('Other')))
  })
})

it('places every block in its source', () => {
  for (const source of corpus) {
    const text = source.replace(/\r\n/g, '\n')
    for (const { offset, token } of lexBlocks(source)) {
      expect(text.slice(offset, offset + token.raw.length)).toBe(token.raw)
    }
  }
})
