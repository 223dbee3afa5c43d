const lineFeed = 0x0a

/**
 * Where bytes that are not UTF-8 begin: `line 3, character 5`, both from 1; undefined where all are. A text in another
 * encoding would otherwise have U+FFFD in place of different letters, and equal names where they differ.
 *
 * @param line - the line in which the bytes begin
 * @param character - the character of that line
 */
export function wrongUtf8(bytes: Uint8Array, line = 1, character = 1): string | undefined {
  for (let at = 0; at < bytes.length; character++) {
    const length = characterBytes(bytes, at)
    if (length === 0) return `line ${line}, character ${character}`
    if (bytes[at] === lineFeed) {
      line++
      character = 0
    }
    at += length
  }
  return undefined
}

/** The bytes of the character at `at`, 0 where there is none: RFC 3629, section 4. */
function characterBytes(bytes: Uint8Array, at: number): number {
  const first = bytes[at]
  if (first < 0x80) return 1
  const length = first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0
  for (let next = at + 1; next < at + length; next++) if ((bytes[next] & 0xc0) !== 0x80) return 0
  return isAllowed(first, bytes[at + 1]) ? length : 0
}

/** Neither a longer form of a shorter character, nor half of a pair of UTF-16, nor beyond U+10FFFF. */
function isAllowed(first: number, second: number): boolean {
  if (first === 0xe0) return second >= 0xa0
  if (first === 0xed) return second < 0xa0
  if (first === 0xf0) return second >= 0x90
  return first !== 0xf4 || second < 0x90
}
