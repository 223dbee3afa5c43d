/** The mean over all of a route, by one of several collectives: functions of a channel and a route. */
import { InputError } from '@murmuration/core'
import { z } from 'zod'
import {
  type Calls,
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
import {
  type CollectiveChoice,
  chosen,
  type ChosenCollective,
  collectiveOptions,
  type MeanName,
  type Order,
  usualChunks
} from './options.js'
import { type Collective, type CollectiveChannel, type RangeMean, Ranks } from './ranks.js'
import { ring } from './ring.js'
import { checkTrees, chunksOfTrees, treeMean } from './trees.js'

const byRanges = { ring, 'halving-doubling': halvingDoubling, direct } as const satisfies Record<string, Collective>

/** Options of all algorithms with a mean over all peers. */
export const meanOptions = {
  ...collectiveOptions,
  fusion: z.enum(['fused', 'per-tensor']).default('fused').meta({
    description: 'fused: one mean of the whole vector. per-tensor: one of each tensor'
  }),
  calls: z.enum(['streamed', 'blocking']).default('streamed').meta({
    description:
      'Per tensor: all means at once, as "trees" always does, or one after the other, as "halving-doubling" always does'
  }),
  chunks: z.int().min(1).default(usualChunks).meta({ description: 'In how many chunks a range is sent' })
}

/** How a mean is taken, as options of these names say. */
export interface MeanSettings {
  readonly options: {
    readonly collective: CollectiveChoice<MeanName>
    readonly order?: Order | undefined
    readonly fusion: Fusion
    readonly calls: Calls
    readonly chunks: number
  }
  readonly tensors: readonly Range[]
}

/**
 * The mean of all peers' `x`; all get the same bits. Needs reliable delivery. Throws an InputError where a round would
 * have more parts than can be numbered, and where the options were not made for these peers.
 */
export async function meanOver(
  channel: CollectiveChannel,
  route: Route,
  x: Vector,
  { options, tensors }: MeanSettings
): Promise<Vector> {
  const count = 1 + route.to.length
  if (count === 1 || x.length === 0) return x
  const { collective, order, fusion, calls, chunks } = options
  const ranges = rangesOf(tensors, fusion)
  const isBlocking = (name: MeanName) => name === 'halving-doubling' || (calls === 'blocking' && name !== 'trees')
  const bytesOf = (name: MeanName) => (isBlocking(name) ? ranges.map(({ length }) => 4 * length) : [4 * x.length])
  const { name, trees, chunks: fewer } = chosen(collective, bytesOf, 'ring')
  const means =
    name === 'trees'
      ? await alongTrees(new Ranks(channel, route), x, ranges, { trees, chunks: fewer ?? chunks * count })
      : await byRange(new Ranks(channel, route, name === 'ring' && typeof order === 'object' ? order : undefined), x, {
          collective: byRanges[name],
          calls: rangesOfCalls(
            tensors,
            fusion,
            count,
            name === 'halving-doubling' ? 1 : (fewer ?? chunks),
            isBlocking(name)
          )
        })
  return concat(means.sort((left, right) => left.offset - right.offset).map(({ part }) => part))
}

async function alongTrees(
  ranks: Ranks,
  x: Vector,
  ranges: readonly Range[],
  { trees, chunks }: { readonly trees: ChosenCollective<MeanName>['trees']; readonly chunks: number }
): Promise<RangeMean[]> {
  checkTrees(trees, ranks)
  const all = chunksOfTrees(ranges, trees, chunks)
  checkParts(2 * all.length)
  return treeMean(ranks, x, all)
}

async function byRange(
  ranks: Ranks,
  x: Vector,
  { collective, calls }: { readonly collective: Collective; readonly calls: readonly RangesByRank[] }
): Promise<RangeMean[]> {
  const means: RangeMean[] = []
  const partsOf = (ranges: RangesByRank) => (2 * ranks.count + 2) * Math.max(...ranges.map(({ length }) => length))
  checkParts(calls.reduce((sum, ranges) => sum + partsOf(ranges), 0))
  for (const ranges of calls) {
    means.push(...(await collective(ranks, x, ranges)))
    ranks.first += partsOf(ranges)
  }
  return means
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

/** Options of algorithms whose mean over all peers is always of the whole vector. */
export type WholeMeanOptions = Pick<MeanSettings['options'], 'collective' | 'order'> & { readonly chunks?: number }

/** The mean of all peers' `x`, as {@link meanOver} takes it, whatever its length. */
export function wholeMean(
  channel: CollectiveChannel,
  route: Route,
  x: Vector,
  { collective, order, chunks = usualChunks }: WholeMeanOptions
): Promise<Vector> {
  const options = { collective, order, fusion: 'fused', calls: 'streamed', chunks } as const
  return meanOver(channel, route, x, { options, tensors: [{ offset: 0, length: x.length }] })
}
