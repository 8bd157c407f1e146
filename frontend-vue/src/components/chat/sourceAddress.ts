import type { LocationQuery, RouteLocationRaw } from 'vue-router'
import type { Source } from '@/api/types'

/** A passage of an article, as it stands in an address. */
export interface Passage {
  articleId: string
  start: number
  end: number
}

const position = (value: LocationQuery[string] | undefined) =>
  /^\d+$/.test(String(value)) ? Number(value) : 0

export function passageOf(source: Source): Passage {
  return { articleId: source.article_id, start: source.start, end: source.end }
}

/** The page of its own for a passage: what a new tab opens. */
export function articleRoute({ articleId, start, end }: Passage): RouteLocationRaw {
  return { name: 'article', params: { articleId }, query: { start, end } }
}

/** The passage opened beside a conversation, kept in its address so that it survives a reload. */
export function passageQuery({ articleId, start, end }: Passage): LocationQuery {
  return { article: articleId, start: String(start), end: String(end) }
}

export function readPassage(articleId: unknown, query: LocationQuery): Passage | null {
  if (typeof articleId !== 'string' || !articleId) return null
  return { articleId, start: position(query.start), end: position(query.end) }
}
