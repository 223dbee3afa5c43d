import type { Random } from '@murmuration/core'

/** The numbers 0 … `count` − 1. */
export function upTo(count: number): Uint32Array {
  return new Uint32Array(count).map((_, index) => index)
}

/**
 * `indices` in the order that `random.shuffle` gives a list of them, in their own memory: a list takes several times as
 * much.
 */
export function shuffled(indices: Uint32Array, random: Random): Uint32Array {
  for (let last = indices.length - 1; last > 0; last--) {
    const other = random.integer(last + 1)
    const index = indices[last]
    indices[last] = indices[other]
    indices[other] = index
  }
  return indices
}

/** All lists, one after the other. */
export function joined(parts: readonly Uint32Array[]): Uint32Array {
  const all = new Uint32Array(parts.reduce((sum, { length }) => sum + length, 0))
  let length = 0
  for (const part of parts) {
    all.set(part, length)
    length += part.length
  }
  return all
}
