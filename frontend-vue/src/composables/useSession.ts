import { useQueryCache } from '@pinia/colada'
import { useAuth } from '@/stores/auth'
import { useChat } from '@/stores/chat'
import { useHelpdeskSession } from '@/stores/helpdeskSession'
import { useMessageLogs } from '@/stores/messageLogs'

/** Signing in and out, and forgetting what belongs to the person who was here before. */
export function useSession() {
  const auth = useAuth()
  const chat = useChat()
  const logs = useMessageLogs()
  const agents = useHelpdeskSession()
  const cache = useQueryCache()

  function forgetPerson(): void {
    chat.reset()
    logs.reset()
    agents.reset()
    for (const entry of cache.getEntries()) cache.remove(entry)
  }

  async function signIn(username: string, password: string): Promise<void> {
    const before = auth.lastUserId
    await auth.login(username, password)
    // After the end of a session the same person finds everything as it was, another one nothing.
    if (before !== null && before !== auth.lastUserId) forgetPerson()
  }

  async function signOut(): Promise<void> {
    await auth.logout().catch(() => undefined)
    forgetPerson()
  }

  return { signIn, signOut }
}
