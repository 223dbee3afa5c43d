/** Where a JSON file is damaged, and how, in words. */
import type * as z from 'zod'

type Issue = z.core.$ZodIssue

const lineAt = (text: string, position?: number): number => text.slice(0, position).split('\n').length

/** JSON.parse names a position for most mistakes; without one, the text ended too early. */
export function lineOfSyntaxError(text: string, message: string): number {
  const position = /position (\d+)/.exec(message)?.[1]
  return position === undefined ? lineAt(text.trimEnd()) : lineAt(text, Number(position))
}

/** Strings, punctuation, and numbers or words. */
const tokens = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g

/**
 * The line on which the value at a path begins, in a valid JSON text; if it does not exist, that of the nearest value
 * around it.
 */
export function lineOfValue(text: string, path: readonly PropertyKey[]): number {
  // The reader's position: a key or an index for each object or list around it.
  const place: (string | number)[] = []
  let best = { depth: 0, position: 0 }
  let expectsKey = false
  for (const { 0: token, index } of text.matchAll(tokens)) {
    if (token === ']' || token === '}') place.pop()
    else if (token === ',') {
      const last = place[place.length - 1]
      if (typeof last === 'number') place[place.length - 1] = last + 1
      expectsKey = typeof last === 'string'
    } else if (token === ':') expectsKey = false
    else if (expectsKey) place[place.length - 1] = JSON.parse(token) as string
    else {
      if (place.length > best.depth && place.length <= path.length && place.every((key, k) => key === path[k])) {
        best = { depth: place.length, position: index }
      }
      if (token === '[') place.push(0)
      if (token === '{') place.push('')
      expectsKey = token === '{'
    }
  }
  return lineAt(text, best.position)
}

/** What was found where, and what was expected. */
export function describeIssue(issue: Issue, parsed: unknown): string {
  const path = issue.path.map(String).join('.')
  const found = issue.path.reduce<unknown>(
    (value, key) => (value as Readonly<Record<PropertyKey, unknown>> | undefined)?.[key],
    parsed
  )
  const shown = found === undefined ? 'nothing' : JSON.stringify(found).slice(0, 60)
  return `${path === '' ? '' : `${path}: `}found ${shown}: ${issue.message}`
}
