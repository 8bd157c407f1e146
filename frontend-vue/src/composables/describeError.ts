import { ApiError } from '@/api/errors'
import { isTextKey, t } from '@/locales'
import { formatWait } from '@/locales/dates'

/** What an error means to the person reading: our own words where we have them, else the server's. */
export function describeError(error: unknown): string {
  if (!(error instanceof ApiError)) return t('error.unexpected')
  const { retryAfterSeconds } = error
  if (error.status === 429 && retryAfterSeconds !== null) {
    return t('error.too_many', { wait: formatWait(retryAfterSeconds) })
  }
  const key = `error.${error.code}`
  if (isTextKey(key)) return t(key, { status: error.status })
  return error.message === error.code ? t('error.unexpected') : error.message
}
