/**
 * A lossless, shorter form of vectors that an algorithm has compressed: many numbers are 0, few are different, or runs of them differ only in sign.
 * It is used whatever the codec of the link; the body's id says so ({@link packedId}).
 *
 * Layout, little-endian: a byte of flags; if zeros are left out (bit 0), the count of the remaining numbers (uint32); these numbers, in one of three
 * ways; and if zeros are left out, the places of the others to the end (see places.ts). The three ways are: float32; (bit 1) how many different ones
 * there are less 1 (a byte), those as float32, and for each number its index among them, in as few bits as that takes, the first in the lowest bits
 * of each byte; (bit 2) their magnitudes and signs (see signs.ts). Only +0 is left out, not −0.
 */
import { invariant } from '@murmuration/core'
import { bodyOf } from '../copy.js'
import { type EncodedBody, rawBytes, rawCodecId } from './codec.js'
import { copyFinite } from './formats.js'
import { NumberTable } from './number-table.js'
import { placesLength, readPlaces, writePlaces } from './places.js'
import { readSigns, signsLength, writeSigns } from './signs.js'

/** The id of this form in a frame's header, where codecs have theirs. */
export const packedId = 255

const [withoutZeros, withTable, withSigns] = [1, 2, 4]
/** A table and signs together are invalid. */
const invalid = withTable | withSigns
const countBytes = 4
const noPlaces = new Uint32Array(0)
const widthOf = (different: number): number => Math.ceil(Math.log2(different))

/** A way to write a body: which numbers, in which form, and its bytes. */
interface Plan {
  readonly flags: number
  readonly numbers: Uint32Array
  readonly places: Uint32Array
  /** The different numbers; undefined when there are too many. */
  readonly table: NumberTable | undefined
  readonly bytes: number
}

/** Bytes of `values`, of which there are at most as many as fit in a frame. */
export function packedBytes(values: Float32Array): number {
  return planOf(values)?.bytes ?? rawBytes(values.length)
}

/** Writes `values` to the beginning of `out`, which has room for them as raw float32, the form that is used where it is no longer. */
export function writePacked(values: Float32Array, out: Uint8Array): EncodedBody {
  invariant(out.byteLength >= rawBytes(values.length), () => `${out.byteLength} bytes for ${values.length} numbers`)
  const plan = planOf(values)
  if (plan === undefined) {
    out.set(bodyOf(values))
    return { id: rawCodecId, bytes: rawBytes(values.length) }
  }
  const { flags, numbers, places, table, bytes } = plan
  const view = new DataView(out.buffer, out.byteOffset, bytes)
  let at = 1
  out[0] = flags
  if (flags & withoutZeros) {
    view.setUint32(at, numbers.length, true)
    at += countBytes
  }
  if (flags & withSigns) at = writeSigns(numbers, view, at)
  else if (table !== undefined && flags & withTable) at = writeTable(numbers, table, view, at)
  else at = writeNumbers(numbers, view, at)
  if (flags & withoutZeros) writePlaces(places, values.length, out, at)
  return { id: packedId, bytes }
}

/** Reads a whole body into `out`. Returns nothing, or, for invalid bytes, a sentence that says what is wrong. */
export function readPacked(bytes: Uint8Array, out: Float32Array): string | undefined {
  const [flags = invalid, view] = [bytes[0], new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)]
  const isSparse = (flags & withoutZeros) !== 0
  if (flags >= invalid || (isSparse && bytes.byteLength < 1 + countBytes)) return 'a packed body that says not how'
  const count = isSparse ? view.getUint32(1, true) : out.length
  if (count > out.length) return `${count} numbers of ${out.length} in a packed body`
  const numbers = new Uint32Array(count)
  const start = isSparse ? 1 + countBytes : 1
  const read = flags & withSigns ? readSigns : flags & withTable ? readTable : readNumbers
  const end = read(view, start, numbers)
  if (end === undefined) return 'the numbers of a packed body cannot be read'
  const target = new Uint32Array(out.buffer, out.byteOffset, out.length)
  if (isSparse) {
    const places = new Uint32Array(count)
    if (!readPlaces(bytes.subarray(end), out.length, places)) return 'the places of a packed body cannot be read'
    target.fill(0)
    for (let k = 0; k < count; k++) target[places[k]] = numbers[k]
  } else if (end === bytes.byteLength) target.set(numbers)
  else return `a packed body of ${bytes.byteLength} bytes, ${end} expected`
  return copyFinite(bodyOf(out)) ? undefined : 'a number is NaN or infinite'
}

