import { t, type TextKey } from './index'

const time = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' })
const weekday = new Intl.DateTimeFormat('en-GB', { weekday: 'short' })
const dayMonth = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' })
const fullDay = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', year: 'numeric' })
const complete = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'short' })

function startOfDay(date: Date): number {
  return new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime()
}

/** Calendar days between two moments in the reader's own time zone; never negative. */
function daysAgo(date: Date, now: Date): number {
  return Math.max(0, Math.round((startOfDay(now) - startOfDay(date)) / 86_400_000))
}

export function formatTime(iso: string): string {
  return time.format(new Date(iso))
}

export function formatDate(iso: string): string {
  return fullDay.format(new Date(iso))
}

export function formatComplete(iso: string): string {
  return complete.format(new Date(iso))
}

/** 10:44 today, Thu within a week, 24 Nov before that. */
export function formatShort(iso: string, now = new Date()): string {
  const date = new Date(iso)
  const days = daysAgo(date, now)
  if (days === 0) return time.format(date)
  return days < 7 ? weekday.format(date) : dayMonth.format(date)
}

export function formatDay(iso: string, now = new Date()): string {
  const days = daysAgo(new Date(iso), now)
  if (days === 0) return t('time.today')
  if (days === 1) return t('time.yesterday')
  return formatDate(iso)
}

export type Age = 'today' | 'yesterday' | 'week' | 'earlier'

export const ageLabels: Record<Age, TextKey> = {
  today: 'time.today',
  yesterday: 'time.yesterday',
  week: 'time.week',
  earlier: 'time.earlier',
}

export function ageOf(iso: string, now = new Date()): Age {
  const days = daysAgo(new Date(iso), now)
  if (days === 0) return 'today'
  if (days === 1) return 'yesterday'
  return days < 7 ? 'week' : 'earlier'
}

/** A waiting time in words: seconds up to a minute and a half, minutes beyond. */
export function formatWait(seconds: number): string {
  return seconds < 90
    ? t('time.seconds', { count: seconds })
    : t('time.minutes', { count: Math.ceil(seconds / 60) })
}

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })
const SECOND_STEPS = [
  { unit: 'minute', seconds: 60 },
  { unit: 'hour', seconds: 3_600 },
  { unit: 'day', seconds: 86_400 },
] as const

/** How long ago: 5 minutes ago, 3 hours ago, yesterday; a date after a month. */
export function formatAge(iso: string, now = new Date()): string {
  const seconds = Math.max(0, (now.getTime() - new Date(iso).getTime()) / 1000)
  if (seconds < 60) return t('time.now')
  if (seconds >= 30 * 86_400) return formatDate(iso)
  const step = SECOND_STEPS.findLast((candidate) => seconds >= candidate.seconds) ?? SECOND_STEPS[0]
  return relative.format(-Math.floor(seconds / step.seconds), step.unit)
}

/** How long a step took: 0.4 s, 12 s. */
export function formatDuration(ms: number): string {
  if (ms < 50) return t('steps.instant')
  const seconds = ms / 1000
  return t('steps.seconds', { seconds: seconds.toFixed(seconds < 10 ? 1 : 0) })
}
