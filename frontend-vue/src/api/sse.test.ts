import { describe, expect, it } from 'vitest'
import { readEvents } from './sse'

const stream =
  'id: 1\nevent: question\ndata: {"text":"Größe 🔑"}\n\n' +
  ': ping\n\n' +
  'id: 2\nevent: delta\ndata: {"text":"a"}\n\n' +
  'id: 3\r\nevent: answer\r\ndata: {"a":\r\ndata: 1}\r\n\r\n'

const expected = [
  { id: '1', event: 'question', data: '{"text":"Größe 🔑"}' },
  { id: '2', event: 'delta', data: '{"text":"a"}' },
  { id: '3', event: 'answer', data: '{"a":\n1}' },
]

function bodyOf(pieces: Uint8Array[]): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      pieces.forEach((piece) => controller.enqueue(piece))
      controller.close()
    },
  })
}

async function read(pieces: Uint8Array[]) {
  const events = []
  for await (const { id, event, data } of readEvents(bodyOf(pieces))) {
    events.push({ id, event, data })
  }
  return events
}

describe('the events of a stream', () => {
  const bytes = new TextEncoder().encode(stream)

  it('are the same wherever the bytes are cut', async () => {
    for (let cut = 0; cut <= bytes.length; cut += 1) {
      expect(await read([bytes.slice(0, cut), bytes.slice(cut)])).toEqual(expected)
    }
  })

  it('are the same byte by byte', async () => {
    expect(await read(Array.from(bytes, (byte) => Uint8Array.of(byte)))).toEqual(expected)
  })

  it('leave out a last one that is not complete', async () => {
    expect(await read([bytes.slice(0, -2)])).toHaveLength(2)
  })
})
