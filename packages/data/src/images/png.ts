/** The chunks of a PNG file (www.w3.org/TR/PNG/#5Chunk-layout): length, type, data and checksum. */
import { inflated } from '#data/files/packed.js'
import { concatenated } from '../files/bytes.js'
import { TooLongError } from '../files/too-long.js'

const signatureBytes = 8
const headBytes = 8
const checksumBytes = 4

/** The chunks that determine the pixels. */
const needed: readonly string[] = ['IHDR', 'PLTE', 'IDAT', 'IEND']

/** Bytes of the header of zlib, which precedes the packed data. */
const zlibBytes = 2

interface PngChunk {
  readonly type: string
  readonly whole: Uint8Array
  readonly data: Uint8Array
}

/** The content of a file that its pixels need. */
export interface PngContent {
  /**
   * The file without the chunks that the pixels do not need, such as texts and profiles: a decoder unpacks them without
   * a limit.
   */
  readonly file: Uint8Array
  /** Three colours for each number, if pixels are numbers. */
  readonly palette: Uint8Array | undefined
  /** The rows of pixels, packed. */
  readonly packed: Uint8Array
  /** What the camera noted, if anything, in the format of TIFF. */
  readonly exif: Uint8Array | undefined
}

/** Divides a file. Throws an Error when it is truncated, or does not begin with its header. */
export function pngContent(bytes: Uint8Array): PngContent {
  const chunks = [...chunksOf(bytes)]
  if (chunks.findLastIndex(({ type }) => type === 'IHDR') !== 0)
    throw new Error('it does not begin with its one header')
  const kept = chunks.flatMap(({ type, whole }) => (needed.includes(type) ? whole : []))
  return {
    file: concatenated([bytes.subarray(0, signatureBytes), ...kept]),
    palette: chunks.findLast(({ type }) => type === 'PLTE')?.data,
    packed: concatenated(chunks.flatMap(({ type, data }) => (type === 'IDAT' ? data : []))),
    exif: chunks.find(({ type }) => type === 'eXIf')?.data
  }
}

/**
 * Unpacks rows of `size` bytes in all into one piece of memory. Throws an Error for more than twice as many:
 * interlacing makes more rows.
 */
export function unpackedRows(packed: Uint8Array, size: number): Uint8Array {
  const most = 2 * size
  try {
    return inflated(packed.subarray(zlibBytes), size, most)
  } catch (error) {
    if (!(error instanceof TooLongError)) throw error
    throw new Error(`its pixels unpack to more than ${most} bytes, the most that its size takes`, { cause: error })
  }
}

function* chunksOf(bytes: Uint8Array): Generator<PngChunk> {
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
