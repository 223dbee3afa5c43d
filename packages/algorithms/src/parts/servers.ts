/** What workers and servers have in common: which range of the parameters each server holds, and how ranges travel. */
import type { PeerName } from '@murmuration/core'
import * as z from 'zod'
import {
  type Arrival,
  type Calls,
  type Channel,
  concat,
  cut,
  type Fusion,
  type NodeTraits,
  type Range,
  rangeOf,
  type Route,
  shardsOf,
  valueOf,
  type Vector
} from '@murmuration/engine'

/** A range of the parameters as it travels, and the server that holds it. */
export interface Chunk {
  readonly server: PeerName
  /** `[server]` */
  readonly alone: readonly PeerName[]
  /** Its index among the chunks of its server. */
  readonly turn: number
  /** Its index among all chunks. */
  readonly part: number
  readonly range: Range
}

/** Options of all algorithms with servers. */
export const serverOptions = {
  fusion: z.enum(['fused', 'per-tensor']).default('fused').meta({
    description: 'fused: all servers hold equally many numbers. per-tensor: each holds whole tensors'
  }),
  chunks: z.int().min(1).default(16).meta({ description: 'In how many chunks a range is sent' })
}

/** Options where workers take H steps between two exchanges, and servers take outer steps with momentum. */
export const outerOptions = {
  ...serverOptions,
  period: z.int().min(1).default(50).meta({ description: 'H, inner steps between two exchanges with the server' }),
  outerRate: z.number().positive().default(0.7).meta({ description: 'η of the outer steps' }),
  momentum: z.number().min(0).lt(1).default(0.9).meta({ description: 'β of the outer steps' })
}

interface ServerSettings {
  readonly fusion: Fusion
  readonly chunks: number
  readonly calls?: Calls
}
export type ServedNode = NodeTraits<ServerSettings>
export type RangeChannel = Channel<{ readonly part: Vector }>
interface Down {
  readonly down: RangeChannel
}

/** The chunks of a run. */
interface Plan {
  readonly chunks: readonly Chunk[]
  /** In the order of the parameters. */
  readonly inOrder: readonly Chunk[]
  /** The chunks of this server. */
  readonly held: readonly Chunk[]
}

const plans = new WeakMap<ServedNode, Plan>()

function planOf(node: ServedNode): Plan {
  const cached = plans.get(node)
  if (cached !== undefined) return cached
  const chunks = dealOut(node)
  const inOrder = [...chunks].sort((left, right) => left.range.offset - right.range.offset)
  const plan = { chunks, inOrder, held: chunks.filter(({ server }) => server === node.self) }
  plans.set(node, plan)
  return plan
}

/**
 * All chunks, server by server. Where calls block, each range is one chunk, and the first of each server comes before
 * the second of any.
 */
export function chunksOf(node: ServedNode): readonly Chunk[] {
  return planOf(node).chunks
}

function dealOut({ options, tensors, peers }: ServedNode): readonly Chunk[] {
  const { fusion, calls } = options
  const servers = peers('server')
  const chunks = shardsOf(tensors, fusion, servers.length).flatMap((shard, index) =>
    shard
      .flatMap((range) => cut(range, calls === 'blocking' ? 1 : options.chunks))
      .map((range, turn) => ({ server: servers[index], alone: [servers[index]], turn, range }))
  )
  if (calls === 'blocking') chunks.sort((left, right) => left.turn - right.turn)
  return chunks.map((chunk, part) => ({ ...chunk, part }))
}

/** The chunks that this server holds. */
export function heldBy(node: ServedNode): readonly Chunk[] {
  return planOf(node).held
}

/** The ranges of x that this server holds, by part. */
export function rangesHeldBy(node: ServedNode, x: Vector): Readonly<Record<string, Vector>> {
  return Object.fromEntries(heldBy(node).map(({ part, range }) => [part, rangeOf(x, range)]))
}

/** A route to and from peers, for one chunk. */
export function about({ self }: ServedNode, { part, range }: Chunk, round: number, peers: readonly PeerName[]): Route {
  return { peer: self, round, part, range, to: peers, from: peers }
}

/** A route to and from the server that holds a chunk. */
export function toServer(node: ServedNode, chunk: Chunk, round: number): Route {
  return about(node, chunk, round, chunk.alone)
}

/** Sends each server its ranges of v. */
export function push(node: ServedNode & { readonly up: RangeChannel }, round: number, v: Vector): void {
  for (const chunk of chunksOf(node)) node.up.send(toServer(node, chunk, round), { part: rangeOf(v, chunk.range) })
}

/** Collects what the servers send in a round, as one vector. */
export async function pull(node: ServedNode & Down, round: number): Promise<Vector> {
  const parts: Vector[] = []
  for (const chunk of chunksOf(node))
    parts.push(valueOf(await node.down.collect(toServer(node, chunk, round)), chunk.server).part)
  return joined(node, parts)
}

/** The chunks' vectors concatenated in the order of the parameters. */
export function joined(node: ServedNode, parts: readonly Vector[]): Vector {
  return concat(planOf(node).inOrder.map(({ part }) => parts[part]))
}

/** The chunk that a message between a worker and a server belongs to. A message that belongs to none is rejected. */
export function chunkOf<M extends { readonly part: Vector }>(
  node: ServedNode,
  channel: Channel<M>,
  arrival: Arrival<M>
): Chunk | undefined {
  const { from, part, message } = arrival
  const { length } = message.part
  const chunk = planOf(node).chunks[part] as Chunk | undefined
  const isAsk = length === 0 && node.options.calls === 'blocking'
  const isBetween = chunk?.server === from || (chunk?.server === node.self && node.peers().includes(from))
  if (isBetween && (isAsk || chunk.range.length === length)) return chunk
  channel.reject(arrival, `${length} numbers as part ${part} of the parameters, which the two do not exchange`)
  return undefined
}

/** How many updates of each worker each chunk of a server contains. */
export type Clocks = Readonly<Record<string, Readonly<Record<PeerName, number>>>>

/** All clocks at 0. */
export function clocksOf(node: ServedNode): Clocks {
  const zeros = Object.fromEntries(node.peers().map((worker) => [worker, 0]))
  return Object.fromEntries(heldBy(node).map(({ part }) => [part, zeros]))
}

/** The workers with the fewest updates in any chunk. */
export function slowestOf(node: ServedNode, clocks: Clocks): readonly PeerName[] {
  const all = Object.values(clocks)
  const least = Math.min(...all.map(slowest))
  return node.peers().filter((worker) => all.some((clock) => clock[worker] === least))
}

/** The clock of the slowest worker. */
export function slowest(clock: Clocks[string]): number {
  return Object.values(clock).reduce((least, count) => Math.min(least, count), Number.POSITIVE_INFINITY)
}

/** The total number of updates. */
export function countOf(clock: Clocks[string]): number {
  return Object.values(clock).reduce((sum, count) => sum + count, 0)
}
