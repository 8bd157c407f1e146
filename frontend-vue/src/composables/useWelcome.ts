import { useQuery } from '@pinia/colada'
import { fetchWelcome } from '@/api/chat'

/** What an empty chat begins with: the mode that is set, and questions that get an answer. */
export function useWelcome(isWanted: () => boolean = () => true) {
  return useQuery({
    key: ['welcome'],
    query: fetchWelcome,
    staleTime: 300_000,
    enabled: isWanted,
  })
}
