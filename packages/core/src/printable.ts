/** Control characters, and characters that change the direction of text, are invisible, or break a line. */
const unprintable = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu

/** The most characters of a line of a message that are shown. */
const maxLine = 2000

/** The most lines of a message that are shown. */
const maxLines = 100

/**
 * The text with unprintable characters escaped as in JSON, so that it neither acts on a terminal nor deceives a reader.
 *
 * @example
 * ```js
 * printable('\u001b[2J') // → '\\u001b[2J'
 * ```
 */
export function printable(text: string): string {
  return text.replaceAll(unprintable, escaped)
}

/**
 * A message as it may be shown, whatever it quotes of files and of others: each line {@link printable} and cut, and not
 * too many of them. It is idempotent.
 */
export function shownMessage(text: string): string {
  const lines = text.split('\n')
  const kept = lines.length > maxLines ? maxLines - 1 : lines.length
  const shown = lines.slice(0, kept).map((line) => {
    const safe = printable(line.slice(0, maxLine + 1))
    return safe.length > maxLine ? `${safe.slice(0, maxLine - 1).replace(/\p{Cs}$/u, '')}…` : safe
  })
  if (kept < lines.length) shown.push(`and ${lines.length - kept} more lines`)
  return shown.join('\n')
}

/**
 * The items after commas; of more than eight, the first six and how many more there are.
 *
 * @example
 * ```js
 * shortList(['a', 'b', 'c']) // → 'a, b, c'
 * ```
 */
export function shortList(items: readonly string[]): string {
  return items.length <= 8 ? items.join(', ') : `${items.slice(0, 6).join(', ')} and ${items.length - 6} more`
}

function escaped(character: string): string {
  return Array.from({ length: character.length }, (_, index) => unit(character.charCodeAt(index))).join('')
}

function unit(code: number): string {
  return `\\u${code.toString(16).padStart(4, '0')}`
}
