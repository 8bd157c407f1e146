import { client, unwrap } from './client'
import type { CreatedIssue, DraftedTicket, Summary, TicketDraft } from './types'

/** What a chat is about, in a line and in a few. */
export function summarizeChat(chatSessionId: string): Promise<Summary> {
  const body = { chat_session_id: chatSessionId }
  return unwrap(client.POST('/api/helpdesk/summarize', { body }))
}

/** A ticket about a chat, to check and change; nothing is stored. */
export function draftTicket(chatSessionId: string): Promise<DraftedTicket> {
  const body = { chat_session_id: chatSessionId }
  return unwrap(client.POST('/api/helpdesk/draft-ticket', { body }))
}

/** Files exactly this text; under the same key the same ticket. */
export function createIssue(
  chatSessionId: string,
  draft: TicketDraft,
  key: string,
): Promise<CreatedIssue> {
  const body = { draft, chat_session_id: chatSessionId }
  return unwrap(
    client.POST('/api/helpdesk/create-issue', {
      body,
      params: { header: { 'idempotency-key': key } },
    }),
  )
}