/** The shortest way to write `values`; undefined when raw float32 is no longer. */
function planOf(values: Float32Array): Plan | undefined {
  const all = new Uint32Array(values.buffer, values.byteOffset, values.length)
  const plans = [...planFor(all, 0, noPlaces, 0), ...sparsePlans(all)]
  const best = plans.reduce((shortest, plan) => (plan.bytes < shortest.bytes ? plan : shortest))
  return best.bytes < rawBytes(values.length) ? best : undefined
}

/** Plans that leave zeros out; none where there are no zeros. */
function sparsePlans(all: Uint32Array): readonly Plan[] {
  let count = 0
  for (let k = 0; k < all.length; k++) if (all[k] !== 0) count++
  if (count === all.length) return []
  const { numbers, places } = withoutZerosOf(all, count)
  return planFor(numbers, withoutZeros, places, countBytes + placesLength(places, all.length))
}

/** The numbers that are not 0, `count` of them, and their places. */
function withoutZerosOf(
  all: Uint32Array,
  count: number
): { readonly numbers: Uint32Array; readonly places: Uint32Array } {
  const numbers = new Uint32Array(count)
  const places = new Uint32Array(count)
  for (let k = 0, at = 0; at < count; k++) {
    if (all[k] === 0) continue
    numbers[at] = all[k]
    places[at++] = k
  }
  return { numbers, places }
}

function planFor(numbers: Uint32Array, flags: number, places: Uint32Array, extraBytes: number): Plan[] {
  const table = NumberTable.of(numbers)
  const plain = { flags, numbers, places, table, bytes: 1 + extraBytes + rawBytes(numbers.length) }
  const signs = { ...plain, flags: flags | withSigns, bytes: 1 + extraBytes + signsLength(numbers) }
  if (table === undefined) return [plain, signs]
  const bytes = 2 + extraBytes + rawBytes(table.size) + Math.ceil((numbers.length * widthOf(table.size)) / 8)
  return [plain, signs, { ...plain, flags: flags | withTable, bytes }]
}

function writeNumbers(numbers: Uint32Array, view: DataView, start: number): number {
  for (let k = 0; k < numbers.length; k++) view.setUint32(start + 4 * k, numbers[k], true)
  return start + rawBytes(numbers.length)
}

function readNumbers(view: DataView, start: number, numbers: Uint32Array): number | undefined {
  const end = start + rawBytes(numbers.length)
  if (end > view.byteLength) return undefined
  for (let k = 0; k < numbers.length; k++) numbers[k] = view.getUint32(start + 4 * k, true)
  return end
}

function writeTable(numbers: Uint32Array, table: NumberTable, view: DataView, start: number): number {
  const width = widthOf(table.size)
  view.setUint8(start, table.size - 1)
  let at = writeNumbers(table.numbers, view, start + 1)
  let [buffer, filled] = [0, 0]
  for (let k = 0; k < numbers.length; k++) {
    buffer |= table.placeOf(numbers[k]) << filled
    filled += width
    for (; filled >= 8; filled -= 8, buffer >>>= 8) view.setUint8(at++, buffer & 0xff)
  }
  if (filled > 0) view.setUint8(at++, buffer)
  return at
}

function readTable(view: DataView, start: number, numbers: Uint32Array): number | undefined {
  if (start >= view.byteLength) return undefined
  const table = new Uint32Array(view.getUint8(start) + 1)
  const width = widthOf(table.length)
  let at = readNumbers(view, start + 1, table)
  if (at === undefined || at + Math.ceil((numbers.length * width) / 8) > view.byteLength) return undefined
  let [buffer, filled] = [0, 0]
  for (let k = 0; k < numbers.length; k++) {
    for (; filled < width; filled += 8) buffer |= view.getUint8(at++) << filled
    const place = buffer & (2 ** width - 1)
    if (place >= table.length) return undefined
    numbers[k] = table[place]
    buffer >>>= width
    filled -= width
  }
  return at
}
