// Generated from the OpenAPI document by `npm run generate:api`. Do not edit by hand.

export interface paths {
  '/api/auth/login': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    /**
     * Sign In
     * @description Sign in with user name and password; sets the session cookie.
     */
    post: operations['sign_in_api_auth_login_post']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/auth/logout': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    /**
     * Sign Out
     * @description End this browser session and clear its cookie.
     */
    post: operations['sign_out_api_auth_logout_post']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/auth/me': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /**
     * Who Am I
     * @description Who is signed in.
     */
    get: operations['who_am_i_api_auth_me_get']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/auth/password': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    /**
     * Change Password
     * @description Replace one's own password; every other browser session of the account ends.
     */
    post: operations['change_password_api_auth_password_post']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/auth/tokens': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /**
     * List Tokens
     * @description One's own access tokens, newest first.
     */
    get: operations['list_tokens_api_auth_tokens_get']
    put?: never
    /**
     * Create Token
     * @description Make an access token; its secret is in this answer and nowhere else.
     */
    post: operations['create_token_api_auth_tokens_post']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/auth/tokens/{token_id}': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    post?: never
    /**
     * Revoke Token
     * @description Revoke one of one's own access tokens.
     */
    delete: operations['revoke_token_api_auth_tokens__token_id__delete']
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/chat/messages/{message_id}/feedback': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    /**
     * Rate Answer
     * @description Say whether an answer helped, or take it back.
     */
    put: operations['rate_answer_api_chat_messages__message_id__feedback_put']
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/chat/sessions': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /**
     * List Sessions
     * @description One's own chat sessions, newest activity first.
     */
    get: operations['list_sessions_api_chat_sessions_get']
    put?: never
    /**
     * Create Session
     * @description Open a chat session.
     */
    post: operations['create_session_api_chat_sessions_post']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/chat/sessions/{chat_session_id}': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /**
     * Get Session
     * @description One of one's own chat sessions.
     */
    get: operations['get_session_api_chat_sessions__chat_session_id__get']
    put?: never
    post?: never
    /**
     * Delete Session
     * @description Delete a chat session with its messages.
     */
    delete: operations['delete_session_api_chat_sessions__chat_session_id__delete']
    options?: never
    head?: never
    /**
     * Change Session
     * @description Change mode or title.
     */
    patch: operations['change_session_api_chat_sessions__chat_session_id__patch']
    trace?: never
  }
  '/api/chat/sessions/{chat_session_id}/messages': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /**
     * List Messages
     * @description The newest messages before ``before_seq``, in order.
     */
    get: operations['list_messages_api_chat_sessions__chat_session_id__messages_get']
    put?: never
    /**
     * Post Message
     * @description Ask; the answer comes as one body, or as a stream when the client accepts
     *     ``text/event-stream``.
     */
    post: operations['post_message_api_chat_sessions__chat_session_id__messages_post']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/chat/welcome': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /**
     * Welcome
     * @description What an empty chat begins with: the mode that is set, and questions that get an answer.
     */
    get: operations['welcome_api_chat_welcome_get']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/health': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /**
     * Report Health
     * @description Whether the helpdesk can serve people: 200, or 503 while the database is away.
     */
    get: operations['report_health_api_health_get']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/health/live': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /**
     * Report Liveness
     * @description The process answers, whatever the database does.
     */
    get: operations['report_liveness_api_health_live_get']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/helpdesk/agent/abort': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    /**
     * Abort Agent
     * @description End a session; never refused, and once it has ended the same answer again.
     */
    post: operations['abort_agent_api_helpdesk_agent_abort_post']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/helpdesk/agent/confirm': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    /**
     * Confirm Agent
     * @description File exactly the draft that was shown, or link exactly the candidate that was.
     */
    post: operations['confirm_agent_api_helpdesk_agent_confirm_post']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/helpdesk/agent/preview': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    /**
     * Preview Draft
     * @description How an edited draft would be filed, and the digest to confirm it with.
     */
    post: operations['preview_draft_api_helpdesk_agent_preview_post']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/helpdesk/agent/resume': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    /**
     * Resume Agent
     * @description Answer the pending question, or add something to a draft that waits.
     */
    post: operations['resume_agent_api_helpdesk_agent_resume_post']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/helpdesk/agent/sessions': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /**
     * List Agent Sessions
     * @description The sessions of one of one's own chats, newest first.
     */
    get: operations['list_agent_sessions_api_helpdesk_agent_sessions_get']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/helpdesk/agent/sessions/{session_id}': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /**
     * Get Agent Session
     * @description One of one's own sessions as it stands.
     */
    get: operations['get_agent_session_api_helpdesk_agent_sessions__session_id__get']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/helpdesk/agent/sessions/{session_id}/events': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /**
     * Follow Agent Session
     * @description The events behind ``Last-Event-ID`` as they come, until the session pauses or ends.
     */
    get: operations['follow_agent_session_api_helpdesk_agent_sessions__session_id__events_get']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/helpdesk/agent/start': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    /**
     * Start Agent
     * @description Begin a session; it works until it needs an answer or has an end.
     */
    post: operations['start_agent_api_helpdesk_agent_start_post']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/helpdesk/classify': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    /**
     * Classify Text
     * @description How a text is graded: severity, impact, category, each with a confidence.
     */
    post: operations['classify_text_api_helpdesk_classify_post']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/helpdesk/create-issue': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    /**
     * Create Issue
     * @description File exactly this text; asked again under its key, or within ten minutes, the same ticket.
     */
    post: operations['create_issue_api_helpdesk_create_issue_post']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/helpdesk/draft-ticket': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    /**
     * Draft Ticket
     * @description A ticket about a conversation, to check, change and file. Nothing is stored.
     */
    post: operations['draft_ticket_api_helpdesk_draft_ticket_post']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/helpdesk/duplicates': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    /**
     * Find Duplicates
     * @description Tickets that may be about the same as a text, whoever requested them.
     */
    post: operations['find_duplicates_api_helpdesk_duplicates_post']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/helpdesk/summarize': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    /**
     * Summarize
     * @description What a conversation is about.
     */
    post: operations['summarize_api_helpdesk_summarize_post']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/integrations/github/webhook': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    /**
     * Receive Github
     * @description A delivery of the repository's webhook; what does not concern tickets is ignored.
     */
    post: operations['receive_github_api_integrations_github_webhook_post']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/knowledge/articles/{article_id}': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /**
     * Get Article
     * @description An article, so that a citation can be opened where it stands.
     */
    get: operations['get_article_api_knowledge_articles__article_id__get']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/telemetry': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    /**
     * Take Telemetry
     * @description Count what happened in the page. Names and properties are closed; there is no text.
     */
    post: operations['take_telemetry_api_telemetry_post']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/tickets': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /**
     * List Tickets
     * @description One's own tickets and those one follows, newest first; ``scope=all`` is for operators.
     */
    get: operations['list_tickets_api_tickets_get']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api/tickets/{ticket_id}': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    /**
     * Get Ticket
     * @description One ticket that the caller may see.
     */
    get: operations['get_ticket_api_tickets__ticket_id__get']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
}
export type webhooks = Record<string, never>
export interface components {
  schemas: {
    /**
     * AbortReason
     * @description Why something was ended before its end; a closed set.
     * @enum {string}
     */
    AbortReason:
      | 'user'
      | 'budget_exhausted'
      | 'server_restart'
      | 'kill_switch'
      | 'expired'
      | 'erased'
      | 'error'
    /**
     * AgentAbortRequest
     * @description Which session to end.
     */
    AgentAbortRequest: {
      /** Chat Session Id */
      chat_session_id?: string | null
      /**
       * Session Id
       * Format: uuid
       */
      session_id: string
    }
    /**
     * AgentAborted
     * @description The session has ended.
     */
    AgentAborted: {
      /**
       * Ok
       * @default true
       * @constant
       */
      ok?: true
      turn: components['schemas']['AgentTurn']
    }
    /**
     * AgentConfirmRequest
     * @description The owner's yes to exactly this draft, or to linking exactly this candidate.
     */
    AgentConfirmRequest: {
      /** Chat Session Id */
      chat_session_id?: string | null
      draft?: components['schemas']['TicketDraft'] | null
      /** Draft Digest */
      draft_digest?: string | null
      link?: components['schemas']['LinkTarget'] | null
      /** Pending Question Id */
      pending_question_id: string
      /**
       * Session Id
       * Format: uuid
       */
      session_id: string
    }
    /**
     * AgentExchange
     * @description Something the agent asked, and what the person said to it.
     */
    AgentExchange: {
      /** Question */
      question: string
      /** Reply */
      reply: string
    }
    /**
     * AgentFact
     * @description Something the agent knows of the matter, under a closed key.
     */
    AgentFact: {
      /** Key */
      key: string
      /** Value */
      value: string
    }
    /**
     * AgentPreviewRequest
     * @description An edited draft, to see how it would be filed.
     */
    AgentPreviewRequest: {
      draft: components['schemas']['TicketDraft']
      /**
       * Session Id
       * Format: uuid
       */
      session_id: string
    }
    /**
     * AgentResumeRequest
     * @description An answer to the pending question: one of its choices, or free text.
     */
    AgentResumeRequest: {
      /** Chat Session Id */
      chat_session_id?: string | null
      /** Choice */
      choice?: string | null
      /** Pending Question Id */
      pending_question_id: string
      /** Reply */
      reply?: string | null
      /**
       * Session Id
       * Format: uuid
       */
      session_id: string
    }
    /**
     * AgentSession
     * @description A session as it stands: enough to show it after a reload. ``turn`` is None until the first
     *     pause; ``last_event_id`` is where to follow its events from.
     */
    AgentSession: {
      /** Chat Session Id */
      chat_session_id: string | null
      /**
       * Created At
       * Format: date-time
       */
      created_at: string
      /** Exchanges */
      exchanges: components['schemas']['AgentExchange'][]
      /** Facts */
      facts: components['schemas']['AgentFact'][]
      /** Last Event Id */
      last_event_id: number
      outcome: components['schemas']['Outcome'] | null
      reason: components['schemas']['AbortReason'] | null
      /**
       * Session Id
       * Format: uuid
       */
      session_id: string
      status: components['schemas']['SessionStatus']
      /** Steps */
      steps: components['schemas']['AgentStep'][]
      turn: components['schemas']['AgentTurn'] | null
      /**
       * Updated At
       * Format: date-time
       */
      updated_at: string
    }
    /**
     * AgentSessionList
     * @description Sessions of one chat, newest first.
     */
    AgentSessionList: {
      /** Items */
      items: components['schemas']['AgentSession'][]
    }
    /**
     * AgentStartRequest
     * @description What the agent is to look into.
     */
    AgentStartRequest: {
      /** Chat Session Id */
      chat_session_id?: string | null
      /** Conversation */
      conversation?: components['schemas']['ConversationTurn'][] | null
      /** @default chip */
      trigger?: components['schemas']['Trigger']
    }
    /**
     * AgentStep
     * @description One decision of the supervisor; ``seq`` is stable and counts from 1 within the session.
     *
     *     ``found`` says how many results a search gave; ``reason`` why the step was chosen;
     *     ``is_cached``: the session knew what was found, and nothing was searched again.
     */
    AgentStep: {
      action: components['schemas']['NextAction']
      /** Duration Ms */
      duration_ms?: number | null
      /** Found */
      found?: number | null
      /**
       * Is Cached
       * @default false
       */
      is_cached?: boolean
      /** Reason */
      reason: string
      /** Seq */
      seq: number
      /**
       * Started At
       * Format: date-time
       */
      started_at: string
      status: components['schemas']['StepStatus']
    }
    /**
     * AgentSummary
     * @description Of an agent's line in a chat: the session it stands for, and how that stands.
     *
     *     There is one line for each session; it changes with every turn.
     */
    AgentSummary: {
      /**
       * Agent Session Id
       * Format: uuid
       */
      agent_session_id: string
      kind: components['schemas']['TurnKind']
      /** Linked Issue Url */
      linked_issue_url: string | null
      /** Ticket Id */
      ticket_id: string | null
    }
    /**
     * AgentTurn
     * @description What one exchange with the agent ended in.
     *
     *     ``pending_question_id`` names what is waited for; the answer must carry it. ``body_preview`` is
     *     the ticket's text exactly as it would be filed, ``draft_digest`` what a confirm is bound to.
     */
    AgentTurn: {
      /** Body Preview */
      body_preview?: string | null
      /** Candidates */
      candidates?: components['schemas']['Candidate'][] | null
      /** Chat Message Id */
      chat_message_id?: string | null
      /** Choices */
      choices?: string[] | null
      /** Debug Trace */
      debug_trace?: components['schemas']['AgentStep'][] | null
      /** Deduplicated */
      deduplicated?: boolean | null
      /** Degraded */
      degraded?: string | null
      draft?: components['schemas']['TicketDraft'] | null
      /** Draft Digest */
      draft_digest?: string | null
      /** Issue Number */
      issue_number?: number | null
      issue_state?: components['schemas']['IssueState'] | null
      /** Issue Url */
      issue_url?: string | null
      kind: components['schemas']['TurnKind']
      /** Linked Issue Url */
      linked_issue_url?: string | null
      /** Message */
      message: string
      /** Pending Question Id */
      pending_question_id?: string | null
      proposal?: components['schemas']['Proposal'] | null
      /** Question Limit */
      question_limit?: number | null
      /** Question Number */
      question_number?: number | null
      reason?: components['schemas']['AbortReason'] | null
      /**
       * Session Id
       * Format: uuid
       */
      session_id: string
      /** Sources */
      sources?: components['schemas']['Source'][] | null
      /** Ticket Id */
      ticket_id?: string | null
      /** Ticket Number */
      ticket_number?: number | null
      /** Web Results */
      web_results?: components['schemas']['WebPage'][] | null
    }
    /**
     * Article
     * @description An article; the spans of sources are code point offsets into ``body`` (Markdown).
     */
    Article: {
      /** Body */
      body: string
      collection: components['schemas']['Collection']
      /**
       * Id
       * Format: uuid
       */
      id: string
      /** Tags */
      tags: string[]
      /** Title */
      title: string
      /**
       * Updated At
       * Format: date-time
       */
      updated_at: string
    }
    /**
     * CancelClicked
     * @description Somebody wanted to end a session.
     */
    CancelClicked: {
      from_state: components['schemas']['FromState']
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      name: 'agent.cancel_clicked'
    }
    /**
     * Candidate
     * @description A ticket, or an issue of the tracker, that may be about the same.
     *
     *     ``odds``: 0 to 1; ``evidence``: identifiers and words in common; ``sameness``: the verdict, to
     *     be worded and never to be acted on.
     */
    Candidate: {
      /**
       * Created At
       * Format: date-time
       */
      created_at: string
      /** Evidence */
      evidence: string[]
      /** Number */
      number: number
      /** Odds */
      odds: number
      /** @default related */
      sameness?: components['schemas']['Sameness']
      source: components['schemas']['CandidateSource']
      /** Status */
      status: components['schemas']['TicketStatus'] | components['schemas']['IssueStatus']
      /** Title */
      title: string
      /** Url */
      url: string
    }
    /**
     * CandidateSource
     * @description Where a possible duplicate stands.
     * @enum {string}
     */
    CandidateSource: 'desk' | 'github'
    /**
     * Category
     * @description What kind of matter it is.
     * @enum {string}
     */
    Category: 'access' | 'hardware' | 'software' | 'network' | 'email' | 'data' | 'other'
    /**
     * CategoryGrade
     * @description A category and how sure it is. ``model``: version of the fitted model whose label it is;
     *     None: one of the product's own, by rules.
     */
    CategoryGrade: {
      /** Confidence */
      confidence: number
      /** Model */
      model: number | null
      /** Value */
      value: string
    }
    /**
     * ChangeChatSessionRequest
     * @description What to change; what is left out stays.
     */
    ChangeChatSessionRequest: {
      mode?: components['schemas']['ChatMode'] | null
      /** Title */
      title?: string | null
    }
    /**
     * ChangePasswordRequest
     * @description The present password and the one to take its place.
     */
    ChangePasswordRequest: {
      /** Current Password */
      current_password: string
      /** New Password */
      new_password: string
    }
    /**
     * ChatMessage
     * @description One line of a chat session. A person's is plain text, the assistant's Markdown.
     *
     *     ``degraded`` says in a sentence what could not be done as usual. With ``agent_summary`` the line
     *     is an agent session's recap, with ``notice`` it tells of a ticket by itself.
     */
    ChatMessage: {
      agent_summary: components['schemas']['AgentSummary'] | null
      /**
       * Chat Session Id
       * Format: uuid
       */
      chat_session_id: string
      /** Content */
      content: string
      /**
       * Created At
       * Format: date-time
       */
      created_at: string
      /** Degraded */
      degraded: string | null
      feedback: components['schemas']['Rating'] | null
      /**
       * Id
       * Format: uuid
       */
      id: string
      /** Kb Resolved */
      kb_resolved: boolean | null
      notice: components['schemas']['ChatNotice'] | null
      /** Reply To */
      reply_to: string | null
      role: components['schemas']['MessageRole']
      /** Seq */
      seq: number
      /** Sources */
      sources: components['schemas']['Source'][]
    }
    /**
     * ChatMessageList
     * @description Messages in order; ``has_earlier`` says that there are more before them.
     */
    ChatMessageList: {
      /** Has Earlier */
      has_earlier: boolean
      /** Items */
      items: components['schemas']['ChatMessage'][]
    }
    /**
     * ChatMode
     * @description ASK answers only; AGENT may troubleshoot and write a ticket draft.
     * @enum {string}
     */
    ChatMode: 'ask' | 'agent'
    /**
     * ChatNotice
     * @description Of a line that nobody asked for: what happened to a ticket that was filed from this chat.
     */
    ChatNotice: {
      /** Issue Number */
      issue_number: number
      kind: components['schemas']['NoticeKind']
      /**
       * Ticket Id
       * Format: uuid
       */
      ticket_id: string
      /** Ticket Number */
      ticket_number: number
    }
    /**
     * ChatSession
     * @description One chat session; its title is the first question, shortened, and empty before that.
     */
    ChatSession: {
      /**
       * Created At
       * Format: date-time
       */
      created_at: string
      /**
       * Id
       * Format: uuid
       */
      id: string
      mode: components['schemas']['ChatMode']
      /** Title */
      title: string
      /**
       * Updated At
       * Format: date-time
       */
      updated_at: string
    }
    /**
     * ChatSessionList
     * @description Chat sessions, newest activity first; ``next_before`` asks for the page after.
     */
    ChatSessionList: {
      /** Items */
      items: components['schemas']['ChatSession'][]
      /** Next Before */
      next_before: string | null
    }
    /**
     * ChipClicked
     * @description A chip was pressed; positions count from one.
     */
    ChipClicked: {
      chip_kind: components['schemas']['ChipKind']
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      name: 'agent.chip_clicked'
      /** Position */
      position: number
    }
    /**
     * ChipKind
     * @description What a chip leads to.
     * @enum {string}
     */
    ChipKind: 'get_help' | 'switch_to_agent' | 'quick_reply'
    /**
     * ClassifyRequest
     * @description A text to be graded.
     */
    ClassifyRequest: {
      /** Text */
      text: string
    }
    /**
     * Collection
     * @description Where an article comes from; ``sample`` marks what ships with the product.
     */
    Collection: {
      /** Name */
      name: string
      /** Sample */
      sample: boolean
    }
    /**
     * ConversationTurn
     * @description One message of the conversation that is handed over.
     */
    ConversationTurn: {
      /** Content */
      content: string
      /**
       * Role
       * @enum {string}
       */
      role: 'user' | 'assistant'
    }
    /**
     * CreateChatSessionRequest
     * @description The mode to start in; left out, the one that is set for new chats.
     */
    CreateChatSessionRequest: {
      mode?: components['schemas']['ChatMode'] | null
    }
    /**
     * CreateIssueRequest
     * @description A ticket as its person wants it filed, and the chat of theirs that it came from.
     */
    CreateIssueRequest: {
      /** Chat Session Id */
      chat_session_id?: string | null
      draft: components['schemas']['TicketDraft']
    }
    /**
     * CreateIssueResponse
     * @description The ticket; ``deduplicated``: the same request had made it before. ``issue_url`` and
     *     ``issue_number`` are of its copy in an outside tracker, ``issue_state`` says how far that is.
     */
    CreateIssueResponse: {
      /** Deduplicated */
      deduplicated: boolean
      /** Issue Number */
      issue_number: number | null
      issue_state: components['schemas']['IssueState']
      /** Issue Url */
      issue_url: string | null
      /**
       * Ticket Id
       * Format: uuid
       */
      ticket_id: string
      /** Ticket Number */
      ticket_number: number
    }
    /**
     * CreateTokenRequest
     * @description A name to know the token by, and when it ends (never, when left out).
     */
    CreateTokenRequest: {
      /** Expires In Days */
      expires_in_days?: number | null
      /** Name */
      name: string
    }
    /**
     * CreatedToken
     * @description A new access token with its secret, shown this once.
     */
    CreatedToken: {
      /**
       * Created At
       * Format: date-time
       */
      created_at: string
      /** Expires At */
      expires_at: string | null
      /**
       * Id
       * Format: uuid
       */
      id: string
      /** Last Used At */
      last_used_at: string | null
      /** Name */
      name: string
      /** Prefix */
      prefix: string
      /** Token */
      token: string
    }
    /**
     * DraftPreview
     * @description The text as it would be filed, and the digest that a confirm of it must carry.
     */
    DraftPreview: {
      /** Body Preview */
      body_preview: string
      draft: components['schemas']['TicketDraft']
      /** Draft Digest */
      draft_digest: string
    }
    /**
     * DraftTicketRequest
     * @description What to write a ticket about.
     */
    DraftTicketRequest: {
      /** Chat Session Id */
      chat_session_id?: string | null
      /** Conversation */
      conversation?: components['schemas']['ConversationTurn'][] | null
    }
    /**
     * DraftedTicket
     * @description A ticket to check, change and file; ``body_preview`` is how its text would stand there, above
     *     the footer.
     */
    DraftedTicket: {
      /** Body Preview */
      body_preview: string
      draft: components['schemas']['TicketDraft']
    }
    /**
     * DuplicatesFound
     * @description The nearest tickets, best first. ``semantic``: whether there is a model of meaning.
     */
    DuplicatesFound: {
      /** Items */
      items: components['schemas']['Candidate'][]
      /** Semantic */
      semantic: boolean
    }
    /**
     * DuplicatesRequest
     * @description A text, best its title on the first line, and how many tickets to give.
     */
    DuplicatesRequest: {
      /**
       * K
       * @default 5
       */
      k?: number
      /** Text */
      text: string
    }
    /**
     * ErrorKindShown
     * @description Which kind of problem a person was shown.
     * @enum {string}
     */
    ErrorKindShown:
      | 'unreachable'
      | 'refused'
      | 'conflict'
      | 'expired'
      | 'limit'
      | 'unavailable'
      | 'fault'
      | 'other'
    /**
     * ErrorShown
     * @description A person was shown a problem.
     */
    ErrorShown: {
      kind: components['schemas']['ErrorKindShown']
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      name: 'agent.error_shown'
    }
    /**
     * Exchange
     * @description A stored question and its stored answer.
     */
    Exchange: {
      answer: components['schemas']['ChatMessage']
      question: components['schemas']['ChatMessage']
    }
    /**
     * FeedbackRequest
     * @description A verdict on an answer, or null to take it back.
     */
    FeedbackRequest: {
      /** Comment */
      comment?: string | null
      rating: components['schemas']['Rating'] | null
    }
    /**
     * FromState
     * @description How the session stood when somebody wanted to end it.
     * @enum {string}
     */
    FromState:
      'starting' | 'running' | 'awaiting_user' | 'awaiting_confirm' | 'confirming' | 'other'
    /**
     * Grades
     * @description How a text is graded; confidences are 0 to 1.
     */
    Grades: {
      category: components['schemas']['CategoryGrade']
      impact: components['schemas']['ImpactGrade']
      severity: components['schemas']['SeverityGrade']
    }
    /** HTTPValidationError */
    HTTPValidationError: {
      /** Detail */
      detail?: components['schemas']['ValidationError'][]
    }
    /**
     * HealthReport
     * @description Whether the helpdesk can serve people right now.
     */
    HealthReport: {
      /**
       * Database
       * @enum {string}
       */
      database: 'ok' | 'unavailable'
      /**
       * Semantic
       * @enum {string}
       */
      semantic: 'on' | 'off'
      /**
       * Status
       * @enum {string}
       */
      status: 'ok' | 'unavailable'
      /**
       * Ui
       * @enum {string}
       */
      ui: 'built' | 'missing' | 'off'
      /** Version */
      version: string
    }
    /**
     * Impact
     * @description How many are affected; the words are shown.
     * @enum {string}
     */
    Impact: 'Person' | 'Team' | 'Organisation'
    /**
     * ImpactGrade
     * @description An impact and how sure it is.
     */
    ImpactGrade: {
      /** Confidence */
      confidence: number
      value: components['schemas']['Impact']
    }
    /**
     * IssueState
     * @description How far a ticket's copy in an outside tracker is; ``off``: none is written.
     * @enum {string}
     */
    IssueState: 'off' | 'pending' | 'unknown' | 'refused' | 'filed'
    /**
     * IssueStatus
     * @description How an issue stands in its tracker.
     * @enum {string}
     */
    IssueStatus: 'open' | 'closed'
    /**
     * LinkTarget
     * @description A candidate that our own search returned in this session.
     */
    LinkTarget: {
      /** Number */
      number: number
      source: components['schemas']['CandidateSource']
    }
    /**
     * Liveness
     * @description The process answers; nothing is said of what it depends on.
     */
    Liveness: {
      /**
       * Status
       * @constant
       */
      status: 'ok'
    }
    /**
     * MessageRole
     * @description Who wrote a message.
     * @enum {string}
     */
    MessageRole: 'user' | 'assistant'
    /**
     * ModalLeft
     * @description The draft's window was left: with a yes, or without one.
     */
    ModalLeft: {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      name: 'agent.modal_cancelled' | 'agent.modal_submitted'
    }
    /**
     * ModalOpened
     * @description The draft's window was opened.
     */
    ModalOpened: {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      name: 'agent.modal_opened'
      /**
       * Trigger
       * @constant
       */
      trigger: 'button'
    }
    /**
     * ModeSwitched
     * @description The mode of a chat was changed.
     */
    ModeSwitched: {
      from: components['schemas']['ChatMode']
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      name: 'agent.mode_switched'
      to: components['schemas']['ChatMode']
    }
    /**
     * NextAction
     * @description The closed set of steps. ``file_new`` and ``link_existing`` are reached by a confirm only.
     * @enum {string}
     */
    NextAction:
      | 'retry_kb'
      | 'web_search'
      | 'search_duplicates'
      | 'ask_user'
      | 'classify'
      | 'propose_solution'
      | 'write_draft'
      | 'await_user_confirm'
      | 'file_new'
      | 'link_existing'
      | 'resolved_by_agent'
      | 'abort'
    /**
     * NoticeKind
     * @description What a chat is told of by itself.
     * @enum {string}
     */
    NoticeKind: 'issue_closed' | 'issue_reopened' | 'issue_commented'
    /**
     * Outcome
     * @description How a session ended.
     * @enum {string}
     */
    Outcome: 'filed' | 'linked' | 'resolved_by_agent' | 'aborted'
    /**
     * PostMessageRequest
     * @description What a person asks.
     */
    PostMessageRequest: {
      /** Text */
      text: string
    }
    /**
     * Proposal
     * @description A possible fix; ``text`` is Markdown in which ``[n]`` names a source of the turn.
     */
    Proposal: {
      /** Text */
      text: string
      /** Title */
      title: string
    }
    /**
     * Rating
     * @description A person's verdict on an answer.
     * @enum {string}
     */
    Rating: 'helpful' | 'unhelpful'
    /**
     * ResumedVia
     * @description A question was answered.
     */
    ResumedVia: {
      /**
       * @description discriminator enum property added by openapi-typescript
       * @enum {string}
       */
      name: 'agent.resumed_via'
      /**
       * Via
       * @enum {string}
       */
      via: 'chip' | 'free_text'
    }
    /**
     * Role
     * @description What a person may do; each role includes the ones before it.
     * @enum {string}
     */
    Role: 'requester' | 'operator' | 'admin'
    /**
     * Sameness
     * @description What is said of a candidate: it looks the same and is open, looks the same and was solved
     *     before, or may be related.
     * @enum {string}
     */
    Sameness: 'same' | 'came_back' | 'related'
    /**
     * SessionStatus
     * @description What a session is doing.
     * @enum {string}
     */
    SessionStatus: 'running' | 'awaiting_user' | 'awaiting_confirm' | 'ended'
    /**
     * Severity
     * @description How bad it is for whoever is affected.
     * @enum {string}
     */
    Severity: 'low' | 'medium' | 'high' | 'critical'
    /**
     * SeverityGrade
     * @description A severity and how sure it is.
     */
    SeverityGrade: {
      /** Confidence */
      confidence: number
      value: components['schemas']['Severity']
    }
    /**
     * SignInRequest
     * @description User name and password as typed.
     */
    SignInRequest: {
      /** Password */
      password: string
      /** Username */
      username: string
    }
    /**
     * SignedIn
     * @description Who is signed in. ``csrf_token`` goes into ``X-CSRF-Token`` of every change; null with an
     *     access token.
     */
    SignedIn: {
      /** Csrf Token */
      csrf_token: string | null
      /** Must Change Password */
      must_change_password: boolean
      user: components['schemas']['User']
    }
    /**
     * Source
     * @description A cited span: ``quote`` is ``body[start:end]`` of the article, in code points. ``[number]``
     *     names it.
     */
    Source: {
      /**
       * Article Id
       * Format: uuid
       */
      article_id: string
      /** Collection */
      collection: string
      /** End */
      end: number
      /** Heading */
      heading: string
      /** Number */
      number: number
      /** Quote */
      quote: string
      /** Sample */
      sample: boolean
      /** Start */
      start: number
      /** Title */
      title: string
    }
    /**
     * StepStatus
     * @description How a step stands or ended; ``stopped``: the session ended under it.
     * @enum {string}
     */
    StepStatus:
      'running' | 'ok' | 'empty' | 'failed' | 'timed_out' | 'switched_off' | 'blocked' | 'stopped'
    /**
     * SummarizeRequest
     * @description What to summarise.
     */
    SummarizeRequest: {
      /** Chat Session Id */
      chat_session_id?: string | null
      /** Conversation */
      conversation?: components['schemas']['ConversationTurn'][] | null
    }
    /**
     * Summary
     * @description What a conversation is about, in a line and in a few; ``summary`` is Markdown.
     */
    Summary: {
      /** Summary */
      summary: string
      /** Title */
      title: string
    }
    /**
     * TelemetryBatch
     * @description What happened in the page since it told the last time.
     */
    TelemetryBatch: {
      /** Events */
      events: (
        | components['schemas']['ModeSwitched']
        | components['schemas']['ChipClicked']
        | components['schemas']['ResumedVia']
        | components['schemas']['ModalOpened']
        | components['schemas']['ModalLeft']
        | components['schemas']['CancelClicked']
        | components['schemas']['ErrorShown']
      )[]
    }
    /**
     * TelemetryTaken
     * @description Whether more of it is wanted: False when telemetry is switched off.
     */
    TelemetryTaken: {
      /** Is Wanted */
      is_wanted: boolean
    }
    /**
     * Ticket
     * @description A ticket whole; ``body`` is Markdown.
     */
    Ticket: {
      /** Agent Session Id */
      agent_session_id: string | null
      /** Body */
      body: string
      category: components['schemas']['Category']
      /** Chat Session Id */
      chat_session_id: string | null
      /**
       * Created At
       * Format: date-time
       */
      created_at: string
      /**
       * Id
       * Format: uuid
       */
      id: string
      impact: components['schemas']['Impact']
      /** Is Mine */
      is_mine: boolean
      /** Issue Number */
      issue_number: number | null
      issue_state: components['schemas']['IssueState']
      issue_status: components['schemas']['IssueStatus'] | null
      /** Issue Url */
      issue_url: string | null
      /** Number */
      number: number
      origin: components['schemas']['TicketOrigin']
      /** Requester Name */
      requester_name: string
      severity: components['schemas']['Severity']
      status: components['schemas']['TicketStatus']
      /** Title */
      title: string
      /**
       * Updated At
       * Format: date-time
       */
      updated_at: string
    }
    /**
     * TicketDraft
     * @description Proposed ticket text; ``description`` is Markdown.
     */
    TicketDraft: {
      category: components['schemas']['Category']
      /** Description */
      description: string
      impact: components['schemas']['Impact']
      severity: components['schemas']['Severity']
      /** Title */
      title: string
    }
    /**
     * TicketList
     * @description Tickets, newest first; ``next_before`` asks for the page after.
     */
    TicketList: {
      /** Items */
      items: components['schemas']['TicketSummary'][]
      /** Next Before */
      next_before: number | null
    }
    /**
     * TicketOrigin
     * @description Where a ticket came from; set by the server.
     * @enum {string}
     */
    TicketOrigin: 'chat' | 'web' | 'discord' | 'alert' | 'api'
    /**
     * TicketScope
     * @description Which tickets a list shows.
     * @enum {string}
     */
    TicketScope: 'mine' | 'all'
    /**
     * TicketStatus
     * @description The lifecycle's first axis.
     * @enum {string}
     */
    TicketStatus: 'new' | 'in_progress' | 'resolved' | 'closed' | 'cancelled'
    /**
     * TicketSummary
     * @description A ticket in a list; ``number`` is what people say. ``is_mine``: the caller requested it.
     */
    TicketSummary: {
      category: components['schemas']['Category']
      /**
       * Created At
       * Format: date-time
       */
      created_at: string
      /**
       * Id
       * Format: uuid
       */
      id: string
      impact: components['schemas']['Impact']
      /** Is Mine */
      is_mine: boolean
      /** Issue Number */
      issue_number: number | null
      issue_state: components['schemas']['IssueState']
      issue_status: components['schemas']['IssueStatus'] | null
      /** Issue Url */
      issue_url: string | null
      /** Number */
      number: number
      origin: components['schemas']['TicketOrigin']
      /** Requester Name */
      requester_name: string
      severity: components['schemas']['Severity']
      status: components['schemas']['TicketStatus']
      /** Title */
      title: string
      /**
       * Updated At
       * Format: date-time
       */
      updated_at: string
    }
    /**
     * TokenList
     * @description One's own access tokens, newest first.
     */
    TokenList: {
      /** Items */
      items: components['schemas']['TokenSummary'][]
    }
    /**
     * TokenSummary
     * @description An access token without its secret.
     */
    TokenSummary: {
      /**
       * Created At
       * Format: date-time
       */
      created_at: string
      /** Expires At */
      expires_at: string | null
      /**
       * Id
       * Format: uuid
       */
      id: string
      /** Last Used At */
      last_used_at: string | null
      /** Name */
      name: string
      /** Prefix */
      prefix: string
    }
    /**
     * Trigger
     * @description What began a session.
     * @enum {string}
     */
    Trigger: 'chip' | 'phrase' | 'llm_router'
    /**
     * TurnKind
     * @description What a turn shows.
     * @enum {string}
     */
    TurnKind: 'question' | 'info' | 'draft_ready' | 'linked' | 'filed' | 'resolved' | 'aborted'
    /**
     * User
     * @description An account as others may see it.
     */
    User: {
      /** Display Name */
      display_name: string
      /**
       * Id
       * Format: uuid
       */
      id: string
      role: components['schemas']['Role']
      /** Username */
      username: string
    }
    /** ValidationError */
    ValidationError: {
      /** Context */
      ctx?: Record<string, never>
      /** Input */
      input?: unknown
      /** Location */
      loc: (string | number)[]
      /** Message */
      msg: string
      /** Error Type */
      type: string
    }
    /**
     * WebPage
     * @description A page that a search of the web found: plain text of somebody else's, not checked by us.
     */
    WebPage: {
      /** Snippet */
      snippet: string
      /** Title */
      title: string
      /** Url */
      url: string
    }
    /**
     * Welcome
     * @description What an empty chat begins with: a mode, and up to three questions that get an answer.
     *
     *     ``agent_enabled``: whether the person may start the agent; without it they can summarise and
     *     file by themselves.
     */
    Welcome: {
      /**
       * Agent Enabled
       * @default true
       */
      agent_enabled?: boolean
      mode: components['schemas']['ChatMode']
      /** Questions */
      questions: string[]
    }
  }
  responses: never
  parameters: never
  requestBodies: never
  headers: never
  pathItems: never
}
export type $defs = Record<string, never>
export interface operations {
  sign_in_api_auth_login_post: {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['SignInRequest']
      }
    }
    responses: {
      /** @description Successful Response */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['SignedIn']
        }
      }
      /** @description Validation Error */
      422: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['HTTPValidationError']
        }
      }
    }
  }
  sign_out_api_auth_logout_post: {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description Successful Response */
      204: {
        headers: {
          [name: string]: unknown
        }
        content?: never
      }
    }
  }
  who_am_i_api_auth_me_get: {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description Successful Response */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['SignedIn']
        }
      }
    }
  }
  change_password_api_auth_password_post: {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['ChangePasswordRequest']
      }
    }
    responses: {
      /** @description Successful Response */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['SignedIn']
        }
      }
      /** @description Validation Error */
      422: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['HTTPValidationError']
        }
      }
    }
  }
  list_tokens_api_auth_tokens_get: {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description Successful Response */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['TokenList']
        }
      }
    }
  }
  create_token_api_auth_tokens_post: {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['CreateTokenRequest']
      }
    }
    responses: {
      /** @description Successful Response */
      201: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['CreatedToken']
        }
      }
      /** @description Validation Error */
      422: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['HTTPValidationError']
        }
      }
    }
  }
  revoke_token_api_auth_tokens__token_id__delete: {
    parameters: {
      query?: never
      header?: never
      path: {
        token_id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description Successful Response */
      204: {
        headers: {
          [name: string]: unknown
        }
        content?: never
      }
      /** @description Validation Error */
      422: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['HTTPValidationError']
        }
      }
    }
  }
  rate_answer_api_chat_messages__message_id__feedback_put: {
    parameters: {
      query?: never
      header?: never
      path: {
        message_id: string
      }
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['FeedbackRequest']
      }
    }
    responses: {
      /** @description Successful Response */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['ChatMessage']
        }
      }
      /** @description Validation Error */
      422: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['HTTPValidationError']
        }
      }
    }
  }
  list_sessions_api_chat_sessions_get: {
    parameters: {
      query?: {
        limit?: number
        before?: string | null
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description Successful Response */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['ChatSessionList']
        }
      }
      /** @description Validation Error */
      422: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['HTTPValidationError']
        }
      }
    }
  }
  create_session_api_chat_sessions_post: {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: {
      content: {
        'application/json': components['schemas']['CreateChatSessionRequest'] | null
      }
    }
    responses: {
      /** @description Successful Response */
      201: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['ChatSession']
        }
      }
      /** @description Validation Error */
      422: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['HTTPValidationError']
        }
      }
    }
  }
  get_session_api_chat_sessions__chat_session_id__get: {
    parameters: {
      query?: never
      header?: never
      path: {
        chat_session_id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description Successful Response */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['ChatSession']
        }
      }
      /** @description Validation Error */
      422: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['HTTPValidationError']
        }
      }
    }
  }
  delete_session_api_chat_sessions__chat_session_id__delete: {
    parameters: {
      query?: never
      header?: never
      path: {
        chat_session_id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description Successful Response */
      204: {
        headers: {
          [name: string]: unknown
        }
        content?: never
      }
      /** @description Validation Error */
      422: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['HTTPValidationError']
        }
      }
    }
  }
  change_session_api_chat_sessions__chat_session_id__patch: {
    parameters: {
      query?: never
      header?: never
      path: {
        chat_session_id: string
      }
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['ChangeChatSessionRequest']
      }
    }
    responses: {
      /** @description Successful Response */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['ChatSession']
        }
      }
      /** @description Validation Error */
      422: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['HTTPValidationError']
        }
      }
    }
  }
  list_messages_api_chat_sessions__chat_session_id__messages_get: {
    parameters: {
      query?: {
        limit?: number
        before_seq?: number | null
      }
      header?: never
      path: {
        chat_session_id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description Successful Response */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['ChatMessageList']
        }
      }
      /** @description Validation Error */
      422: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['HTTPValidationError']
        }
      }
    }
  }
  post_message_api_chat_sessions__chat_session_id__messages_post: {
    parameters: {
      query?: never
      header?: {
        'idempotency-key'?: string | null
      }
      path: {
        chat_session_id: string
      }
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['PostMessageRequest']
      }
    }
    responses: {
      /** @description The same as a stream, when asked for. */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'text/event-stream': unknown
        }
      }
      /** @description Successful Response */
      201: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Exchange']
        }
      }
      /** @description Validation Error */
      422: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['HTTPValidationError']
        }
      }
    }
  }
  welcome_api_chat_welcome_get: {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description Successful Response */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Welcome']
        }
      }
    }
  }
  report_health_api_health_get: {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description Successful Response */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['HealthReport']
        }
      }
      /** @description Service Unavailable */
      503: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['HealthReport']
        }
      }
    }
  }
  report_liveness_api_health_live_get: {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description Successful Response */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Liveness']
        }
      }
    }
  }
  abort_agent_api_helpdesk_agent_abort_post: {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['AgentAbortRequest']
      }
    }
    responses: {
      /** @description Successful Response */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['AgentAborted']
        }
      }
      /** @description Validation Error */
      422: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['HTTPValidationError']
        }
      }
    }
  }
  confirm_agent_api_helpdesk_agent_confirm_post: {
    parameters: {
      query?: never
      header?: {
        'idempotency-key'?: string | null
      }
      path?: never
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['AgentConfirmRequest']
      }
    }
    responses: {
      /** @description The turn; as a stream of session, step and turn events when asked for. */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['AgentTurn']
          'text/event-stream': unknown
        }
      }
      /** @description Validation Error */
      422: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['HTTPValidationError']
        }
      }
    }
  }
  preview_draft_api_helpdesk_agent_preview_post: {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['AgentPreviewRequest']
      }
    }
    responses: {
      /** @description Successful Response */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['DraftPreview']
        }
      }
      /** @description Validation Error */
      422: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['HTTPValidationError']
        }
      }
    }
  }
  resume_agent_api_helpdesk_agent_resume_post: {
    parameters: {
      query?: never
      header?: {
        'idempotency-key'?: string | null
      }
      path?: never
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['AgentResumeRequest']
      }
    }
    responses: {
      /** @description The turn; as a stream of session, step and turn events when asked for. */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['AgentTurn']
          'text/event-stream': unknown
        }
      }
      /** @description Validation Error */
      422: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['HTTPValidationError']
        }
      }
    }
  }
  list_agent_sessions_api_helpdesk_agent_sessions_get: {
    parameters: {
      query: {
        chat_session_id: string
        limit?: number
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description Successful Response */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['AgentSessionList']
        }
      }
      /** @description Validation Error */
      422: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['HTTPValidationError']
        }
      }
    }
  }
  get_agent_session_api_helpdesk_agent_sessions__session_id__get: {
    parameters: {
      query?: never
      header?: never
      path: {
        session_id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description Successful Response */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['AgentSession']
        }
      }
      /** @description Validation Error */
      422: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['HTTPValidationError']
        }
      }
    }
  }
  follow_agent_session_api_helpdesk_agent_sessions__session_id__events_get: {
    parameters: {
      query?: never
      header?: {
        'last-event-id'?: number
      }
      path: {
        session_id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description step and turn events. */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': unknown
          'text/event-stream': unknown
        }
      }
      /** @description Nothing comes any more; read the session. */
      204: {
        headers: {
          [name: string]: unknown
        }
        content?: never
      }
      /** @description Validation Error */
      422: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['HTTPValidationError']
        }
      }
    }
  }
  start_agent_api_helpdesk_agent_start_post: {
    parameters: {
      query?: never
      header?: {
        'idempotency-key'?: string | null
      }
      path?: never
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['AgentStartRequest']
      }
    }
    responses: {
      /** @description The turn; as a stream of session, step and turn events when asked for. */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['AgentTurn']
          'text/event-stream': unknown
        }
      }
      /** @description Validation Error */
      422: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['HTTPValidationError']
        }
      }
    }
  }
  classify_text_api_helpdesk_classify_post: {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['ClassifyRequest']
      }
    }
    responses: {
      /** @description Successful Response */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Grades']
        }
      }
      /** @description Validation Error */
      422: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['HTTPValidationError']
        }
      }
    }
  }
  create_issue_api_helpdesk_create_issue_post: {
    parameters: {
      query?: never
      header?: {
        'idempotency-key'?: string | null
      }
      path?: never
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['CreateIssueRequest']
      }
    }
    responses: {
      /** @description Successful Response */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['CreateIssueResponse']
        }
      }
      /** @description Validation Error */
      422: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['HTTPValidationError']
        }
      }
    }
  }
  draft_ticket_api_helpdesk_draft_ticket_post: {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['DraftTicketRequest']
      }
    }
    responses: {
      /** @description Successful Response */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['DraftedTicket']
        }
      }
      /** @description Validation Error */
      422: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['HTTPValidationError']
        }
      }
    }
  }
  find_duplicates_api_helpdesk_duplicates_post: {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['DuplicatesRequest']
      }
    }
    responses: {
      /** @description Successful Response */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['DuplicatesFound']
        }
      }
      /** @description Validation Error */
      422: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['HTTPValidationError']
        }
      }
    }
  }
  summarize_api_helpdesk_summarize_post: {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['SummarizeRequest']
      }
    }
    responses: {
      /** @description Successful Response */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Summary']
        }
      }
      /** @description Validation Error */
      422: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['HTTPValidationError']
        }
      }
    }
  }
  receive_github_api_integrations_github_webhook_post: {
    parameters: {
      query?: never
      header?: {
        'X-GitHub-Event'?: string
        'X-GitHub-Delivery'?: string
        'X-Hub-Signature-256'?: string
      }
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description Successful Response */
      204: {
        headers: {
          [name: string]: unknown
        }
        content?: never
      }
      /** @description Validation Error */
      422: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['HTTPValidationError']
        }
      }
    }
  }
  get_article_api_knowledge_articles__article_id__get: {
    parameters: {
      query?: never
      header?: never
      path: {
        article_id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description Successful Response */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Article']
        }
      }
      /** @description Validation Error */
      422: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['HTTPValidationError']
        }
      }
    }
  }
  take_telemetry_api_telemetry_post: {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['TelemetryBatch']
      }
    }
    responses: {
      /** @description Successful Response */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['TelemetryTaken']
        }
      }
      /** @description Validation Error */
      422: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['HTTPValidationError']
        }
      }
    }
  }
  list_tickets_api_tickets_get: {
    parameters: {
      query?: {
        scope?: components['schemas']['TicketScope']
        query?: string | null
        limit?: number
        before?: number | null
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description Successful Response */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['TicketList']
        }
      }
      /** @description Validation Error */
      422: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['HTTPValidationError']
        }
      }
    }
  }
  get_ticket_api_tickets__ticket_id__get: {
    parameters: {
      query?: never
      header?: never
      path: {
        ticket_id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      /** @description Successful Response */
      200: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Ticket']
        }
      }
      /** @description Validation Error */
      422: {
        headers: {
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['HTTPValidationError']
        }
      }
    }
  }
}
