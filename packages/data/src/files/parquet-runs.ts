import { deltaBinaryUnpack } from 'hyparquet/src/delta.js'
import { readVarInt } from 'hyparquet/src/thrift.js'

/** A position in a page. */
export interface PageReader {
  readonly view: DataView
  offset: number
}

/** Values that a group of bits may have beyond those of the page, since groups are padded. */
const maxPadding = 504

/**
 * Whether the runs of levels or of numbers of a dictionary have no more values than a page: the decoder makes room for
 * as many as a run claims, in a
 * few bytes.
 *
 * @param width - bits per value
 */
export function runsFit(reader: PageReader, width: number, count: number): boolean {
  const { view } = reader
  for (let values = 0; values < count && reader.offset < view.byteLength;) {
    const head = readVarInt(reader)
    const length = head >>> 1
    const isPacked = (head & 1) === 1
    values += isPacked ? 8 * length : length
    reader.offset += isPacked ? length * width : (width + 7) >> 3
    if (values > (isPacked ? count + maxPadding : count)) return false
  }
  return true
}

/**
 * The total bytes of texts of which each is stored as the length that it shares with the one before, and the rest: they
 * may be far more than the page
 * has.
 */
export function bytesOfDeltas(reader: PageReader, count: number): number {
  let bytes = 0
  for (let list = 0; list < 2; list++) {
    const lengths = new Int32Array(Math.min(count, countIn(reader)))
    deltaBinaryUnpack(reader, lengths.length, lengths)
    for (const length of lengths) bytes += length
  }
  return bytes
}

/** The number of values of a delta encoding, the third number of its head. */
function countIn({ view, offset }: PageReader): number {
  const reader = { view, offset }
  readVarInt(reader)
  readVarInt(reader)
  return readVarInt(reader) >>> 0
}
