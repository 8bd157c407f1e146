import type { ChatSession } from '@/api/types'
import type { TextKey } from '@/locales'
import { type Age, ageLabels, ageOf } from '@/locales/dates'

export interface AgeGroup {
  age: Age
  label: TextKey
  sessions: ChatSession[]
}

/** Sessions under today, yesterday, last week, earlier; the order inside is kept, empty groups are left out. */
export function groupByAge(sessions: ChatSession[], now = new Date()): AgeGroup[] {
  const groups: AgeGroup[] = []
  for (const session of sessions) {
    const age = ageOf(session.updated_at, now)
    const last = groups.at(-1)
    if (last?.age === age) last.sessions.push(session)
    else groups.push({ age, label: ageLabels[age], sessions: [session] })
  }
  return groups
}
