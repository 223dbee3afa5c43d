/**
 * A lossless, shorter form of vectors that an algorithm has compressed: many numbers are 0, few are different, or runs
 * of them differ only in sign. It is used whatever the codec of the link; the body's id says so ({@link packedId}).
 *
 * Layout, little-endian: a byte of flags; if zeros are left out (bit 0), the count of the remaining numbers (uint32);
 * these numbers, in one of four ways; and if zeros are left out, the places of the others to the end (see places.ts).
 * The four ways are: float32; (bit 1) a table of the different ones and indices, or (bit 3) runs with a table each (see
 * tables.ts); (bit 2) their magnitudes and signs (see signs.ts). Only +0 is left out, not −0.
 */
import { invariant } from '@murmuration/core'
import { bodyOf } from '../copy.js'
import { type EncodedBody, rawBytes, rawCodecId } from './codec.js'
import { copyFinite } from './formats.js'
import { type Levels, levelsOf, noLevels } from './levels.js'
import { type Indexed, NumberTable } from './number-table.js'
import { readNumbers, writeNumbers } from './plain-numbers.js'
import { placesLength, readPlaces, writePlaces } from './places.js'
import { readSigns, signsLength, writeSigns } from './signs.js'
import { readTable, readTables, type Tables, tablesBytes, tablesOf, writeTables } from './tables.js'

/** The id of this form in a frame's header, where codecs have theirs. */
export const packedId = 255

const withoutZeros = 1
const withTable = 2
const withSigns = 4
const withTables = 8
/** By the flags of a way. */
const readers = new Map([
  [0, readNumbers],
  [withTable, readTable],
  [withSigns, readSigns],
  [withTables, readTables]
])
const countBytes = 4
const noPlaces = new Uint32Array(0)

/** A way to write a body: which numbers, in which form, and its bytes. */
interface BodyPlan {
  readonly flags: number
  readonly numbers: Uint32Array
  readonly places: Uint32Array
  /** The numbers as tables; undefined in other forms. */
  readonly tables: Tables | undefined
  readonly bytes: number
}

/** Bytes of `values`, of which there are at most as many as fit in a frame. */
export function packedBytes(values: Float32Array): number {
  return planOf(values)?.bytes ?? rawBytes(values.length)
}

/**
 * Writes `values` to the beginning of `out`, which has room for them as raw float32, the form that is used where it is
 * no longer.
 */
export function writePacked(values: Float32Array, out: Uint8Array): EncodedBody {
  invariant(out.byteLength >= rawBytes(values.length), () => `${out.byteLength} bytes for ${values.length} numbers`)
  const plan = planOf(values)
  if (plan === undefined) {
    out.set(bodyOf(values))
    return { id: rawCodecId, bytes: rawBytes(values.length) }
  }
  const { flags, numbers, places, tables, bytes } = plan
  const view = new DataView(out.buffer, out.byteOffset, bytes)
  let at = 1
  out[0] = flags
  if (flags & withoutZeros) {
    view.setUint32(at, numbers.length, true)
    at += countBytes
  }
  if (flags & withSigns) at = writeSigns(numbers, view, at)
  else if (tables !== undefined) at = writeTables(tables, numbers, view, at)
  else at = writeNumbers(numbers, view, at)
  if (flags & withoutZeros) writePlaces(places, values.length, out, at)
  return { id: packedId, bytes }
}

/** Reads a whole body into `out`. Returns nothing, or, for invalid bytes, a sentence that says what is wrong. */
export function readPacked(bytes: Uint8Array, out: Float32Array): string | undefined {
  const flags = bytes.at(0) ?? 0
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const isSparse = (flags & withoutZeros) !== 0
  const read = readers.get(flags & ~withoutZeros)
  if (read === undefined || bytes.byteLength === 0 || (isSparse && bytes.byteLength < 1 + countBytes))
    return 'a packed body that says not how'
  const count = isSparse ? view.getUint32(1, true) : out.length
  if (count > out.length) return `${count} numbers of ${out.length} in a packed body`
  const numbers = new Uint32Array(count)
  const start = isSparse ? 1 + countBytes : 1
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
function planOf(values: Float32Array): BodyPlan | undefined {
  const all = new Uint32Array(values.buffer, values.byteOffset, values.length)
  const plans = plansOf(all)
  const best = plans.reduce((shortest, plan) => (plan.bytes < shortest.bytes ? plan : shortest))
  return best.bytes < rawBytes(values.length) ? best : undefined
}

function plansOf(all: Uint32Array): readonly BodyPlan[] {
  let count = 0
  for (let k = 0; k < all.length; k++) if (all[k] !== 0) count++
  const hasZeros = count < all.length
  const { numbers, places } = hasZeros ? withoutZerosOf(all, count) : { numbers: all, places: noPlaces }
  const indexed = NumberTable.of(numbers)
  const levels = indexed && manyBits(numbers, indexed) ? levelsOf(indexed.places, indexed.table.size) : noLevels
  if (!hasZeros) return plansFor({ numbers, places, flags: 0, extraBytes: 0 }, indexed, levels)
  const extraBytes = countBytes + placesLength(places, all.length)
  return [
    ...plansFor({ numbers: all, places: noPlaces, flags: 0, extraBytes: 0 }, indexed, levels, places),
    ...plansFor({ numbers, places, flags: withoutZeros, extraBytes }, indexed, levels)
  ]
}

/**
 * Whether both a single table and signs take more than 2 bits a number, and levels occur twice on average: otherwise
 * runs gain next to nothing.
 */
function manyBits(numbers: Uint32Array, { table }: Indexed): boolean {
  const most = numbers.length / 4
  return table.size > 4 && 2 * table.size <= numbers.length && signsLength(numbers, most) > most
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

/** What plans have in common: what they leave out, and its bytes. */
interface Common extends Pick<BodyPlan, 'numbers' | 'places' | 'flags'> {
  readonly extraBytes: number
}

/**
 * Plans for these numbers, of which those that are not 0 are `indexed`, with `levels`, and at the places `others` if
 * some are 0.
 */
function plansFor(
  common: Common,
  indexed: Indexed | undefined,
  levels: Levels,
  others?: Uint32Array
): readonly BodyPlan[] {
  const { numbers, places, flags, extraBytes } = common
  const plan = (way: number, bytes: number, tables?: Tables): BodyPlan => {
    return { flags: flags | way, numbers, places, tables, bytes: 1 + extraBytes + bytes }
  }
  const raw = rawBytes(numbers.length)
  const tabled = (indexed === undefined ? [] : tablesOf(indexed, levels, numbers.length, others)).map((tables) =>
    plan(tables.runs.length > 1 ? withTables : withTable, tablesBytes(tables), tables)
  )
  // Signs are counted only as long as they may be the shortest way.
  const most = Math.min(raw, ...tabled.map(({ bytes }) => bytes - 1 - extraBytes))
  return [plan(0, raw), plan(withSigns, signsLength(numbers, most)), ...tabled]
}
