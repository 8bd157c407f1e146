import { lexer, type Token, type TokensList } from 'marked'

/** A top-level piece of Markdown and where it begins in its source. */
export interface Block {
  offset: number
  token: Token
}

/** The last blocks may still change their kind while text arrives: a line can become a table's head. */
const UNSETTLED = 3

function lex(source: string, from: number): Block[] {
  const tokens: TokensList = lexer(source.slice(from), { gfm: true })
  let cursor = from
  return tokens.map((token) => {
    const found = source.indexOf(token.raw, cursor)
    const offset = found < 0 ? cursor : found
    cursor = offset + token.raw.length
    return { offset, token }
  })
}

export function normalizeNewlines(source: string): string {
  return source.replace(/\r\n?/g, '\n')
}

export function lexBlocks(source: string): Block[] {
  return lex(normalizeNewlines(source), 0)
}

/**
 * Blocks of a text that grows at its end. Settled blocks keep their identity and are not read again,
 * so that the cost of a chunk does not rise with the length of the answer.
 */
export function createBlockStream(): (source: string) => Block[] {
  let settled: Block[] = []
  let settledText = ''

  return (source) => {
    const text = normalizeNewlines(source)
    if (!text.startsWith(settledText)) {
      settled = []
      settledText = ''
    }
    const fresh = lex(text, settledText.length)
    // Only a blank line ends a block for certain, so the cut is made behind one.
    const cut = fresh.slice(0, -UNSETTLED).findLastIndex(({ token }) => token.type === 'space') + 1
    const next = fresh[cut]
    if (cut > 0 && next) {
      settled = [...settled, ...fresh.slice(0, cut)]
      settledText = text.slice(0, next.offset)
      return [...settled, ...fresh.slice(cut)]
    }
    return [...settled, ...fresh]
  }
}
