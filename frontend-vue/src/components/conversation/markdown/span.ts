/** A stretch of a text in UTF-16 units, end not included. */
export interface Span {
  start: number
  end: number
}

/**
 * The server counts code points of the stored body; strings here count UTF-16 units, and line ends
 * are normalised before reading Markdown.
 */
export function spanFromCodePoints(body: string, start: number, end: number): Span | null {
  if (!(start >= 0 && end > start)) return null
  let points = 0
  let units = 0
  let from: number | null = null
  let previous = ''
  for (const character of body) {
    if (points === start) from = units
    if (points === end) break
    points += 1
    // Of a carriage return and line feed only one unit is left.
    if (!(character === '\n' && previous === '\r')) units += character.length
    previous = character
  }
  return from === null || units <= from ? null : { start: from, end: units }
}

export function overlaps(span: Span, start: number, end: number): boolean {
  return span.start < end && start < span.end
}
