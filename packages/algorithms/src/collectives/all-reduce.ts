import { type Calls, sharesOf, type Stretch } from '../stretches.js'
import { directAllReduce, directOver } from './direct.js'
import type { AllReduce, AllReduceOver, Group } from './group.js'
import { halvingDoublingAllReduce } from './halving-doubling.js'
import { ringAllReduce, ringOver } from './ring.js'

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
  readonly calls: Calls
  readonly round: number
  readonly stretches: readonly Stretch[]
  readonly pieces: number
}

/** Those that can be under way with several stretches at once. The steps of halving and doubling depend on one another. */
const overMany: Readonly<Partial<Record<Collective, AllReduceOver>>> = { ring: ringOver, direct: directOver }

/**
 * The mean of everybody's `own` in `out`, in all `stretches`. 'blocking': one is over before the next begins. 'streamed': all
 * at once, but with 'halving-doubling', which is always blocking.
 */
export async function meanOver(
  group: Group,
  own: Float32Array,
  out: Float32Array,
  { collective, calls, round, stretches, pieces }: MeanOptions
): Promise<void> {
  const streamed = calls === 'streamed' ? overMany[collective] : undefined
  if (streamed !== undefined) return streamed(group, own, out, round, sharesOf(stretches, group.names.length, pieces))
  for (const stretch of stretches) await allReduces[collective](group, own, out, { round, stretch, pieces })
}
