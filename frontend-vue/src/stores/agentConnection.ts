import type { AgentEvent, AgentStream } from '@/api/helpdesk'
import { type ApiError, toApiError } from '@/api/errors'

export type Opener = (signal: AbortSignal) => AgentStream

const ATTEMPTS = 6
const FIRST_WAIT_MS = 500
const LONGEST_WAIT_MS = 8_000

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

/** Whether trying again may help: nobody answered, or somebody in between did. */
export function isPassing({ status, code }: ApiError): boolean {
  if (status === 0) return code === 'unreachable' || code === 'stream_cut'
  return status >= 500 && (code === 'unreadable_answer' || code === 'database_unavailable')
}

/**
 * Yields the events of a run over as many connections as it takes. Until the first event the call
 * itself is repeated, under the key it has; after that the run is only followed.
 */
export async function* keepListening(
  call: Opener,
  follow: Opener,
  signal: AbortSignal,
  onBreak: () => void,
): AsyncGenerator<AgentEvent> {
  let open = call
  let failures = 0
  for (;;) {
    try {
      for await (const event of open(signal)) {
        open = follow
        failures = 0
        yield event
      }
      return
    } catch (cause) {
      const error = toApiError(cause)
      failures += 1
      if (signal.aborted || !isPassing(error) || failures > ATTEMPTS) throw error
    }
    onBreak()
    await pause(Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (failures - 1)))
    if (signal.aborted) return
  }
}
