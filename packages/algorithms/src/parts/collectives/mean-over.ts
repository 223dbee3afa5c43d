/** The mean over all of a route, by one of several collectives: functions of a channel and a route. */
import { type Computation, InputError } from '@murmuration/core'
import { z } from 'zod'
import { concat, partsPerRound, type Range, rangesByRank, rangesOf, type Route, type Vector } from '@murmuration/engine'
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
  { options, tensors }: MeanSettings
): Promise<Vector> {
  const ranks = new Ranks(channel, route)
  if (ranks.count === 1 || x.length === 0) return x
  const calls = callsOf(tensors, options, ranks.count)
  checkParts(calls, ranks.count)
  return joined(await meansOf(ranks, x, calls, options.collective))
}

/**
 * As {@link meanOver}, of a gradient that is being computed. Per tensor, the mean of each part of the gradient is taken
 * when that part is ready, while the rest is computed: one part after the other, in the same order at all peers, so
 * that a part waits until the means of those before it are there.
 */
export async function meanOfGradient(
  channel: CollectiveChannel,
  route: Route,
  gradient: Computation<Vector>,
  settings: MeanSettings
): Promise<Vector> {
  const { options, tensors } = settings
  const { parts } = gradient
  const isByPart = options.fusion === 'per-tensor' && parts !== undefined
  if (!isByPart) return meanOver(channel, route, await gradient, settings)
  const ranks = new Ranks(channel, route)
  if (ranks.count === 1) return gradient
  const callsByPart = tensorsByPart(parts, tensors).map((ofPart) => callsOf(ofPart, options, ranks.count))
  checkParts(callsByPart.flat(), ranks.count)
  const means: RangeMean[] = []
  for (const [part, calls] of callsByPart.entries()) {
    const x = await (gradient.part?.(part) ?? gradient)
    means.push(...(await meansOf(ranks, x, calls, options.collective)))
  }
  await gradient
  return joined(means)
}

/** The means of the ranges of these calls. */
async function meansOf(
  ranks: Ranks,
  x: Vector,
  calls: readonly RangesByRank[],
  collective: keyof typeof collectives
): Promise<RangeMean[]> {
  const means: RangeMean[] = []
  for (const ranges of calls) {
    means.push(...(await collectives[collective](ranks, x, ranges)))
    ranks.first += partsOf(ranges, ranks.count)
  }
  return means
}

function joined(means: RangeMean[]): Vector {
  return concat(means.sort((left, right) => left.offset - right.offset).map(({ part }) => part))
}

/** How many parts of a round a call takes. */
function partsOf(ranges: RangesByRank, count: number): number {
  return (2 * count + 2) * Math.max(...ranges.map(({ length }) => length))
}

function checkParts(calls: readonly RangesByRank[], ranks: number): void {
  const count = calls.reduce((sum, ranges) => sum + partsOf(ranges, ranks), 0)
  if (count <= partsPerRound) return
  throw new InputError(
    `a mean over all peers takes ${count} parts, expected at most ${partsPerRound} in a round; set fewer chunks, or fusion: fused`
  )
}

const tensorsByParts = new WeakMap<readonly Range[], readonly (readonly Range[])[]>()

/** The tensors in each part of a gradient, which are the same in every round. */
function tensorsByPart(parts: readonly Range[], tensors: readonly Range[]): readonly (readonly Range[])[] {
  const known = tensorsByParts.get(parts)
  if (known !== undefined) return known
  const isIn = ({ offset }: Range, part: Range) => offset >= part.offset && offset < part.offset + part.length
  const byPart = parts.map((part) => tensors.filter((tensor) => isIn(tensor, part)))
  tensorsByParts.set(parts, byPart)
  return byPart
}

type RangesByRank = readonly (readonly Range[])[]
const rangesOfTensors = new WeakMap<readonly Range[], Map<string, readonly RangesByRank[]>>()

/** The ranges of each call, by rank: one call for all ranges, or one for each. They are the same in every round. */
function callsOf(
  tensors: readonly Range[],
  { collective, fusion, calls, chunks }: MeanSettings['options'],
  count: number
): readonly RangesByRank[] {
  const isHalving = collective === 'halving-doubling'
  const isBlocking = calls === 'blocking' || isHalving
  const most = isHalving ? 1 : chunks
  const key = `${fusion} ${count} ${most} ${isBlocking}`
  const ofTensors = rangesOfTensors.get(tensors) ?? new Map<string, readonly RangesByRank[]>()
  rangesOfTensors.set(tensors, ofTensors)
  const ranges = rangesOf(tensors, fusion)
  const together = isBlocking ? ranges.map((range) => [range]) : [ranges]
  const byRank = ofTensors.get(key) ?? together.map((call) => rangesByRank(call, count, most))
  ofTensors.set(key, byRank)
  return byRank
}

/** The mean of all peers' `x` by a ring. */
export function ringMean(channel: CollectiveChannel, route: Route, x: Vector): Promise<Vector> {
  const options = { collective: 'ring', fusion: 'fused', calls: 'streamed', chunks: 16 } as const
  return meanOver(channel, route, x, { options, tensors: [{ offset: 0, length: x.length }] })
}
