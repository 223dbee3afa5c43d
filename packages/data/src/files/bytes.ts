/** Bytes, without the buffers that only Node has. */

/** A character for each byte. */
export function latin1In(bytes: Uint8Array, start = 0, end: number = bytes.length): string {
  let text = ''
  for (let at = start; at < Math.min(end, bytes.length); at++) text += String.fromCharCode(bytes[at])
  return text
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
