import { readdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { Plugin, ResolvedConfig } from 'vite'

const COMPRESSIBLE = /\.(?:js|css|html|svg|json|txt|webmanifest)$/
/** Below this a compressed copy saves less than the headers around it. */
const WORTH_IT_BYTES = 512

const toBrotli = promisify(brotliCompress)
const toGzip = promisify(gzip)

async function compressBeside(file: string): Promise<void> {
  const bytes = await readFile(file)
  if (bytes.length < WORTH_IT_BYTES) return
  const [brotli, gzipped] = await Promise.all([
    toBrotli(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }),
    toGzip(bytes, { level: 9 }),
  ])
  await Promise.all([writeFile(`${file}.br`, brotli), writeFile(`${file}.gz`, gzipped)])
}

/** Writes `.br` and `.gz` beside every text file of the build, for the server to choose from. */
export function precompress(): Plugin {
  let config: ResolvedConfig
  return {
    name: 'helpdesk-precompress',
    apply: 'build',
    configResolved(resolved) {
      config = resolved
    },
    async closeBundle() {
      const folder = path.resolve(config.root, config.build.outDir)
      const entries = await readdir(folder, { recursive: true, withFileTypes: true })
      const files = entries
        .filter((entry) => entry.isFile() && COMPRESSIBLE.test(entry.name))
        .map((entry) => path.join(entry.parentPath, entry.name))
      await Promise.all(files.map(compressBeside))
    },
  }
}
