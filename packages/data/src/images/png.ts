/** The chunks of a PNG file (www.w3.org/TR/PNG/#5Chunk-layout): length, type, data and checksum. */
import { inflateRawSync } from 'node:zlib'

const signatureBytes = 8
const headBytes = 8
const checksumBytes = 4

/** The chunks that determine the pixels. */
const needed: readonly string[] = ['IHDR', 'PLTE', 'IDAT', 'IEND']

/** Bytes of the header of zlib, which precedes the packed data. */
const zlibBytes = 2

interface Chunk {
  readonly type: string
  readonly whole: Uint8Array
  readonly data: Uint8Array
}

/**
 * The file without the chunks that the pixels do not need, such as texts and profiles: the decoder unpacks them without a limit. Throws an Error when
 * the pixels unpack to more than `most` bytes, which the decoder does not check either.
 */
export function pixelChunks(bytes: Uint8Array, most: number): Uint8Array {
  const chunks = [...chunksOf(bytes)]
  if (chunks.findLastIndex(({ type }) => type === 'IHDR') !== 0)
    throw new Error('it does not begin with its one header')
  const packed = Buffer.concat(chunks.flatMap(({ type, data }) => (type === 'IDAT' ? data : [])))
  checkLength(packed, most)
  const kept = chunks.flatMap(({ type, whole }) => (needed.includes(type) ? whole : []))
  return Buffer.concat([bytes.subarray(0, signatureBytes), ...kept])
}

function* chunksOf(bytes: Uint8Array): Generator<Chunk> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  for (let start = signatureBytes, type = ''; type !== 'IEND';) {
    const begin = start + headBytes
    const end = begin <= bytes.byteLength ? begin + view.getUint32(start) : begin
    if (end + checksumBytes > bytes.byteLength) throw new Error('it is truncated')
    type = String.fromCharCode(...bytes.subarray(begin - 4, begin))
    yield { type, whole: bytes.subarray(start, end + checksumBytes), data: bytes.subarray(begin, end) }
    start = end + checksumBytes
  }
}

function checkLength(packed: Uint8Array, most: number): void {
  try {
    inflateRawSync(packed.subarray(zlibBytes), { maxOutputLength: most })
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    throw new Error(`its pixels unpack to more than ${most} bytes, the most that its size takes`, { cause: error })
  }
}
