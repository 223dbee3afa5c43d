import { exponentOf, type Random } from '@murmuration/core'
import { bodyOf } from '../copy.js'
import {
  type CodecKind,
  type Codec,
  type Decoder,
  type EncodedBody,
  type Encoder,
  rawBytes,
  rawCodecId
} from './codec.js'
import { float16 } from './float16.js'
import { copyFinite, decodeRange, encodeRange } from './formats.js'
import { placesBytes, readPlaces, writePlaces } from './places.js'
import {
  checkRoom,
  decodeRaw,
  misplaced,
  notFinite,
  otherCodec,
  ReferenceVector,
  unset,
  wrongLength
} from './reference.js'
import { largestOf, selectChanges, thresholdOf } from './select.js'

/** Bytes of the header: the number of changes and their unit. */
const headBytes = 8

/** The power of two that scales the largest change to about 2¹⁴, within the range of float16; it is never subnormal. */
function unitOf(largest: number): number {
  return 2 ** Math.max(-126, exponentOf(largest) - 14)
}

/**
 * How many numbers are that fraction of `count`: rounded up, but not when only the product's rounding error exceeds an
 * integer.
 */
export function countOf(fraction: number, count: number): number {
  return Math.ceil(fraction * count * (1 - 1e-12))
}

/** The record of the codec that sends the numbers that changed most. */
export const topK: CodecKind = {
  name: 'top-k',
  id: 12,
  description: 'the largest changes since the last vector: each change as float16, and its index',
  parameter: {
    description: 'the fraction of the numbers that are sent, above 0 and at most 1',
    example: 0.01,
    isAllowed: (fraction) => fraction > 0 && fraction <= 1
  },
  create: (fraction = 1) => topKOf(fraction)
}

/**
 * The ⌈fraction · count⌉ numbers of a range that changed most since the reference, of ties those with lower places.
 *
 * Layout: the number of changes (uint32), their unit (float32, a power of two), the changes in that unit (float16, 2
 * bytes each), and their places (see places.ts). What rounding to float16 loses and what is left out is part of the
 * next change. Numbers that did not change are left out even when they are among the largest.
 */
function topKOf(fraction: number): Codec {
  const bytes = (count: number) => {
    const changes = countOf(fraction, count)
    return headBytes + float16.bytes(changes) + placesBytes(changes, count)
  }
  return {
    name: `${topK.name}:${fraction}`,
    id: topK.id,
    stateful: true,
    // Numbers that are left out of a round are sent later, and nothing bounds how much later.
    accuracy: { error: 0, rounds: Math.ceil(3 / fraction), floor: Number.POSITIVE_INFINITY },
    bytes,
    maxBytes: rawBytes,
    createEncoder: (length: number, _random: Random) => new TopKEncoder(fraction, bytes, length),
    createDecoder: (length) => new TopKDecoder(fraction, length)
  }
}

class TopKEncoder implements Encoder {
  readonly #fraction: number
  readonly #bytes: (count: number) => number
  readonly #length: number
  readonly #reference: ReferenceVector
  readonly #places: Uint32Array
  readonly #changes: Float32Array

  constructor(fraction: number, bytes: (count: number) => number, length: number) {
    this.#fraction = fraction
    this.#bytes = bytes
    this.#length = length
    this.#reference = new ReferenceVector(length)
    this.#places = new Uint32Array(countOf(fraction, length))
    this.#changes = new Float32Array(this.#places.length)
  }

