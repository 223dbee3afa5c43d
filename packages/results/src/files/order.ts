/** The order of the runs of a sweep, independent of the order in which they finished. */
import type { RunRecord, Sweep, Timeline } from '../results.js'

/** In the order of the scenario: by setting, the last axis fastest, then by method, then by seed. */
export function inOrder<T extends Pick<RunRecord | Timeline, 'settings' | 'method' | 'seed'>>(
  { axes, methods, seeds }: Sweep,
  items: readonly T[]
): T[] {
  const labels = methods.map(({ label }) => label)
  const places = new Map(
    items.map((item) => [
      item,
      [
        ...Object.entries(axes).map(([axis, values]) => values.indexOf(item.settings[axis])),
        labels.indexOf(item.method),
        seeds.indexOf(item.seed)
      ]
    ])
  )
  return [...items].sort((left, right) => compare(places.get(left) ?? [], places.get(right) ?? []))
}

function compare(left: readonly number[], right: readonly number[]): number {
  const differing = left.findIndex((index, k) => index !== right[k])
  return differing === -1 ? 0 : left[differing] - right[differing]
}

/** How many runs the complete sweep has. */
export function runsOfSweep({ axes, methods, seeds, sources }: Sweep): number {
  if (sources !== undefined) return sources.reduce((sum, { runs }) => sum + runs, 0)
  return Object.values(axes).reduce((product, { length }) => product * length, methods.length * seeds.length)
}
