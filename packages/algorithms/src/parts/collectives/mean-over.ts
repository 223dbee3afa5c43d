/** The mean over all of a route, by one of several collectives: functions of a channel and a route. */
import { InputError } from '@murmuration/core'
import { z } from 'zod'
import {
  concat,
  type Fusion,
  partsPerRound,
  type Range,
  rangesByRank,
  rangesOf,
  type Route,
  type Vector
} from '@murmuration/engine'
import { direct } from './direct.js'
import { halvingDoubling } from './halving-doubling.js'
import { type Collective, type CollectiveChannel, type RangeMean, Ranks } from './ranks.js'
import { ring } from './ring.js'

const collectives = { ring, 'halving-doubling': halvingDoubling, direct } as const satisfies Record<string, Collective>

/** Options of all algorithms with a mean over all peers. */
export const meanOptions = {
  collective: z.enum(['ring', 'halving-doubling', 'direct']).default('ring').meta({
    description: 'How the mean over all peers is computed'
  }),
  fusion: z.enum(['fused', 'per-tensor']).default('fused').meta({
    description: 'fused: one mean of the whole vector. per-tensor: one of each tensor'
  }),
  calls: z.enum(['streamed', 'blocking']).default('streamed').meta({
    description: 'Per tensor: all means at once, or one after the other, as "halving-doubling" always does'
  }),
  chunks: z.int().min(1).default(16).meta({ description: 'In how many chunks a range is sent' })
}

/** How a mean is taken, as options of these names say. */
export interface MeanSettings {
  readonly options: z.output<z.ZodObject<typeof meanOptions>>
  readonly tensors: readonly Range[]
}

/**
 * The mean of all peers' `x`; all get the same bits. Needs reliable delivery. Throws an InputError where a round would
 * have more parts than can be numbered.
 */
export async function meanOver(
  channel: CollectiveChannel,
  route: Route,
  x: Vector,
  { options: { collective, fusion, calls, chunks }, tensors }: MeanSettings
): Promise<Vector> {
  const ranks = new Ranks(channel, route)
  if (ranks.count === 1 || x.length === 0) return x
  const isHalving = collective === 'halving-doubling'
  const isBlocking = calls === 'blocking' || isHalving
  const means: RangeMean[] = []
  const rangesInTurn = rangesOfCalls(tensors, fusion, ranks.count, isHalving ? 1 : chunks, isBlocking)
  const partsOf = (ranges: RangesByRank) => (2 * ranks.count + 2) * Math.max(...ranges.map(({ length }) => length))
  checkParts(rangesInTurn.reduce((sum, ranges) => sum + partsOf(ranges), 0))
  for (const ranges of rangesInTurn) {
    means.push(...(await collectives[collective](ranks, x, ranges)))
    ranks.first += partsOf(ranges)
  }
  return concat(means.sort((left, right) => left.offset - right.offset).map(({ part }) => part))
}

function checkParts(count: number): void {
  if (count <= partsPerRound) return
  throw new InputError(
    `a mean over all peers takes ${count} parts, expected at most ${partsPerRound} in a round; set fewer chunks, or fusion: fused`
  )
}

type RangesByRank = readonly (readonly Range[])[]
const rangesOfTensors = new WeakMap<readonly Range[], Map<string, readonly RangesByRank[]>>()

/** The ranges of each call, by rank: one call for all ranges, or one for each. They are the same in every round. */
function rangesOfCalls(
  tensors: readonly Range[],
  fusion: Fusion,
  count: number,
  chunks: number,
  isBlocking: boolean
): readonly RangesByRank[] {
  const key = `${fusion} ${count} ${chunks} ${isBlocking}`
  const ofTensors = rangesOfTensors.get(tensors) ?? new Map<string, readonly RangesByRank[]>()
  rangesOfTensors.set(tensors, ofTensors)
  const ranges = rangesOf(tensors, fusion)
  const calls = isBlocking ? ranges.map((range) => [range]) : [ranges]
  const byRank = ofTensors.get(key) ?? calls.map((call) => rangesByRank(call, count, chunks))
  ofTensors.set(key, byRank)
  return byRank
}

/** The mean of all peers' `x` by a ring. */
export function ringMean(channel: CollectiveChannel, route: Route, x: Vector): Promise<Vector> {
  const options = { collective: 'ring', fusion: 'fused', calls: 'streamed', chunks: 16 } as const
  return meanOver(channel, route, x, { options, tensors: [{ offset: 0, length: x.length }] })
}
