/** Control characters, and those that turn the direction of text, hide in it, or break its line. */
const unprintable = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu

/** The most characters of one text of somebody else's that are kept. */
export const maxForeignText = 1024

/**
 * The one place through which text from others passes before anybody here reads, prints or logs it: what would act on a terminal
 * or deceive a reader is written out as in JSON (`\u001b` for ESC), and what is too long is cut. Text that has passed once
 * passes again unchanged.
 */
export function foreignText(text: string, max = maxForeignText): string {
  const safe = printable(beginning(text, max))
  return text.length <= max && safe.length <= max ? safe : `${beginning(safe, max - 1)}…`
}

/** The first so many characters, without half of one at the end. */
export function beginning(text: string, length: number): string {
  return text.slice(0, length).replace(/\p{Cs}$/u, '')
}

/** The text with what a terminal or a reader would not take for text written out as in JSON. */
export function printable(text: string): string {
  return text.replaceAll(unprintable, escaped)
}

function escaped(character: string): string {
  return Array.from({ length: character.length }, (_, index) => unit(character.charCodeAt(index))).join('')
}

function unit(code: number): string {
  return `\\u${code.toString(16).padStart(4, '0')}`
}
