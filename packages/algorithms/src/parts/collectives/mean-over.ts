/** The mean over all of a route, by one of several collectives: functions of a channel and a route. */
import { type Computation, InputError } from '@murmuration/core'
import * as z from 'zod'
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
  settings: MeanSettings
): Promise<Vector> {
  const count = 1 + route.to.length
  if (count === 1 || x.length === 0) return x
  const choice = choiceOf(settings, x.length)
  const { options, tensors } = settings
  if (choice.name === 'trees') {
    const ranges = rangesOf(tensors, options.fusion)
    return joined(await alongTrees(new Ranks(channel, route), x, ranges, choice, options.chunks * count))
  }
  const ranks = new Ranks(channel, route, orderOf(choice, options))
  const calls = callsOf(tensors, options, choice, count)
  checkCalls(calls, count)
  return joined(await byRange(ranks, x, byRanges[choice.name], calls))
}

/**
 * As {@link meanOver}, of a gradient that is being computed. Per tensor, the mean of each part of the gradient is taken
 * when that part is ready, while the rest is computed: one part after the other, in the same order at all peers, so
 * that a part waits until the means of those before it are there. Along trees the whole gradient is waited for.
 */
export async function meanOfGradient(
  channel: CollectiveChannel,
  route: Route,
  gradient: Computation<Vector>,
  settings: MeanSettings
): Promise<Vector> {
  const { options, tensors } = settings
  const { parts } = gradient
  const count = 1 + route.to.length
  if (options.fusion !== 'per-tensor' || parts === undefined || count === 1)
    return meanOver(channel, route, await gradient, settings)
  const choice = choiceOf(settings, lengthOf(tensors))
  if (choice.name === 'trees') return meanOver(channel, route, await gradient, settings)
  const ranks = new Ranks(channel, route, orderOf(choice, options))
  const callsByPart = tensorsByPart(parts, tensors).map((ofPart) => callsOf(ofPart, options, choice, count))
  checkCalls(callsByPart.flat(), count)
  const means: RangeMean[] = []
  for (const [part, calls] of callsByPart.entries()) {
    const x = await (gradient.part?.(part) ?? gradient)
    means.push(...(await byRange(ranks, x, byRanges[choice.name], calls)))
  }
  await gradient
  return joined(means)
}

function lengthOf(tensors: readonly Range[]): number {
  return tensors.reduce((sum, { length }) => sum + length, 0)
}

/** The collective for a vector of a length. */
function choiceOf({ options, tensors }: MeanSettings, length: number): ChosenCollective<MeanName> {
  const ranges = rangesOf(tensors, options.fusion)
  const bytesOf = (name: MeanName) =>
    isBlocking(name, options) ? ranges.map((range) => 4 * range.length) : [4 * length]
  return chosen(options.collective, bytesOf, 'ring')
}

function isBlocking(name: MeanName, { calls }: Pick<MeanSettings['options'], 'calls'>): boolean {
  return name === 'halving-doubling' || (calls === 'blocking' && name !== 'trees')
}

function orderOf({ name }: ChosenCollective<MeanName>, { order }: MeanSettings['options']) {
  return name === 'ring' && typeof order === 'object' ? order : undefined
}

async function alongTrees(
  ranks: Ranks,
  x: Vector,
  ranges: readonly Range[],
  { trees, chunks: fewer }: ChosenCollective<MeanName>,
  chunks: number
): Promise<RangeMean[]> {
  checkTrees(trees, ranks)
  const all = chunksOfTrees(ranges, trees, fewer ?? chunks)
  checkParts(2 * all.length)
  return treeMean(ranks, x, all)
}

async function byRange(
  ranks: Ranks,
  x: Vector,
  collective: Collective,
  calls: readonly RangesByRank[]
): Promise<RangeMean[]> {
  const means: RangeMean[] = []
  for (const ranges of calls) {
    means.push(...(await collective(ranks, x, ranges)))
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

function checkCalls(calls: readonly RangesByRank[], ranks: number): void {
  checkParts(calls.reduce((sum, ranges) => sum + partsOf(ranges, ranks), 0))
}

function checkParts(count: number): void {
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
  options: MeanSettings['options'],
  { name, chunks: fewer }: ChosenCollective<MeanName>,
  count: number
): readonly RangesByRank[] {
  const chunks = name === 'halving-doubling' ? 1 : (fewer ?? options.chunks)
  const areInTurn = isBlocking(name, options)
  const key = `${options.fusion} ${count} ${chunks} ${areInTurn}`
  const ofTensors = rangesOfTensors.get(tensors) ?? new Map<string, readonly RangesByRank[]>()
  rangesOfTensors.set(tensors, ofTensors)
  const ranges = rangesOf(tensors, options.fusion)
  const together = areInTurn ? ranges.map((range) => [range]) : [ranges]
  const byRank = ofTensors.get(key) ?? together.map((call) => rangesByRank(call, count, chunks))
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
