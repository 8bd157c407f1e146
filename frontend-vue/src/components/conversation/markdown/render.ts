import type { Token, Tokens } from 'marked'
import { h, type VNode, type VNodeChild } from 'vue'
import { t } from '@/locales'
import CitationMark from '../CitationMark.vue'
import CodeBlock from '../CodeBlock.vue'
import { decodeEntities, safeHref } from './links'
import { overlaps, type Span } from './span'

/**
 * Where the piece being rendered stands. `at` is its offset in the source, or null where Markdown
 * has rewritten the text (quotes, indented lists); there `cited` says whether the piece as a whole
 * overlaps the cited span.
 */
interface Place {
  span: Span | null
  at: number | null
  cited: boolean
  citations: boolean
  /** Added to the depth of a heading. */
  headingShift: number
}

function inside(place: Place, parent: string, child: string, from = 0): Place {
  if (place.at === null) return place
  const found = parent.indexOf(child, from)
  if (found < 0) return { ...place, at: null }
  const at = place.at + found
  const { span } = place
  return { ...place, at, cited: span !== null && overlaps(span, at, at + child.length) }
}

const citedClass = (place: Place) => (place.cited ? 'cited' : undefined)

function mark(place: Place, text: string): VNodeChild[] {
  if (!place.cited || !place.span || !text) return [text]
  if (place.at === null) return [h('mark', text)]
  const from = Math.max(0, place.span.start - place.at)
  const to = Math.min(text.length, place.span.end - place.at)
  if (to <= from) return [text]
  return [text.slice(0, from), h('mark', text.slice(from, to)), text.slice(to)].filter(
    (part) => part !== '',
  )
}

const CITATION = /\[(\d{1,3})\]/g

function text(place: Place, raw: string): VNodeChild[] {
  if (!place.citations) {
    const decoded = decodeEntities(raw)
    // A decoded reference is shorter than its source; offsets no longer fit inside this piece.
    return mark(decoded === raw ? place : { ...place, at: null }, decoded)
  }
  return withCitations(raw, decodeEntities)
}

function withCitations(raw: string, read: (part: string) => string): VNodeChild[] {
  const nodes: VNodeChild[] = []
  let end = 0
  for (const match of raw.matchAll(CITATION)) {
    nodes.push(...cited(read(raw.slice(end, match.index)), Number(match[1])))
    end = match.index + match[0].length
  }
  nodes.push(read(raw.slice(end)))
  return nodes.filter((node) => node !== '')
}

/** Raw HTML, letter by letter; a quote may end with it, and then the number of its source follows. */
function asWritten(place: Place, raw: string): VNodeChild[] {
  return place.citations ? withCitations(raw, (part) => part) : mark(place, raw)
}

/** A longer word than this may well stand on another line than its number. */
const LONGEST_BOUND_WORD = 24

/** A number stays on the line of the word it belongs to; the space between them is the number's own. */
function cited(before: string, number: number): VNodeChild[] {
  const words = before.trimEnd()
  const cut = Math.max(words.lastIndexOf(' '), words.lastIndexOf('\n')) + 1
  const word = words.slice(cut)
  const citation = h(CitationMark, { number })
  if (!word || word.length > LONGEST_BOUND_WORD) return [words, citation]
  return [words.slice(0, cut), h('span', { class: 'whitespace-nowrap' }, [word, citation])]
}

function link(place: Place, token: Tokens.Link): VNodeChild {
  const children = inlines(inside(place, token.raw, token.text), token.tokens)
  const href = safeHref(token.href)
  if (!href) return h('span', children)
  return h('a', { href, target: '_blank', rel: 'noopener noreferrer nofollow' }, children)
}

/** Pictures are not fetched: a foreign address would learn who reads what. */
function image(token: Tokens.Image): VNodeChild {
  const alt = decodeEntities(token.text)
  const label = alt ? t('markdown.image', { alt }) : t('markdown.image_plain')
  const href = safeHref(token.href)
  if (!href) return label
  return h('a', { href, target: '_blank', rel: 'noopener noreferrer nofollow' }, label)
}

function inline(place: Place, token: Token): VNodeChild[] {
  switch (token.type) {
    case 'strong':
    case 'em':
    case 'del': {
      const { raw, text: content, tokens } = token as Tokens.Strong
      return [h(token.type, inlines(inside(place, raw, content), tokens))]
    }
    case 'codespan':
      return [h('code', place.cited ? h('mark', token.text as string) : (token.text as string))]
    case 'br':
      return [h('br')]
    case 'link':
      return [link(place, token as Tokens.Link)]
    case 'image':
      return [image(token as Tokens.Image)]
    case 'escape':
      return mark({ ...place, at: null }, decodeEntities(token.text as string))
    case 'checkbox':
      return [
        h('input', { type: 'checkbox', disabled: true, checked: token.checked as boolean }),
        ' ',
      ]
    case 'text':
      return 'tokens' in token && token.tokens
        ? inlines(place, token.tokens)
        : text(place, token.raw)
    default:
      // Raw HTML, and whatever a later version of the parser invents, is shown as written.
      return mark(place, token.raw)
  }
}

