const ALLOWED_SCHEMES = ['http:', 'https:', 'mailto:']

/** The address if it is safe to offer as a link, else null. Addresses without a scheme lead nowhere here. */
export function safeHref(href: string): string | null {
  let url: URL
  try {
    url = new URL(href)
  } catch {
    return null
  }
  return ALLOWED_SCHEMES.includes(url.protocol) ? url.href : null
}

const NAMED: Record<string, string> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: '\u00a0',
}

function fromCodePoint(code: number, fallback: string): string {
  return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : fallback
}

/** Character references as the characters they stand for; an unknown one stays as written. */
export function decodeEntities(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|(\w{2,6}));/gi, (whole, dec, hex, name) => {
    if (dec) return fromCodePoint(Number(dec), whole)
    if (hex) return fromCodePoint(parseInt(hex as string, 16), whole)
    return NAMED[(name as string).toLowerCase()] ?? whole
  })
}
