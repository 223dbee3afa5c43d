/** The runs of a sweep by setting and method. */
import { InputError } from '@murmuration/core'
import type { Results, RunRecord } from '@murmuration/results'
import { type Case, curveKeys } from '../shared/page-data.js'
import { type VaryingAxis, varyingAxes } from './axes.js'
import { entryOf } from './entry.js'

/** All bands together have about so many points, so that the file of a large sweep stays within some megabytes. */
const pointsInAll = 60_000

/** How many points a curve may have, given the number of entries (methods times settings). */
export const pointsFor = (entries: number): number =>
  Math.max(16, Math.min(200, Math.floor(pointsInAll / (entries * curveKeys.length))))

/**
 * Settings in the order of the axes' values, the last axis fastest. Throws an InputError when a run has an unknown
 * setting or method.
 */
export function casesOf(results: Results, maxPoints: number): Case[] {
  const axes = varyingAxes(results.sweep)
  const labels = results.sweep.methods.map(({ label }) => label)
  const groups = new Map<string, { readonly places: readonly number[]; readonly runs: RunRecord[][] }>()
  for (const run of results.runs) {
    const places = axes.map((axis) => indexOfValue(run, axis))
    const method = labels.indexOf(run.method)
    if (method === -1) throw new InputError(`found a run of the method “${run.method}”, which is not in the sweep`)
    const key = places.join()
    const group = groups.get(key) ?? { places, runs: labels.map(() => []) }
    group.runs[method].push(run)
    groups.set(key, group)
  }
  return [...groups.values()].sort(inOrder).map(({ places, runs }) => ({
    places,
    entries: runs.map((seeds) => (seeds.length === 0 ? null : entryOf(seeds, maxPoints)))
  }))
}

function indexOfValue({ settings }: RunRecord, { name, values }: VaryingAxis): number {
  const index = values.indexOf(settings[name])
  if (index === -1)
    throw new InputError(`found a run with ${name} ${settings[name]}, which is not a value of the sweep's axis`)
  return index
}

function inOrder(a: Pick<Case, 'places'>, b: Pick<Case, 'places'>): number {
  const axis = a.places.findIndex((index, k) => index !== b.places[k])
  return axis === -1 ? 0 : a.places[axis] - b.places[axis]
}
