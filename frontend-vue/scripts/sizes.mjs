// Compares the built page with its budget: what a first visit to the chat loads, gzip level 9.
// Run after `npm run build`.
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'

const KIB = 1024
const budgets = { 'Chat, first load JS': 120 * KIB, 'Chat, first load CSS': 25 * KIB }

const dist = fileURLToPath(new URL('../dist', import.meta.url))
const manifest = JSON.parse(
  await readFile(new URL('../.vite/manifest.json', import.meta.url), 'utf8'),
)

/** A chunk and everything it imports statically. */
function closure(key, seen = new Set()) {
  if (seen.has(key)) return seen
  seen.add(key)
  for (const imported of manifest[key].imports ?? []) closure(imported, seen)
  return seen
}

async function gzipped(files) {
  const sizes = await Promise.all(
    [...files].map(
      async (file) => gzipSync(await readFile(path.join(dist, file)), { level: 9 }).length,
    ),
  )
  return sizes.reduce((sum, size) => sum + size, 0)
}

const chunks = [...closure('index.html'), ...closure('src/views/ChatView.vue')].map(
  (key) => manifest[key],
)
const measured = {
  'Chat, first load JS': await gzipped(new Set(chunks.map((chunk) => chunk.file))),
  'Chat, first load CSS': await gzipped(new Set(chunks.flatMap((chunk) => chunk.css ?? []))),
}

let isOver = false
for (const [name, budget] of Object.entries(budgets)) {
  const size = measured[name]
  isOver ||= size > budget
  const verdict = size > budget ? 'OVER' : 'ok'
  console.log(`${name}: ${(size / KIB).toFixed(1)} of ${budget / KIB} KiB gzip, ${verdict}`)
}
process.exitCode = isOver ? 1 : 0
