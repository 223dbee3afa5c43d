/** Subsets of the parameters: randomly drawn ones, or a range. */
import { createRandom } from '@murmuration/random'
import type { Range, Vector } from '@murmuration/engine'

/** S_k: `count` of the numbers below `length`, every set equally likely (Floyd's algorithm); the same at all peers. */
export function drawn(k: number, length: number, count: number): ReadonlySet<number> {
  const random = createRandom(k, 'mask')
  const mask = new Set<number>()
  for (let last = length - count; last < length; last++) {
    const index = random.integer(last + 1)
    mask.add(mask.has(index) ? last : index)
  }
  return mask
}

/** The numbers at these places; 0 elsewhere. */
export function masked(v: Vector, mask: ReadonlySet<number>): Vector {
  return v.arena.compute(v.length, (out, from) => {
    if (from > 0) return
    out.fill(0)
    for (const index of mask) out[index] = v.values[index]
  })
}

/** The numbers of a range, at their places; 0 elsewhere. */
export function within(v: Vector, { offset, length }: Range): Vector {
  return v.arena.compute(v.length, (out, from) => {
    if (from > 0) return
    out.fill(0)
    out.set(v.values.subarray(offset, offset + length), offset)
  })
}