function inlines(place: Place, tokens: Token[]): VNodeChild[] {
  const parent = tokens.map((token) => token.raw).join('')
  let cursor = 0
  return tokens.flatMap((token) => {
    const nodes = inline(inside(place, parent, token.raw, cursor), token)
    cursor += token.raw.length
    return nodes
  })
}

function listItem(place: Place, item: Tokens.ListItem): VNode {
  let cursor = 0
  const children = item.tokens.flatMap((token): VNodeChild[] => {
    const here = inside(place, item.raw, token.raw, cursor)
    if (here.at !== null && place.at !== null) cursor = here.at - place.at + token.raw.length
    if (token.type === 'text' || token.type === 'checkbox') return inline(here, token)
    return [renderBlock(token, here)]
  })
  const classes = [citedClass(place), item.task ? 'task' : undefined]
  return h('li', { class: classes.filter(Boolean).join(' ') || undefined }, children)
}

function list(place: Place, token: Tokens.List): VNode {
  let cursor = 0
  const items = token.items.map((item) => {
    const here = inside(place, token.raw, item.raw, cursor)
    cursor += item.raw.length
    return listItem(here, item)
  })
  if (!token.ordered) return h('ul', items)
  return h('ol', { start: token.start === 1 ? undefined : token.start }, items)
}

function table(place: Place, token: Tokens.Table): VNode {
  const lines = token.raw.split('\n')
  let offset = 0
  const places = lines.map((line) => {
    const here = { ...inside(place, token.raw, line, offset), at: null }
    offset += line.length + 1
    return here
  })
  const row = (tag: 'th' | 'td', cells: Tokens.TableCell[], line: number) =>
    h(
      'tr',
      cells.map((cell) =>
        h(
          tag,
          {
            class: cell.align ? `align-${cell.align}` : undefined,
            scope: tag === 'th' ? 'col' : undefined,
          },
          inlines(places[line] ?? { ...place, at: null }, cell.tokens),
        ),
      ),
    )
  const content = h('table', [
    h('thead', row('th', token.header, 0)),
    h(
      'tbody',
      // Behind the head comes the line of dashes.
      token.rows.map((cells, index) => row('td', cells, index + 2)),
    ),
  ])
  // Wide tables scroll inside their own box, which then has to be reachable by keyboard.
  const frame = { tabindex: 0, role: 'region', 'aria-label': t('markdown.table') }
  return h('div', { ...frame, class: ['overflow-x-auto', citedClass(place)] }, content)
}

function blocks(place: Place, parent: string, tokens: Token[]): VNode[] {
  return tokens
    .filter((token) => token.type !== 'space')
    .map((token) => renderBlock(token, inside(place, parent, token.raw)))
}

function renderBlock(token: Token, place: Place): VNode {
  const attributes = { class: citedClass(place) }
  switch (token.type) {
    case 'heading': {
      const heading = token as Tokens.Heading
      const content = inlines(inside(place, heading.raw, heading.text), heading.tokens)
      const level = Math.max(1, Math.min(6, heading.depth + place.headingShift))
      return h(`h${level}`, attributes, content)
    }
    case 'paragraph': {
      const paragraph = token as Tokens.Paragraph
      const content = inlines(inside(place, paragraph.raw, paragraph.text), paragraph.tokens)
      return h('p', attributes, content)
    }
    case 'list':
      return list(place, token as Tokens.List)
    case 'blockquote':
      return h(
        'blockquote',
        attributes,
        blocks(place, token.raw, (token as Tokens.Blockquote).tokens),
      )
    case 'code': {
      const code = token as Tokens.Code
      return h(CodeBlock, { ...attributes, code: code.text, language: code.lang ?? '' })
    }
    case 'table':
      return table(place, token as Tokens.Table)
    case 'hr':
      return h('hr')
    case 'text':
      return h('p', attributes, inline(place, token))
    default:
      return h('p', attributes, asWritten(place, token.raw.trim()))
  }
}

export interface RenderOptions {
  /** Where the block begins in its source. */
  offset: number
  /** The passage to mark, in the same source. */
  span: Span | null
  /** Whether `[1]` stands for a source. */
  citations: boolean
  /** Added to the depth of a heading, so that those of a text fit under those of the page. */
  headingShift: number
}

export function render(token: Token, options: RenderOptions): VNode | null {
  const { offset, span, citations, headingShift } = options
  if (token.type === 'space' || token.type === 'def') return null
  const end = offset + token.raw.trimEnd().length
  const cited = span !== null && overlaps(span, offset, end)
  return renderBlock(token, { span, at: offset, cited, citations, headingShift })
}
