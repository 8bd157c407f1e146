import type { Router } from 'vue-router'
import { connectSession } from '@/api/client'
import type { useAuth } from '@/stores/auth'

/** Ties the calls to the session: where the token comes from, and where to go when the session is over. */
export function connectSessionTo(auth: ReturnType<typeof useAuth>, router: Router): void {
  const here = () => router.currentRoute.value.fullPath
  connectSession({
    csrfToken: () => auth.csrfToken,
    renewCsrfToken: auth.renewCsrfToken,
    onSignInRequired() {
      // Finding out that nobody is signed in is not the end of a session.
      if (!auth.isSignedIn) return
      auth.expire()
      void router.push({ name: 'login', query: { next: here(), ended: '1' } })
    },
    onPasswordChangeRequired() {
      if (auth.mustChangePassword) return
      auth.requirePasswordChange()
      void router.push({ name: 'change-password', query: { next: here() } })
    },
  })
}
