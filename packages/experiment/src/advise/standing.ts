import type { SimulatedRecord } from '@murmuration/results'
import type { Candidate } from './candidates.js'

/** A plan in the search. */
export interface Entry {
  readonly candidate: Candidate
  /** Its place in the scenario. */
  readonly method: number
  /** Virtual seconds of final averaging. */
  readonly averaging: number
}

/** How an entry did when it was simulated for some rounds. */
export interface Standing {
  readonly entry: Entry
  /** When it has the loss, and averaging after that; as it seems where it was cut off before. */
  readonly total: number
  readonly record: SimulatedRecord
}

/** What a run of a seed is judged by. */
export interface Scale {
  readonly target: number
  /** The least loss of plain SGD by each of its evaluations, which are as far apart as rounds. */
  readonly losses: readonly number[]
}

/** So many times as long as the best is no difference yet, after a few rounds or with one seed. */
export const notApart = 1.25

/**
 * Where the loss was not reached, the time that it took so far is divided by how far it has come: by how many steps plain SGD takes to the same loss, of those
 * that it takes to the target. Losses fall fast at first, so that a fraction of the loss would say less.
 */
export function standingOf(entry: Entry, record: SimulatedRecord, scale: Scale): Standing {
  const { outcome, toTarget, curve, seconds } = record
  const { averaging } = entry
  if (outcome === 'failed') return { entry, record, total: Number.POSITIVE_INFINITY }
  if (toTarget !== undefined) return { entry, record, total: toTarget.seconds + averaging }
  const loss = curve.at(-1)?.loss ?? Number.POSITIVE_INFINITY
  const way = stepsTo(loss, scale.losses) / stepsTo(scale.target, scale.losses)
  return { entry, record, total: way > 0 ? seconds / way + averaging : Number.POSITIVE_INFINITY }
}

/** How many evaluations it takes plain SGD to a loss, with a part of the last: 0 for one that it has left by the first, all for one that it does not reach. */
function stepsTo(loss: number, losses: readonly number[]): number {
  const next = losses.findIndex((each) => each <= loss)
  if (next < 0) return losses.length
  if (next === 0) return losses[0] === loss ? 1 : 0
  const [before, after] = [losses[next - 1], losses[next]]
  return next + (before - loss) / (before - after)
}

/** The same, for two that exchange alike, at rates three times as high: high ones begin slowly. */
const alike = 1.5

/** As numbers, of which two may be infinite. */
export const compare = (left: number, right: number) => (left === right ? 0 : left < right ? -1 : 1)

export const ranked = (standings: readonly Standing[]) =>
  standings.toSorted((left, right) => compare(left.total, right.total))

/** The best of those that exchange alike, and what cannot be told apart from it: by the same algorithm, on the same graph, in the same form and after as many steps. */
export function bestOfEach(standings: readonly Standing[]): readonly Entry[] {
  const best = new Map<string, number>()
  return standings.flatMap(({ entry, total }) => {
    const { choice, graph } = entry.candidate
    const { name, module, period, collective } = choice.algorithm
    const key = JSON.stringify([name, module, period, collective, choice.codec, graph])
    const least = best.get(key)
    best.set(key, least ?? total)
    const isClose = total < Number.POSITIVE_INFINITY && total <= alike * (least ?? total)
    return least === undefined || isClose ? entry : []
  })
}
