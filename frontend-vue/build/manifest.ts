import { mkdir, rename, rmdir } from 'node:fs/promises'
import path from 'node:path'
import type { Plugin, ResolvedConfig } from 'vite'

/** Moves Vite's manifest out of the built page, since the page's folder is served as it is. */
export function manifestApart(): Plugin {
  let config: ResolvedConfig
  return {
    name: 'helpdesk-manifest-apart',
    apply: 'build',
    configResolved(resolved) {
      config = resolved
    },
    async writeBundle() {
      const built = path.resolve(config.root, config.build.outDir, '.vite')
      const apart = path.resolve(config.root, '.vite')
      await mkdir(apart, { recursive: true })
      await rename(path.join(built, 'manifest.json'), path.join(apart, 'manifest.json'))
      await rmdir(built)
    },
  }
}
