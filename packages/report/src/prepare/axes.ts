/** What varies in a sweep. */
import type { Setting, Sweep } from '@murmuration/results'
import type { PageAxis } from '../shared/page-data.js'
import { settingText } from '../shared/units.js'

export interface VaryingAxis {
  readonly name: string
  readonly values: readonly Setting[]
}

/** The axes with more than one value. */
export const varyingAxes = ({ axes }: Sweep): VaryingAxis[] =>
  Object.entries(axes)
    .filter(([, values]) => values.length > 1)
    .map(([name, values]) => ({ name, values }))

/** The axis in the form that the page needs. */
export function pageAxis({ name, values }: VaryingAxis): PageAxis {
  return { name, values: values.map((value) => settingText(name, value)), ends: endsOf(values) }
}

/** The indices of the minimum and the maximum; for names, those of the first four. */
function endsOf(values: readonly Setting[]): number[] {
  const places = values.map((_, index) => index)
  if (values.some((value) => typeof value === 'string')) return places.slice(0, 4)
  const sorted = places.sort((a, b) => Number(values[a]) - Number(values[b]))
  return [sorted[0], sorted[sorted.length - 1]]
}

/**
 * The indices of two axes for the map: bandwidth and latency if they vary, else the first numeric ones, else the first.
 */
export function mapAxesOf(axes: readonly VaryingAxis[]): number[] {
  const rank = ({ name, values }: VaryingAxis) => {
    if (/bandwidth/i.test(name)) return 0
    if (/latency/i.test(name)) return 1
    return values.every((value) => typeof value === 'number') ? 2 : 3
  }
  return axes
    .map((axis, index) => ({ index, rank: rank(axis) }))
    .sort((a, b) => a.rank - b.rank || a.index - b.index)
    .slice(0, 2)
    .map(({ index }) => index)
}
