import { tabStorage } from '@/stores/browserStorage'

const KEY = 'helpdesk.reloaded-for-chunk'
const PAUSE_MS = 30_000

/** After an update an old tab asks for files that are gone: reload, but never in a circle. */
export function reloadOnceForMissingChunk(): void {
  window.addEventListener('vite:preloadError', (event) => {
    const last = Number(tabStorage.read(KEY) ?? 0)
    if (Date.now() - last < PAUSE_MS) return
    event.preventDefault()
    tabStorage.write(KEY, String(Date.now()))
    // Called while the router still undoes the navigation, Chromium now and then did not reload.
    setTimeout(() => window.location.reload(), 50)
  })
}
