const START = '/chat'

/** Where to go after signing in: an address inside this app, or the start page. */
export function nextPath(next: unknown): string {
  // `//host` and `/\host` would leave the app in some browsers.
  return typeof next === 'string' && /^\/(?![/\\])/.test(next) ? next : START
}
