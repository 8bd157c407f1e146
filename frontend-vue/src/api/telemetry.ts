import { client, sendQuietly } from './client'
import type { TelemetryEvent } from './types'

/** Whether the server wants more of it. It outlives the page, and no refusal of it is shown. */
export async function sendEvents(events: TelemetryEvent[]): Promise<boolean> {
  const { data } = await client.POST('/api/telemetry', {
    body: { events },
    keepalive: true,
    fetch: sendQuietly,
  })
  return data?.is_wanted ?? true
}
