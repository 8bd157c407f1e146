import type {
  Article,
  ChatMessage,
  ChatSession,
  SignedIn,
  Source,
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
  return { mode: 'agent', questions: ['Why does the VPN drop?'], ...over }
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
