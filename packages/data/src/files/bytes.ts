/** Bytes, without the buffers that only Node has. */

const utf8 = new TextDecoder('utf-8', { ignoreBOM: true })

/** Texts of up to so many bytes are faster without a decoder. */
const maxShort = 32

/** The bytes from `start` to `end` as a text in UTF-8. */
export function textIn(bytes: Uint8Array, start = 0, end: number = bytes.length): string {
  if (end - start > maxShort) return utf8.decode(bytes.subarray(start, end))
  let text = ''
  for (let at = start; at < end; at++) {
    if (bytes[at] > 0x7f) return utf8.decode(bytes.subarray(start, end))
    text += String.fromCharCode(bytes[at])
  }
  return text
}

/** A character for each byte. */
export function latin1In(bytes: Uint8Array, start = 0, end: number = bytes.length): string {
  return Array.from(bytes.subarray(start, end), (byte) => String.fromCharCode(byte)).join('')
}

/** All parts, one after the other. */
export function concatenated(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of parts) {
    all.set(part, at)
    at += part.length
  }
  return all
}
