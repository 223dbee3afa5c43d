/** Sketches: short sums of long vectors, from which distances are estimated where no machine has all vectors. */
import { invariant } from '@murmuration/core'

/** Numbers of a sketch. The relative standard error of a squared distance is `√(2 / 64)`, 18 %. */
export const sketchLength = 64

/**
 * Adds the count sketch `S x` (Charikar, Chen, Farach-Colton, ICALP 2002) of the elements from `from` to below `to` to
 * `sums`: each element is added to one of {@link sketchLength} sums, with a sign. Every {@link sketchLength}
 * consecutive elements go to different sums; a hash of their place and the seed gives their rotation and their signs.
 * `E ‖S x − S y‖² = ‖x − y‖²`, with variance at most `2 ‖x − y‖⁴ / 64`.
 *
 * @param from - a multiple of {@link sketchLength}, so that ranges add up to the sketch of the whole
 */
export function addToSketch(sums: Float64Array, x: Float32Array, seed: number, from = 0, to = x.length): void {
  invariant(
    from % sketchLength === 0,
    () => `a range of a sketch begins at ${from}, expected a multiple of ${sketchLength}`
  )
  for (let first = from; first < to; first += sketchLength) {
    const rotation = mixed(first ^ seed)
    const last = Math.min(to, first + sketchLength)
    let signs = 0
    for (let i = first; i < last; i++) {
      if ((i & 31) === 0) signs = mixed(rotation + i - first + 1)
      const index = (i + rotation) & (sketchLength - 1)
      sums[index] += (1 - ((signs & 1) << 1)) * x[i]
      signs >>>= 1
    }
  }
}

/** The sketch of a whole vector; see {@link addToSketch}. */
export function sketch(x: Float32Array, seed: number): Float64Array {
  const sums = new Float64Array(sketchLength)
  addToSketch(sums, x, seed)
  return sums
}

/**
 * The root mean square distance of the vectors from their mean, estimated from their sketches.
 *
 * @returns 0 for one sketch or none
 */
export function sketchedConsensusDistance(sketches: readonly Float64Array[]): number {
  const count = sketches.length
  if (count === 0) return 0
  let sum = 0
  for (let index = 0; index < sketchLength; index++) {
    let mean = 0
    for (const vector of sketches) {
      invariant(vector.length === sketchLength, () => `a sketch has ${vector.length} numbers, expected ${sketchLength}`)
      mean += vector[index] / count
    }
    for (const vector of sketches) sum += (vector[index] - mean) ** 2
  }
  return Math.sqrt(sum / count)
}

/**
 * The finaliser of MurmurHash3 (Appleby 2011, public domain): every bit of the result depends on every bit of the
 * number.
 */
function mixed(number: number): number {
  let hash = number ^ (number >>> 16)
  hash = Math.imul(hash, 0x85ebca6b)
  hash ^= hash >>> 13
  hash = Math.imul(hash, 0xc2b2ae35)
  return hash ^ (hash >>> 16)
}
