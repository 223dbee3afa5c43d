/** A number by which a receiver checks that a vector is the intended one. */

/**
 * A 32-bit hash of the bits of `values`, which depends on every number and its place: four parallel sums, each
 * multiplied and folded as in MurmurHash3 (Appleby 2011), since a single one would wait for its own result. It finds
 * mistakes, such as memory that was reused too early. It does not stop a forger, who can compute it too.
 *
 * @returns a whole number from 0 to 2³² − 1, the same on all machines with the same byte order
 */
export function checksumOf(values: Float32Array): number {
  const bits = new Uint32Array(values.buffer, values.byteOffset, values.length)
  let a = values.length
  let b = 1
  let c = 2
  let d = 3
  const end = bits.length & ~3
  for (let i = 0; i < end; i += 4) {
    a = fold(a ^ bits[i])
    b = fold(b ^ bits[i + 1])
    c = fold(c ^ bits[i + 2])
    d = fold(d ^ bits[i + 3])
  }
  for (let i = end; i < bits.length; i++) a = fold(a ^ bits[i])
  return fold(fold(fold(fold(a) ^ b) ^ c) ^ d) >>> 0
}

/** The first half of MurmurHash3's finaliser: a bijection, so that a difference is never lost in one sum. */
function fold(value: number): number {
  const product = Math.imul(value ^ (value >>> 16), 0x85ebca6b)
  return product ^ (product >>> 13)
}
