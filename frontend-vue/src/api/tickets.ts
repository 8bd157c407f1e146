import { client, unwrap } from './client'
import type { Ticket, TicketList } from './types'

const PAGE_OF_TICKETS = 30

/** One's own tickets, newest first; `before` is the `next_before` of the page before. */
export function listMyTickets(query: string, before?: number): Promise<TicketList> {
  return unwrap(
    client.GET('/api/tickets', {
      params: {
        query: { scope: 'mine', limit: PAGE_OF_TICKETS, query: query || undefined, before },
      },
    }),
  )
}

export function fetchTicket(ticketId: string): Promise<Ticket> {
  return unwrap(
    client.GET('/api/tickets/{ticket_id}', { params: { path: { ticket_id: ticketId } } }),
  )
}
