import type { ChatSession } from '@/api/types'

/** Newest activity first, each session once. Pure, as the list is patched from several calls. */
export function mergeSessions(known: ChatSession[], incoming: ChatSession[]): ChatSession[] {
  const byId = new Map(known.map((session) => [session.id, session]))
  for (const session of incoming) byId.set(session.id, session)
  return [...byId.values()].sort(
    (a, b) => b.updated_at.localeCompare(a.updated_at) || b.id.localeCompare(a.id),
  )
}

/** The list after its first page came anew: what that page should hold but does not is gone. */
export function renewFirstPage(known: ChatSession[], page: ChatSession[], isWhole: boolean) {
  const oldest = page.at(-1)
  if (isWhole || !oldest) return mergeSessions([], page)
  const further = known.filter((session) => session.updated_at < oldest.updated_at)
  return mergeSessions(further, page)
}

export function withoutSession(known: ChatSession[], id: string): ChatSession[] {
  return known.filter((session) => session.id !== id)
}
