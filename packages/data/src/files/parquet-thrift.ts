import { readVarInt } from 'hyparquet/src/thrift.js'
import type { PageReader } from './parquet-runs.js'

/** Types of values in the compact protocol of Thrift (thrift.apache.org), as a footer and the heads of pages use it. */
const type = { stop: 0, true: 1, false: 2, byte: 3, double: 7, binary: 8, list: 9, struct: 12 } as const

/**
 * Whether all lists in a struct have the elements that they claim: the decoder makes room for a list before it reads
 * it. Throws a RangeError at the
 * end of the bytes.
 */
export function listsFit(reader: PageReader): boolean {
  for (;;) {
    const byte = reader.view.getUint8(reader.offset++)
    const kind = byte & 0x0f
    if (kind === type.stop) return true
    if (byte >> 4 === 0) readVarInt(reader)
    if (kind !== type.true && kind !== type.false && !passElement(reader, kind)) return false
  }
}

/** Goes to the end of a value. Returns whether its lists have the elements that they claim. */
function passElement(reader: PageReader, kind: number): boolean {
  switch (kind) {
    case type.true:
    case type.false:
    case type.byte:
      reader.offset += 1
      return true
    case type.double:
      reader.offset += 8
      return true
    case type.binary: {
      const length = readVarInt(reader)
      reader.offset += length
      return length >= 0
    }
    case type.list:
      return passList(reader)
    case type.struct:
      return listsFit(reader)
    default:
      readVarInt(reader)
      return true
  }
}

/** Each element has at least one byte. */
function passList(reader: PageReader): boolean {
  const byte = reader.view.getUint8(reader.offset++)
  const length = byte >> 4 === 15 ? readVarInt(reader) : byte >> 4
  if (length < 0 || length > reader.view.byteLength - reader.offset) return false
  for (let element = 0; element < length; element++) if (!passElement(reader, byte & 0x0f)) return false
  return true
}
