import { mean, norm } from '@murmuration/vectors'
import type { Summary } from '../summaries.js'
import type { Training } from '../training/training-schema.js'
import { roundingFloor } from './rounding-floor.js'

/** By what factor the peers may differ more than predicted at the end. */
const disagreementSlack = 10

/**
 * Why the final models differ too much, in a sentence; undefined if they do not. The final averaging rounds guarantee a factor by which the consensus
 * distance falls while all peers are present; the codec's rounding sets a floor.
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

const short = (value: number) => Number(value.toPrecision(3))
