/** What zlib and Node's buffers do fast. packed.browser.ts has the same for a page. */
import { isUtf8 } from 'node:buffer'
import { constants, createGunzip, gunzipSync, inflateRawSync } from 'node:zlib'
import { TooLongError } from './too-long.js'

export { isUtf8 }

/** How much is unpacked at a time. */
const chunkBytes = 2 ** 16

/** The shortest piece of memory that zlib takes. */
const minChunk = 64

/** The bytes from `start` to `end` as a text in UTF-8. */
export function textIn(bytes: Uint8Array, start: number = 0, end: number = bytes.length): string {
  const own = Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return own.toString('utf8', start, end)
}

/**
 * Unpacks gzip into one piece of memory. The last four bytes say how long it is, modulo 2^32, if it was packed at once.
 *
 * @throws TooLongError for more than `limit` bytes, or an Error for what is no gzip
 */
export async function unpacked(packed: Uint8Array, limit: number): Promise<Uint8Array> {
  const view = new DataView(packed.buffer, packed.byteOffset, packed.byteLength)
  const claimed = packed.length < 4 ? 0 : view.getUint32(packed.length - 4, true)
  let content: Buffer = Buffer.allocUnsafeSlow(Math.min(limit, claimed))
  let length = 0
  const chunks = createGunzip({ chunkSize: chunkBytes })
  chunks.end(packed)
  for await (const chunk of chunks as AsyncIterable<Buffer>) {
    if (length + chunk.length > limit) throw new TooLongError()
    if (length + chunk.length > content.length)
      content = lengthened(content, Math.min(limit, 2 * (length + chunk.length)))
    length += chunk.copy(content, length)
  }
  return content.subarray(0, length)
}

function lengthened(content: Buffer, length: number): Buffer {
  const longer = Buffer.allocUnsafeSlow(length)
  content.copy(longer)
  return longer
}

/** What the first bytes of gzip unpack to. */
export async function unpackedHead(head: Uint8Array): Promise<Uint8Array> {
  return gunzipSync(head, { finishFlush: constants.Z_SYNC_FLUSH })
}

/**
 * Unpacks raw deflate.
 *
 * @param expected - the expected length in bytes
 * @throws TooLongError for more than `limit` bytes, or an Error for what is damaged
 */
export function inflated(packed: Uint8Array, expected: number, limit: number): Uint8Array {
  try {
    return inflateRawSync(packed, { maxOutputLength: limit, chunkSize: Math.max(minChunk, expected) })
  } catch (error) {
    throw error instanceof RangeError ? new TooLongError() : error
  }
}
