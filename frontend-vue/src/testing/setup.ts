import { enableAutoUnmount } from '@vue/test-utils'
import { afterEach, beforeEach, vi } from 'vitest'

enableAutoUnmount(afterEach)

beforeEach(() => {
  sessionStorage.clear()
  localStorage.clear()
  document.body.innerHTML = ''
  // A test that talks to the server without saying how it answers is a mistake.
  vi.stubGlobal('fetch', (request: Request) => {
    throw new Error(`Unexpected call: ${request.method} ${request.url}`)
  })
})
