export interface FieldError {
  path: string
  message: string
}

/** What went wrong with a call, whether the server said so or could not be reached at all. */
export class ApiError extends Error {
  /** 0 when no answer came. */
  readonly status: number
  /** The server's code in snake case, or one of `unreachable`, `unreadable_answer`, `stream_cut`. */
  readonly code: string
  readonly retryAfterSeconds: number | null
  readonly fields: FieldError[]

  constructor(init: {
    status: number
    code: string
    detail?: string
    retryAfterSeconds?: number | null
    fields?: FieldError[]
  }) {
    super(init.detail ?? init.code)
    this.name = 'ApiError'
    this.status = init.status
    this.code = init.code
    this.retryAfterSeconds = init.retryAfterSeconds ?? null
    this.fields = init.fields ?? []
  }
}

export function unreachable(): ApiError {
  return new ApiError({ status: 0, code: 'unreachable' })
}

export function streamCut(): ApiError {
  return new ApiError({ status: 0, code: 'stream_cut' })
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

function readFields(value: unknown): FieldError[] {
  if (!Array.isArray(value)) return []
  return value.flatMap((entry: unknown) =>
    isRecord(entry) && typeof entry.path === 'string' && typeof entry.message === 'string'
      ? [{ path: entry.path, message: entry.message }]
      : [],
  )
}

/** Retry-After is either a number of seconds or a date. */
export function readRetryAfter(value: string | null, now = Date.now()): number | null {
  if (!value) return null
  const seconds = Number(value)
  if (Number.isFinite(seconds)) return Math.max(0, Math.ceil(seconds))
  const date = Date.parse(value)
  return Number.isNaN(date) ? null : Math.max(0, Math.ceil((date - now) / 1000))
}

/** An error body that did not come from our server (a proxy's page, say) still gives a usable error. */
export function errorFromBody(status: number, body: unknown, retryAfter?: string | null): ApiError {
  const record = isRecord(body) ? body : {}
  return new ApiError({
    status,
    code: typeof record.error === 'string' ? record.error : 'unreadable_answer',
    detail: typeof record.detail === 'string' ? record.detail : undefined,
    retryAfterSeconds: readRetryAfter(retryAfter ?? null),
    fields: readFields(record.fields),
  })
}

/** Whether an address leads to nothing: an unknown id, or something that is no id at all. */
export function isAbsent(error: unknown): boolean {
  return error instanceof ApiError && (error.status === 404 || error.status === 422)
}

export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  return new ApiError({
    status: 0,
    code: 'unexpected',
    detail: error instanceof Error ? error.message : undefined,
  })
}
