/** Operations on vectors other than sums. */
import type { Vector } from './vector.js'

/** Applies `f` to the elements of all vectors. */
export function map(f: (...values: number[]) => number, first: Vector, ...others: readonly Vector[]): Vector {
  return first.arena.compute(first.length, (out, from, to) => {
    const [a, b, c, ...more] = [first, ...others].map(({ values }) => values)
    if (b === undefined) for (let i = from; i < to; i++) out[i] = f(a[i])
    else if (c === undefined) for (let i = from; i < to; i++) out[i] = f(a[i], b[i])
    else if (more.length === 0) for (let i = from; i < to; i++) out[i] = f(a[i], b[i], c[i])
    else for (let i = from; i < to; i++) out[i] = f(a[i], b[i], c[i], ...more.map((values) => values[i]))
  })
}

/** The concatenation of the parts. */
export function concat(parts: readonly Vector[]): Vector {
  const length = parts.reduce((sum, part) => sum + part.length, 0)
  return parts[0].arena.compute(length, (out, from, to) => {
    let offset = 0
    for (const { values } of parts) {
      const start = Math.max(from, offset)
      const end = Math.min(to, offset + values.length)
      const isWhole = end - start === values.length
      if (start < end) out.set(isWhole ? values : values.subarray(start - offset, end - offset), start)
      offset += values.length
    }
  })
}
