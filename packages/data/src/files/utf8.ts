import { InputError, wrongUtf8 } from '@murmuration/core'
import { isUtf8, textIn } from '#data/files/packed.js'
import { concatenated } from './bytes.js'

const lineFeed = 0x0a
const byteOrderMark = '\uFEFF'

/**
 * A file without its byte order mark. Throws an {@link InputError} that names line and character of what is not UTF-8.
 */
export function inUtf8(name: string, bytes: Uint8Array): Uint8Array {
  if (!isUtf8(bytes)) throw notUtf8(name, bytes)
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes
}

/** The same for a table, which may also be in UTF-16 if it begins with a byte order mark. */
export function contentOf({ name, bytes }: { readonly name: string; readonly bytes: Uint8Array }): Uint8Array {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextEncoder().encode(new TextDecoder('utf-16le').decode(bytes))
  return inUtf8(name, bytes)
}

/**
 * The blocks of a file as texts, without its byte order mark. A character may be divided between two blocks.
 *
 * @throws InputError as {@link inUtf8} does
 */
export async function* decodedBlocks(name: string, blocks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let rest: Uint8Array = new Uint8Array(0)
  let line = 1
  let character = 1
  for await (const block of blocks) {
    const all = rest.length === 0 ? block : concatenated([rest, block])
    const whole = all.subarray(0, endOfCharacters(all))
    if (!isUtf8(whole)) throw notUtf8(name, whole, line, character)
    const text = textIn(whole)
    const isFirst = line === 1 && character === 1
    yield isFirst && text.startsWith(byteOrderMark) ? text.slice(1) : text
    const lastLine = whole.subarray(whole.lastIndexOf(lineFeed) + 1)
    if (lastLine.length < whole.length) {
      line += lineFeedsIn(whole)
      character = 1
    }
    character += charactersIn(lastLine)
    rest = all.subarray(whole.length)
  }
  if (rest.length > 0) throw notUtf8(name, rest, line, character)
}

/** Before the beginning of a last character whose other bytes are missing. */
function endOfCharacters(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back]
    const length = byte < 0xc0 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4
    if (length > back) return bytes.length - back
    if ((byte & 0xc0) !== 0x80) break
  }
  return bytes.length
}

function lineFeedsIn(bytes: Uint8Array): number {
  let count = 0
  for (let at = bytes.indexOf(lineFeed); at >= 0; at = bytes.indexOf(lineFeed, at + 1)) count++
  return count
}

/** The bytes that begin a character: all but those of the form 10xxxxxx. */
export function charactersIn(bytes: Uint8Array): number {
  let count = 0
  for (let at = 0; at < bytes.length; at++) if ((bytes[at] & 0xc0) !== 0x80) count++
  return count
}

function notUtf8(name: string, bytes: Uint8Array, line = 1, character = 1): InputError {
  return new InputError(`${name}: ${wrongUtf8(bytes, line, character)} is not UTF-8; save the file as UTF-8`)
}
