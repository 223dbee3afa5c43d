import type { Agreement, TrainingSettings } from '@murmuration/algorithms'
import type { PeerName } from '@murmuration/core'
import { mean, norm } from '@murmuration/vectors'
import type { Summary } from '../../base/summaries.js'
import type { Training } from '../../training/training-schema.js'
import { roundingFloor } from './rounding-floor.js'

/** By what factor the peers may differ more than predicted at the end. */
const disagreementSlack = 10

/**
 * Why the final models differ too much, in a sentence; undefined if they do not. The final averaging rounds guarantee a
 * factor by which the consensus distance falls while all peers are present; the codec's rounding sets a floor.
 */
export function differenceOf(
  { consensusTolerance, codec }: Pick<Training, 'consensusTolerance' | 'codec'>,
  models: readonly Float32Array[],
  summary: Pick<Summary, 'consensusDistance' | 'consensusDistanceAfterTraining' | 'lost'>
): string | undefined {
  const { consensusDistance: found, consensusDistanceAfterTraining: before, lost } = summary
  if (before === undefined) return undefined
  const allowed = disagreementSlack * consensusTolerance * before + roundingFloor(codec) * norm(mean(models))
  if (found <= allowed) return undefined
  return lost.length === 0
    ? `the final models of the peers have a consensus distance of ${found}, expected at most ${allowed}`
    : `the final models differ: their consensus distance is ${short(found)}, and with all peers it would be at most ${short(allowed)}; lost: ${lost.join(', ')}`
}

/**
 * The peers whose final models are not the one of this peer, with their distances: farther than final averaging leaves
 * any two with all peers. None without final averaging, which alone makes one model of them.
 *
 * @param norm - of this peer's model
 */
export function peersApart(
  { consensusTolerance, codec }: Pick<Training, 'consensusTolerance' | 'codec'>,
  { finalRounds = 0 }: Pick<TrainingSettings, 'finalRounds'>,
  distances: Agreement['distances'],
  { apartAfterTraining, norm: length }: { readonly apartAfterTraining: number; readonly norm: number }
): Agreement['distances'] {
  if (finalRounds === 0) return []
  const ofMean = disagreementSlack * consensusTolerance * apartAfterTraining + roundingFloor(codec) * length
  return distances.filter(({ distance }) => distance > 2 * ofMean)
}

/** What a peer reports whose final model is not that of others. */
export function apartText(self: PeerName, apart: Agreement['distances']): string {
  const each = apart.map(({ from, distance }) => `${from}'s is ${short(distance)} away`).join(', ')
  return `the final models are not one: from the model of ${self} ${each}; they were apart for too long, or one of them is not what it says`
}

const short = (value: number) => Number(value.toPrecision(3))
