import { en } from './en'

type Catalogue = typeof en
type Plural = { one: string; other: string }

export type TextKey = keyof Catalogue
export type TextValues = Record<string, string | number>

const plurals = new Intl.PluralRules('en')

function choose(entry: string | Plural, values: TextValues): string {
  if (typeof entry === 'string') return entry
  return plurals.select(Number(values.count)) === 'one' ? entry.one : entry.other
}

/** The text for a key, with `{name}` replaced by its value. */
export function t(key: TextKey, values: TextValues = {}): string {
  return choose(en[key], values).replace(/\{(\w+)\}/g, (whole, name: string) =>
    String(values[name] ?? whole),
  )
}

/** Whether the catalogue has this key: for keys made from a code the server sent. */
export function isTextKey(key: string): key is TextKey {
  return Object.hasOwn(en, key)
}
