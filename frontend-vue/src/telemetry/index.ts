import { useEventListener } from '@vueuse/core'
import type { ApiError } from '@/api/errors'
import { sendEvents } from '@/api/telemetry'
import type { TelemetryEvent } from '@/api/types'
import type { AgentStatus } from '@/stores/agentProgress'

const WAIT_MS = 3000
/** As many as the server takes at once. */
const BATCH = 20

let waiting: TelemetryEvent[] = []
let timer: ReturnType<typeof setTimeout> | null = null
let isOn = false

/** From now on what happens is told, a few seconds later or when the page goes. */
export function startTelemetry(): () => void {
  isOn = true
  const stopListening = useEventListener(window, 'pagehide', () => void flush())
  return () => {
    isOn = false
    waiting = []
    if (timer) clearTimeout(timer)
    timer = null
    stopListening()
  }
}

/** Notes that something happened. Never waits, never fails, and holds no text of anybody. */
export function track(event: TelemetryEvent): void {
  if (!isOn) return
  waiting.push(event)
  if (waiting.length >= BATCH) void flush()
  else timer ??= setTimeout(() => void flush(), WAIT_MS)
}

async function flush(): Promise<void> {
  if (timer) clearTimeout(timer)
  timer = null
  const events = waiting.splice(0, BATCH)
  if (events.length === 0) return
  try {
    if (!(await sendEvents(events))) isOn = false
  } catch {
    // The server is out of reach; what was to be told is not worth keeping.
  }
}

type ErrorKind = Extract<TelemetryEvent, { name: 'agent.error_shown' }>['kind']
const KINDS: Record<number, ErrorKind> = {
  0: 'unreachable',
  409: 'conflict',
  410: 'expired',
  429: 'limit',
  503: 'unavailable',
}

/** Notes that a problem was shown, by its kind and not by its words. */
export function trackError({ status }: ApiError): void {
  const other = status >= 500 ? 'fault' : status >= 400 ? 'refused' : 'other'
  track({ name: 'agent.error_shown', kind: KINDS[status] ?? other })
}

const STATES = ['starting', 'running', 'awaiting_user', 'awaiting_confirm', 'confirming'] as const

/** Notes that somebody wants to end a session that stands so. */
export function trackCancel(status: AgentStatus | undefined): void {
  const from_state = STATES.find((state) => state === status) ?? 'other'
  track({ name: 'agent.cancel_clicked', from_state })
}
