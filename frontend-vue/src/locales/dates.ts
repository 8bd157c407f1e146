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
