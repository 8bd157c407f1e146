import createClient from 'openapi-fetch'
import { errorFromBody, unreachable } from './errors'
import type { paths } from './schema'

/** What the client needs from whoever holds the session; this folder keeps no state of its own. */
export interface SessionHooks {
  csrfToken: () => string | null
  /** Fetches a fresh token after another tab rotated the session; false if that failed. */
  renewCsrfToken: () => Promise<boolean>
  onSignInRequired: () => void
  onPasswordChangeRequired: () => void
}

let hooks: SessionHooks = {
  csrfToken: () => null,
  renewCsrfToken: () => Promise.resolve(false),
  onSignInRequired: () => undefined,
  onPasswordChangeRequired: () => undefined,
}

export function connectSession(next: SessionHooks): void {
  hooks = next
}

function changesSomething(request: Request): boolean {
  return !['GET', 'HEAD', 'OPTIONS'].includes(request.method)
}

async function dispatch(request: Request): Promise<Response> {
  const token = hooks.csrfToken()
  if (token && changesSomething(request)) request.headers.set('X-CSRF-Token', token)
  try {
    return await fetch(request)
  } catch (error) {
    if (request.signal.aborted) throw error
    throw unreachable()
  }
}

async function refusalCode(response: Response): Promise<string | null> {
  if (response.status !== 401 && response.status !== 403) return null
  try {
    const body: unknown = await response.clone().json()
    return errorFromBody(response.status, body).code
  } catch {
    return null
  }
}

/** Sends without a consequence for the session, whatever the answer. */
export const sendQuietly = dispatch

/** The only place that calls `fetch`. */
export async function send(request: Request): Promise<Response> {
  const again = changesSomething(request) ? request.clone() : null
  const response = await dispatch(request)
  const code = await refusalCode(response)
  if (code === 'csrf_token_missing' && again && (await hooks.renewCsrfToken())) {
    return dispatch(again)
  }
  if (code === 'sign_in_required') hooks.onSignInRequired()
  if (code === 'password_change_required') hooks.onPasswordChangeRequired()
  return response
}

export const client = createClient<paths>({ baseUrl: window.location.origin, fetch: send })

interface Answer<T> {
  data?: T
  error?: unknown
  response: Response
}

/** Turns an answer into its data, or throws an `ApiError`. */
export async function unwrap<T>(call: Promise<Answer<T>>): Promise<T> {
  const { data, error, response } = await call
  if (!response.ok) {
    throw errorFromBody(response.status, error, response.headers.get('Retry-After'))
  }
  return data as T
}
