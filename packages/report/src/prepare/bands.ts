/** The curves of several seeds as one band: their median, between the minimum and the maximum. */
import { max, median, min } from 'simple-statistics'
import type { Band } from '../shared/page-data.js'
import { rounded } from './spread.js'

export interface Curve {
  /** In the order of `x`, which never decreases. */
  readonly points: readonly { readonly x: number; readonly y: number }[]
  /** Whether the curve keeps its last value after its end; a failed run has no value there. */
  readonly stays: boolean
}

/** At most `maxItems` of the items, evenly spaced; the first and the last are kept. */
export function thin<T>(items: readonly T[], maxItems: number): readonly T[] {
  if (items.length <= maxItems) return items
  const step = (items.length - 1) / (maxItems - 1)
  return Array.from({ length: maxItems }, (_, k) => items[Math.round(k * step)])
}

/** The curve's value at `x`, interpolated linearly; undefined where it has none. */
export function valueAt({ points, stays }: Curve, x: number): number | undefined {
  const after = firstAfter(points, x)
  if (after === 0) return undefined
  const left = points[after - 1]
  if (after === points.length) return left.x === x || stays ? left.y : undefined
  const right = points[after]
  return left.x === x ? left.y : left.y + ((right.y - left.y) * (x - left.x)) / (right.x - left.x)
}

/** The index of the first point after `x`. */
function firstAfter(points: Curve['points'], x: number): number {
  let low = 0
  let high = points.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (points[middle].x <= x) low = middle + 1
    else high = middle
  }
  return low
}

/** The band of the curves at up to `maxPoints` values of `x`. Values that are not finite are left out. */
export function bandOf(curves: readonly Curve[], maxPoints: number): Band {
  const places = [...new Set(curves.flatMap(({ points }) => points.map(({ x }) => x)))].sort((a, b) => a - b)
  const x = thin(places, maxPoints)
  const values = x.map((place) =>
    curves.map((curve) => valueAt(curve, place)).filter((y) => y !== undefined && Number.isFinite(y))
  ) as readonly number[][]
  const row = (figure: (of: number[]) => number) => values.map((of) => (of.length === 0 ? null : rounded(figure(of))))
  const band = { x: x.map(rounded), middle: row(median) }
  return curves.length === 1 ? band : { ...band, low: row(min), high: row(max) }
}
