import { fileURLToPath } from 'node:url'
import tailwindcss from '@tailwindcss/vite'
import vue from '@vitejs/plugin-vue'
import { defineConfig } from 'vitest/config'
import { manifestApart } from './build/manifest.ts'
import { precompress } from './build/precompress.ts'

const server = process.env.HELPDESK_SERVER ?? 'http://127.0.0.1:8000'

export default defineConfig({
  plugins: [vue(), tailwindcss(), manifestApart(), precompress()],
  resolve: { alias: { '@': fileURLToPath(new URL('./src', import.meta.url)) } },
  // No part of the page is written in the older style, so the code for it can go.
  define: { __VUE_OPTIONS_API__: false },
  build: {
    target: 'es2022',
    manifest: true,
    license: { fileName: 'licences/packages.md' },
    // Both would put code or data into the page itself, which the content security policy forbids.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  server: { proxy: { '/api': { target: server } } },
  test: {
    environment: 'happy-dom',
    setupFiles: ['src/testing/setup.ts'],
    include: ['src/**/*.test.ts'],
    // Read by the test of the contrasts; all other styles stay out of tests.
    css: { include: /tokens\.css/ },
    restoreMocks: true,
    unstubGlobals: true,
  },
})
