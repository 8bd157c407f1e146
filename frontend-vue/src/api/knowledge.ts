import { client, unwrap } from './client'
import type { Article } from './types'

export function fetchArticle(articleId: string): Promise<Article> {
  return unwrap(
    client.GET('/api/knowledge/articles/{article_id}', {
      params: { path: { article_id: articleId } },
    }),
  )
}
