import { vi } from 'vitest'

export interface Call {
  method: string
  path: string
  query: URLSearchParams
  headers: Headers
  body: unknown
}

type Reply = Response | object | undefined
type Handler = (call: Call) => Reply | Promise<Reply>

export function jsonReply(body: unknown, status = 200, headers: Record<string, string> = {}) {
  return new Response(JSON.stringify(body), {
    status,
    headers: { 'Content-Type': 'application/json', ...headers },
  })
}

export function refusal(status: number, error: string, headers: Record<string, string> = {}) {
  return jsonReply({ error, detail: 'A sentence for a person.' }, status, headers)
}

/** A stream that stays open: a test sends its events one by one, ends it or breaks it off. */
export function openStream() {
  let line: ReadableStreamDefaultController<Uint8Array> | null = null
  const body = new ReadableStream<Uint8Array>({ start: (controller) => void (line = controller) })
  const write = (text: string) => line?.enqueue(new TextEncoder().encode(text))
  return {
    response: new Response(body, { headers: { 'Content-Type': 'text/event-stream' } }),
    send(event: string, data: unknown, id?: number): void {
      const number = id === undefined ? '' : `id: ${id}\n`
      write(`event: ${event}\ndata: ${JSON.stringify(data)}\n${number}\n`)
    },
    end: () => line?.close(),
    breakOff: () => line?.error(new TypeError('network error')),
  }
}

/** A stream of events as the server frames them; ends without an answer if `events` does. */
export function streamReply(events: [event: string, data: unknown][]): Response {
  const text = events
    .map(
      ([event, data], index) =>
        `event: ${event}\ndata: ${JSON.stringify(data)}\nid: ${index + 1}\n\n`,
    )
    .join('')
  return new Response(text, { status: 200, headers: { 'Content-Type': 'text/event-stream' } })
}

function matches(pattern: string, path: string): boolean {
  return new RegExp(`^${pattern.replace(/\*/g, '[^/]+')}$`).test(path)
}

/** Answers calls by `METHOD /path`, where `*` stands for one part; everything else is refused. */
export function fakeServer(handlers: Record<string, Handler>) {
  const calls: Call[] = []
  vi.stubGlobal('fetch', async (request: Request) => {
    const url = new URL(request.url)
    const text = await request.text()
    const call: Call = {
      method: request.method,
      path: url.pathname,
      query: url.searchParams,
      headers: request.headers,
      body: text ? JSON.parse(text) : undefined,
    }
    calls.push(call)
    const found = Object.entries(handlers).find(([key]) => {
      const [method, pattern = ''] = key.split(' ')
      return method === call.method && matches(pattern, call.path)
    })
    if (!found) throw new TypeError(`No handler for ${call.method} ${call.path}`)
    const reply = await found[1](call)
    if (reply instanceof Response) return reply
    return reply === undefined ? new Response(null, { status: 204 }) : jsonReply(reply)
  })
  return {
    calls,
    to: (key: string) => {
      const [method, pattern = ''] = key.split(' ')
      return calls.filter((call) => call.method === method && matches(pattern, call.path))
    },
  }
}

export function networkDown(): never {
  throw new TypeError('Failed to fetch')
}
