import { invariant } from '@murmuration/core'
import { bodyOf } from '../copy.js'
import { type CodecKind, rawBytes, rawCodecId } from './codec.js'
import { copyFinite } from './formats.js'

/** The value where the reference was never set. Any sum with it is NaN, which kernels check for anyway. */
export const unset = Number.NaN

/** The vector as the receiver of a link has reconstructed it, or {@link unset} where it has received nothing. */
export class ReferenceVector {
  readonly #numbers: Float32Array

  constructor(length: number) {
    this.#numbers = new Float32Array(length).fill(unset)
  }

  range(offset: number, length: number): Float32Array {
    return this.#numbers.subarray(offset, offset + length)
  }

  /**
   * After `values` were sent as raw float32. If they are not finite, the receiver refuses them and may forget more than
   * the sender can know.
   */
  become(values: Float32Array, offset: number): void {
    const target = bodyOf(this.range(offset, values.length))
    if (!copyFinite(bodyOf(values), target)) this.forget()
  }

  forget(): void {
    this.#numbers.fill(unset)
  }
}

/** Reads raw float32 to `out`, and to the range `known` of a reference. */
export function decodeRaw(bytes: Uint8Array, out: Float32Array, reference?: Float32Array): string | undefined {
  const expected = rawBytes(out.length)
  if (bytes.byteLength !== expected) return wrongLength(bytes.byteLength, expected)
  if (!copyFinite(bytes, bodyOf(out))) return notFinite(undefined)
  reference?.set(out)
  return undefined
}

export function otherCodec(found: number, expected: Pick<CodecKind, 'id' | 'name'>): string {
  return `codec ${found}, ${expected.id} (${expected.name}) or ${rawCodecId} (float32) expected`
}

export function wrongLength(found: number, expected: number): string {
  return `a body of ${found} bytes, ${expected} expected`
}

/** Why a result is not finite: from a sum with the range `known` of a reference, if there is one. */
export function notFinite(reference: Float32Array | undefined): string {
  const missing = reference !== undefined && !copyFinite(bodyOf(reference))
  return missing ? 'a change of numbers that were never sent as a whole' : 'a number is NaN or infinite'
}

/** Why the range of `count` numbers from `offset` on is not within a vector of `length`, if it is not. */
export function misplaced(length: number, offset: number, count: number): string | undefined {
  const inside = Number.isInteger(offset) && offset >= 0 && offset + count <= length
  return inside ? undefined : `${count} numbers from number ${offset} on, of a vector of ${length}`
}

/** Throws an InvariantError unless the range lies within the vector and `out` has room for any body of it. */
export function checkRoom(length: number, offset: number, count: number, out: Uint8Array): void {
  const wrong = misplaced(length, offset, count)
  invariant(wrong === undefined, wrong ?? '')
  invariant(out.byteLength >= rawBytes(count), () => `${out.byteLength} bytes for a body of ${count} numbers`)
}
