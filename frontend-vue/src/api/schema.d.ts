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
}
export type webhooks = Record<string, never>
export interface components {
  schemas: {
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
     *     ``degraded`` says in a sentence what could not be done as usual.
     */
    ChatMessage: {
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
     * CreateChatSessionRequest
     * @description The mode to start in; left out, the one that is set for new chats.
     */
    CreateChatSessionRequest: {
      mode?: components['schemas']['ChatMode'] | null
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
     * PostMessageRequest
     * @description What a person asks.
     */
    PostMessageRequest: {
      /** Text */
      text: string
    }
    /**
     * Rating
     * @description A person's verdict on an answer.
     * @enum {string}
     */
    Rating: 'helpful' | 'unhelpful'
    /**
     * Role
     * @description What a person may do; each role includes the ones before it.
     * @enum {string}
     */
    Role: 'requester' | 'operator' | 'admin'
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
     * Welcome
     * @description What an empty chat begins with: a mode, and up to three questions that get an answer.
     */
    Welcome: {
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
}
