import type {
  AgentSession,
  AgentStep,
  AgentTurn,
  Article,
  Candidate,
  ChatMessage,
  ChatSession,
  SignedIn,
  Source,
  Ticket,
  TicketDraft,
  TokenSummary,
  Welcome,
} from '@/api/types'

/** Valid by default; a test names only what it is about. */

export function aSession(over: Partial<ChatSession> = {}): ChatSession {
  return {
    id: 'session-1',
    title: 'VPN drops every hour',
    mode: 'agent',
    created_at: '2026-11-30T10:00:00Z',
    updated_at: '2026-11-30T10:00:00Z',
    ...over,
  }
}

export function aWelcome(over: Partial<Welcome> = {}): Welcome {
  return { mode: 'agent', agent_enabled: true, questions: ['Why does the VPN drop?'], ...over }
}

export function aQuestion(over: Partial<ChatMessage> = {}): ChatMessage {
  return {
    id: 'question-1',
    chat_session_id: 'session-1',
    seq: 1,
    role: 'user',
    content: 'Why does the VPN drop?',
    created_at: '2026-11-30T10:00:00Z',
    kb_resolved: null,
    sources: [],
    feedback: null,
    reply_to: null,
    degraded: null,
    agent_summary: null,
    notice: null,
    ...over,
  }
}

export function anAnswer(over: Partial<ChatMessage> = {}): ChatMessage {
  return aQuestion({
    id: 'answer-1',
    seq: 2,
    role: 'assistant',
    content: 'The lease ends every hour. [1]',
    kb_resolved: true,
    sources: [aSource()],
    reply_to: 'question-1',
    ...over,
  })
}

export function aSource(over: Partial<Source> = {}): Source {
  return {
    number: 1,
    article_id: 'article-1',
    title: 'VPN leases',
    heading: 'Causes',
    quote: 'The lease ends every hour.',
    start: 11,
    end: 37,
    collection: 'IT handbook',
    sample: false,
    ...over,
  }
}

export function anArticle(over: Partial<Article> = {}): Article {
  return {
    id: 'article-1',
    title: 'VPN leases',
    body: '## Causes\n\nThe lease ends every hour.\n\nAsk for a longer one.',
    collection: { name: 'IT handbook', sample: false },
    tags: ['vpn'],
    updated_at: '2026-11-01T10:00:00Z',
    ...over,
  }
}

export function aToken(over: Partial<TokenSummary> = {}): TokenSummary {
  return {
    id: 'token-1',
    name: 'nightly report',
    prefix: 'hda_1234',
    created_at: '2026-11-01T10:00:00Z',
    last_used_at: null,
    expires_at: null,
    ...over,
  }
}

export function signedIn(over: Partial<SignedIn> = {}): SignedIn {
  return {
    user: { id: 'user-1', username: 'maya', display_name: 'Maya Rowan', role: 'requester' },
    csrf_token: 'csrf-1',
    must_change_password: false,
    ...over,
  }
}

export function aStep(over: Partial<AgentStep> = {}): AgentStep {
  return {
    seq: 1,
    action: 'retry_kb',
    status: 'ok',
    reason: 'A second look',
    started_at: '2026-11-30T10:01:00Z',
    duration_ms: 400,
    found: 2,
    ...over,
  }
}

/** An open question, unless told otherwise. */
export function aTurn(over: Partial<AgentTurn> = {}): AgentTurn {
  return {
    session_id: 'agent-1',
    kind: 'question',
    message: 'Only you, or others as well?',
    choices: ['Just me', 'My team'],
    pending_question_id: 'a1',
    question_number: 1,
    question_limit: 2,
    ...over,
  }
}

export function aDraft(over: Partial<TicketDraft> = {}): TicketDraft {
  return {
    title: 'Budget reports return 403',
    description: 'Since Monday.',
    severity: 'high',
    impact: 'Team',
    category: 'access',
    ...over,
  }
}

export function aCandidate(over: Partial<Candidate> = {}): Candidate {
  return {
    source: 'desk',
    number: 42,
    title: 'Oracle 403',
    status: 'in_progress',
    url: '/my/tickets/ticket-42',
    odds: 0.8,
    evidence: ['oracle', '403'],
    created_at: '2026-11-29T10:00:00Z',
    ...over,
  }
}

export function aDraftTurn(over: Partial<AgentTurn> = {}): AgentTurn {
  return aTurn({
    kind: 'draft_ready',
    message: 'I wrote a ticket.',
    choices: null,
    pending_question_id: 'b2',
    question_number: null,
    question_limit: null,
    draft: aDraft(),
    body_preview: 'Since Monday.\n\nReported by chat.',
    draft_digest: 'd1',
    candidates: [],
    ...over,
  })
}

export function aFiledTurn(over: Partial<AgentTurn> = {}): AgentTurn {
  return aTurn({
    kind: 'filed',
    message: 'Done.',
    choices: null,
    pending_question_id: null,
    ticket_id: 'ticket-12',
    ticket_number: 12,
    ...over,
  })
}

export function anAgentSession(over: Partial<AgentSession> = {}): AgentSession {
  return {
    session_id: 'agent-1',
    chat_session_id: 'session-1',
    status: 'awaiting_user',
    outcome: null,
    reason: null,
    turn: aTurn(),
    steps: [aStep(), aStep({ seq: 2, action: 'ask_user', found: null })],
    exchanges: [],
    facts: [],
    last_event_id: 10,
    created_at: '2026-11-30T10:01:00Z',
    updated_at: '2026-11-30T10:01:05Z',
    ...over,
  }
}

export function aTicket(over: Partial<Ticket> = {}): Ticket {
  return {
    id: 'ticket-12',
    number: 12,
    title: 'Budget reports return 403',
    status: 'new',
    severity: 'high',
    impact: 'Team',
    category: 'access',
    origin: 'chat',
    requester_name: 'Maya Rowan',
    is_mine: true,
    created_at: '2026-11-30T10:05:00Z',
    updated_at: '2026-11-30T10:05:00Z',
    body: '## What happens\n\nSince Monday.',
    agent_session_id: 'agent-1',
    chat_session_id: 'session-1',
    issue_state: 'off',
    issue_url: null,
    issue_number: null,
    issue_status: null,
    ...over,
  }
}
