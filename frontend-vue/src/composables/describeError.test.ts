import { expect, it } from 'vitest'
import { ApiError } from '@/api/errors'
import { describeError } from './describeError'

const error = (status: number, code: string, detail?: string, retryAfterSeconds?: number) =>
  new ApiError({ status, code, detail, retryAfterSeconds })

it.each([
  [
    'our words where we have them',
    error(404, 'not_found', 'x'),
    'This does not exist, or it is not yours.',
  ],
  [
    'the time to wait',
    error(429, 'too_many_messages', 'x', 5),
    'That was too often. Try again in 5 seconds.',
  ],
  [
    'the words of the server',
    error(429, 'too_many_tokens', 'Revoke one first.'),
    'Revoke one first.',
  ],
  [
    'something for a code without words',
    error(500, 'odd'),
    'Something went wrong here. Try again.',
  ],
  ['something for a fault of our own', new Error('x'), 'Something went wrong here. Try again.'],
])('gives %s', (_, cause, expected) => {
  expect(describeError(cause)).toBe(expected)
})
