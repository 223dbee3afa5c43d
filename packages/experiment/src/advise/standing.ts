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

/** Training that takes so many times as long as the best is no difference yet, after a few rounds or with one seed. Of final averaging it is known what it takes. */
export const notApart = 1.25

/** Virtual seconds of training with which a plan would be `times` as slow as one that is through at `bound`: final averaging leaves it so much less. */
export const trainingWithin = (bound: number, { averaging }: Entry, times: number) => times * (bound - averaging)

/** Whether what a plan seems to take for training is within that. */
export const isWithin = ({ total, entry }: Standing, bound: number, times: number) =>
  bound === Number.POSITIVE_INFINITY || total - entry.averaging < trainingWithin(bound, entry, times)

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

/** What plans have in common that exchange alike: by the same algorithm, on the same graph, in the same form and after as many steps. */
export function kindOf({ candidate: { choice, graph } }: Entry): string {
  const { name, module, period, collective } = choice.algorithm
  return JSON.stringify([name, module, period, collective, choice.codec, graph])
}

/** The best of each kind, and what cannot be told apart from it. */
export function bestOfEach(standings: readonly Standing[]): readonly Entry[] {
  const best = new Map<string, Standing>()
  return standings.flatMap((standing) => {
    const { entry, total } = standing
    const least = best.get(kindOf(entry)) ?? standing
    best.set(kindOf(entry), least)
    return least === standing || (total < Number.POSITIVE_INFINITY && isWithin(standing, least.total, alike))
      ? entry
      : []
  })
}
