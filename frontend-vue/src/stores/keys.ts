/** A random idempotency key. `crypto.randomUUID` does not exist on plain HTTP, this does. */
export function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
