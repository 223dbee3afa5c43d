import { printable } from '@murmuration/core'

/** The most characters of one foreign text that are kept. */
export const maxForeignText = 1024

/**
 * All text from other peers passes through this function before it is shown or logged. Characters that would act on a
 * terminal or deceive a reader are escaped as in JSON (`\u001b` for ESC), and a longer text is cut. It is idempotent.
 */
export function foreignText(text: string, max = maxForeignText): string {
  const safe = printable(beginning(text, max))
  return text.length <= max && safe.length <= max ? safe : `${beginning(safe, max - 1)}…`
}

/** The first `length` characters, without half a surrogate pair at the end. */
export function beginning(text: string, length: number): string {
  return text.slice(0, length).replace(/\p{Cs}$/u, '')
}
