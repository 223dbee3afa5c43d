import type { Stretch } from '../stretches.js'
import { directAllReduce } from './direct.js'
import type { AllReduce, Group } from './group.js'
import { halvingDoublingAllReduce } from './halving-doubling.js'
import { ringAllReduce } from './ring.js'

/** The ways to take the mean over a group. */
export const allReduces = {
  'ring': ringAllReduce,
  'halving-doubling': halvingDoublingAllReduce,
  'direct': directAllReduce
} as const satisfies Readonly<Record<string, AllReduce>>

/** The name of a way to take the mean over a group. */
export type Collective = keyof typeof allReduces

/** Which mean is taken, and how. */
export interface MeanOptions {
  readonly collective: Collective
  readonly round: number
  readonly stretches: readonly Stretch[]
  readonly pieces: number
}

/** The mean of everybody's `own` in `out`, stretch after stretch: one is over before the next begins. */
export async function meanOver(
  group: Group,
  own: Float32Array,
  out: Float32Array,
  { collective, round, stretches, pieces }: MeanOptions
): Promise<void> {
  for (const stretch of stretches) await allReduces[collective](group, own, out, { round, stretch, pieces })
}
