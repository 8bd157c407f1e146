import { defineStore } from 'pinia'
import { computed, ref, shallowRef } from 'vue'
import * as api from '@/api/auth'
import { ApiError } from '@/api/errors'
import type { SignedIn, User } from '@/api/types'
import { useDrafts } from './drafts'

export type AuthStatus = 'unknown' | 'guest' | 'signed_in' | 'unreachable'

export const useAuth = defineStore('auth', () => {
  const status = ref<AuthStatus>('unknown')
  const user = shallowRef<User | null>(null)
  const csrfToken = ref<string | null>(null)
  const mustChangePassword = ref<boolean>(false)
  /** Stays after the session has ended, to tell whether the same person comes back. */
  const lastUserId = ref<string | null>(null)
  const isSignedIn = computed(() => status.value === 'signed_in')

  function accept(signedIn: SignedIn): void {
    user.value = signedIn.user
    csrfToken.value = signedIn.csrf_token
    mustChangePassword.value = signedIn.must_change_password
    status.value = 'signed_in'
    lastUserId.value = signedIn.user.id
    useDrafts().claimFor(signedIn.user.id)
  }

  function becomeGuest(): void {
    user.value = null
    csrfToken.value = null
    mustChangePassword.value = false
    status.value = 'guest'
  }

  /** Asks the server who is signed in. A server that does not answer is neither yes nor no. */
  async function load(): Promise<void> {
    try {
      accept(await api.fetchSignedIn())
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) becomeGuest()
      else status.value = 'unreachable'
    }
  }

  async function renewCsrfToken(): Promise<boolean> {
    try {
      accept(await api.fetchSignedIn())
      return true
    } catch {
      return false
    }
  }

  async function login(username: string, password: string): Promise<void> {
    accept(await api.login(username, password))
  }

  async function changePassword(current: string, next: string): Promise<void> {
    accept(await api.changePassword(current, next))
  }

  /** Signing out here counts even if the server could not be told that the session is over. */
  async function logout(): Promise<void> {
    try {
      await api.logout()
    } finally {
      useDrafts().clear()
      becomeGuest()
    }
  }

  function requirePasswordChange(): void {
    mustChangePassword.value = true
  }

  return {
    status,
    user,
    csrfToken,
    mustChangePassword,
    lastUserId,
    isSignedIn,
    load,
    renewCsrfToken,
    login,
    changePassword,
    logout,
    expire: becomeGuest,
    requirePasswordChange,
  }
})