  encode(values: Float32Array, offset: number, out: Uint8Array): EncodedBody {
    const { length } = values
    checkRoom(this.#length, offset, length, out)
    const reference = this.#reference.range(offset, length)
    const isShorter = this.#bytes(length) < rawBytes(length)
    const bytes = isShorter ? this.#write(values, reference, out) : undefined
    if (bytes !== undefined) return { id: topK.id, bytes }
    out.set(bodyOf(values))
    this.#reference.become(values, offset)
    return { id: rawCodecId, bytes: rawBytes(length) }
  }

  /** Returns the bytes of the body; nothing when something is not finite. */
  #write(values: Float32Array, reference: Float32Array, out: Uint8Array): number | undefined {
    const threshold = thresholdOf(values, reference, countOf(this.#fraction, values.length))
    if (threshold === undefined) return undefined
    const count = selectChanges(values, reference, threshold, this.#places, this.#changes)
    const places = this.#places.subarray(0, count)
    const changes = this.#changes.subarray(0, count)
    const unit = unitOf(largestOf(changes))
    for (let index = 0; index < count; index++) changes[index] /= unit
    const codes = out.subarray(headBytes, headBytes + float16.bytes(count))
    encodeRange(float16, changes, undefined, codes)
    decodeRange(float16, codes, undefined, changes)
    if (!addChanges(reference, places, changes, unit)) return undefined
    const head = new DataView(out.buffer, out.byteOffset, headBytes)
    head.setUint32(0, count, true)
    head.setFloat32(4, unit, true)
    return writePlaces(places, values.length, out, headBytes + codes.byteLength)
  }

  reset(): void {
    this.#reference.forget()
  }
}

class TopKDecoder implements Decoder {
  readonly #fraction: number
  readonly #length: number
  readonly #reference: ReferenceVector
  readonly #places: Uint32Array
  readonly #changes: Float32Array

  constructor(fraction: number, length: number) {
    this.#fraction = fraction
    this.#length = length
    this.#reference = new ReferenceVector(length)
    this.#places = new Uint32Array(countOf(fraction, length))
    this.#changes = new Float32Array(this.#places.length)
  }

  decode(id: number, bytes: Uint8Array, offset: number, out: Float32Array): string | undefined {
    const problem = misplaced(this.#length, offset, out.length)
    if (problem !== undefined) return problem
    const reference = this.#reference.range(offset, out.length)
    const fault = id === rawCodecId ? decodeRaw(bytes, out, reference) : this.#read(id, bytes, reference, out)
    if (fault !== undefined) reference.fill(unset)
    return fault
  }

  #read(id: number, bytes: Uint8Array, reference: Float32Array, out: Float32Array): string | undefined {
    if (id !== topK.id) return otherCodec(id, topK)
    if (bytes.byteLength < headBytes) return wrongLength(bytes.byteLength, headBytes)
    const head = new DataView(bytes.buffer, bytes.byteOffset, headBytes)
    const count = head.getUint32(0, true)
    const unit = head.getFloat32(4, true)
    const maxCount = countOf(this.#fraction, out.length)
    if (count > maxCount) return `${count} changes, at most ${maxCount} expected`
    const places = this.#places.subarray(0, count)
    const changes = this.#changes.subarray(0, count)
    const placesAt = headBytes + float16.bytes(count)
    if (bytes.byteLength <= placesAt) return wrongLength(bytes.byteLength, placesAt + 1)
    if (!readPlaces(bytes.subarray(placesAt), out.length, places)) return 'the places of the changes cannot be read'
    const isFinite = decodeRange(float16, bytes.subarray(headBytes, placesAt), undefined, changes)
    if (!isFinite || !addChanges(reference, places, changes, unit)) return notFinite(reference)
    return copyFinite(bodyOf(reference), bodyOf(out)) ? undefined : notFinite(reference)
  }

  reset(): void {
    this.#reference.forget()
  }
}

/** Adds changes in a unit to the numbers at these places. Returns whether all of them are finite. */
function addChanges(reference: Float32Array, places: Uint32Array, changes: Float32Array, unit: number): boolean {
  let largest = 0
  for (let index = 0; index < places.length; index++) {
    const place = places[index]
    const sum = Math.fround(reference[place] + Math.fround(changes[index] * unit))
    reference[place] = sum
    // NaN persists.
    largest = Math.max(largest, Math.abs(sum))
  }
  return largest < Infinity
}
