/** Bytes as text. */
import { fromString, textOf } from '#platform/libraries/base.js'

/** How bytes are written: with and without padding. */
type Base64 = 'base64pad' | 'base64url'

/** The bytes of a text; `undefined` for one with other characters, or with bits beyond the last byte. */
export function fromBase64(text: string, form: Base64): Uint8Array | undefined {
  try {
    return fromString(text, form)
  } catch {
    return undefined
  }
}

/** Random bytes in base64url. */
export function randomText(bytes: number): string {
  return textOf(crypto.getRandomValues(new Uint8Array(bytes)), 'base64url')
}
