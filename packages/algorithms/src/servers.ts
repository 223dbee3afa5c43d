/** What workers and servers have in common: which range of the parameters each server holds, and how ranges travel. */
import type { PeerName } from '@murmuration/core'
import { z } from 'zod'
import { concat, type Range, rangeOf, type Vector } from './node/vector.js'
import { type Calls, type Fusion, piecesOf, shardsOf } from './ranges.js'
import type { Arrival, Channel, NodeTraits, Route } from './record.js'

/** A range of the parameters as it travels, and the server that holds it. */
export interface Chunk {
  readonly server: PeerName
  /** Its place among the chunks of its server. */
  readonly turn: number
  /** Its place among all. */
  readonly part: number
  readonly range: Range
}

/** What an algorithm with servers has as options. */
export const serverOptions = {
  fusion: z.enum(['fused', 'per-tensor']).default('fused').meta({
    description: 'Whether each server holds as many numbers as the others, or whole tensors'
  }),
  pieces: z.int().min(1).default(16).meta({ description: 'How many pieces a range travels in' })
}

interface Settings {
  readonly fusion: Fusion
  readonly pieces: number
  readonly calls?: Calls
}
export type ServedNode = NodeTraits<Settings>
export type RangeChannel = Channel<{ readonly part: Vector }>
interface Down {
  readonly down: RangeChannel
}

const known = new WeakMap<ServedNode, readonly Chunk[]>()

/** All chunks: server by server; where calls block, the first of each server, then the second, and so on, in one piece each. */
export function chunksOf(node: ServedNode): readonly Chunk[] {
  const chunks = known.get(node) ?? dealOut(node)
  known.set(node, chunks)
  return chunks
}

function dealOut({ options, tensors, peers }: ServedNode): readonly Chunk[] {
  const { fusion, pieces, calls } = options
  const servers = peers('server')
  const chunks = shardsOf(tensors, fusion, servers.length).flatMap((shard, place) =>
    shard
      .flatMap((range) => piecesOf(range, calls === 'blocking' ? 1 : pieces))
      .map((range, turn) => ({ server: servers[place], turn, range }))
  )
  if (calls === 'blocking') chunks.sort((left, right) => left.turn - right.turn)
  return chunks.map((chunk, part) => ({ ...chunk, part }))
}

/** The chunks that this server holds. */
export function heldBy(node: ServedNode): readonly Chunk[] {
  return chunksOf(node).filter(({ server }) => server === node.self)
}

/** The ranges of x that this server holds, by part. */
export function rangesHeldBy(node: ServedNode, x: Vector): Readonly<Record<string, Vector>> {
  return Object.fromEntries(heldBy(node).map(({ part, range }) => [part, rangeOf(x, range)]))
}

/** To and from peers, about a chunk. */
export function about({ self }: ServedNode, { part, range }: Chunk, round: number, peers: readonly PeerName[]): Route {
  return { peer: self, round, part, range, to: peers, from: peers }
}

/** To and from the server that holds a chunk. */
export function toServer(node: ServedNode, chunk: Chunk, round: number): Route {
  return about(node, chunk, round, [chunk.server])
}

/** Sends each server what it holds of v. */
export function push(node: ServedNode & { readonly up: RangeChannel }, round: number, v: Vector): void {
  for (const chunk of chunksOf(node)) node.up.send(toServer(node, chunk, round), { part: rangeOf(v, chunk.range) })
}

/** What its server sends of a chunk. */
export async function receive(node: ServedNode & Down, chunk: Chunk, round: number): Promise<Vector> {
  return (await node.down.collect(toServer(node, chunk, round)))[chunk.server].part
}

/** What the servers send of a round, as one vector. */
export async function pull(node: ServedNode & Down, round: number): Promise<Vector> {
  const parts: Vector[] = []
  for (const chunk of chunksOf(node)) parts.push(await receive(node, chunk, round))
  return joined(node, parts)
}

/** The chunks' vectors as one, in the order of the parameters. */
export function joined(node: ServedNode, parts: readonly Vector[]): Vector {
  const inOrder = [...chunksOf(node)].sort((left, right) => left.range.offset - right.range.offset)
  return concat(inOrder.map(({ part }) => parts[part]))
}

/** The chunk that a message between a worker and a server is about. A message about none is rejected. */
export function chunkOf<M extends { readonly part: Vector }>(
  node: ServedNode,
  channel: Channel<M>,
  arrival: Arrival<M>
): Chunk | undefined {
  const { from, part, message } = arrival
  const { length } = message.part
  const chunk = chunksOf(node)[part] as Chunk | undefined
  const isAsk = length === 0 && node.options.calls === 'blocking'
  const isBetween = chunk?.server === from || (chunk?.server === node.self && node.peers().includes(from))
  if (isBetween && (isAsk || chunk.range.length === length)) return chunk
  channel.reject(arrival, `${length} numbers as part ${part} of the parameters, which is none between the two`)
  return undefined
}

/** How many updates of each worker are in each chunk that a server holds. */
export type Clocks = Readonly<Record<string, Readonly<Record<PeerName, number>>>>

/** Clocks that nothing has moved yet. */
export function clocksOf(node: ServedNode): Clocks {
  const zeros = Object.fromEntries(node.peers().map((worker) => [worker, 0]))
  return Object.fromEntries(heldBy(node).map(({ part }) => [part, zeros]))
}

/** Those of the workers whose updates the chunk lacks that is furthest behind. */
export function slowestOf(node: ServedNode, clocks: Clocks): readonly PeerName[] {
  const all = Object.values(clocks)
  const least = Math.min(...all.map(slowest))
  return node.peers().filter((worker) => all.some((clock) => clock[worker] === least))
}

/** The clock of the slowest worker. */
export function slowest(clock: Clocks[string]): number {
  return Object.values(clock).reduce((least, count) => Math.min(least, count), Number.POSITIVE_INFINITY)
}
