import { client, unwrap } from './client'
import type { CreatedToken, SignedIn, TokenSummary } from './types'

export function login(username: string, password: string): Promise<SignedIn> {
  return unwrap(client.POST('/api/auth/login', { body: { username, password } }))
}

export function fetchSignedIn(): Promise<SignedIn> {
  return unwrap(client.GET('/api/auth/me'))
}

export async function logout(): Promise<void> {
  await unwrap(client.POST('/api/auth/logout'))
}

export function changePassword(current: string, next: string): Promise<SignedIn> {
  return unwrap(
    client.POST('/api/auth/password', { body: { current_password: current, new_password: next } }),
  )
}

export async function listTokens(): Promise<TokenSummary[]> {
  return (await unwrap(client.GET('/api/auth/tokens'))).items
}

export function createToken(name: string, expiresInDays: number | null): Promise<CreatedToken> {
  const body = expiresInDays === null ? { name } : { name, expires_in_days: expiresInDays }
  return unwrap(client.POST('/api/auth/tokens', { body }))
}

export async function revokeToken(tokenId: string): Promise<void> {
  await unwrap(
    client.DELETE('/api/auth/tokens/{token_id}', { params: { path: { token_id: tokenId } } }),
  )
}
