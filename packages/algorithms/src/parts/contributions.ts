import type { PeerName } from '@murmuration/core'
import { type Channel, rangeOf, valueOf, type Vector } from '@murmuration/engine'
import { chunksOf, joined, type RangeChannel, type ServedNode, toServer } from './servers.js'

/** The channels of a synchronous parameter server. */
interface ContributionChannels {
  readonly up: RangeChannel
  readonly down: RangeChannel
  readonly acknowledged: Channel<Readonly<Record<never, never>>>
}

/**
 * Pushes g and pulls the new parameters, one call at a time to each server. A message without numbers requests a
 * chunk's parameters.
 */
export async function callServers(node: ServedNode & ContributionChannels, round: number, g: Vector): Promise<Vector> {
  const parts: Vector[] = []
  const chunks = chunksOf(node)
  const ask = rangeOf(g, { offset: 0, length: 0 })
  while (parts.length < chunks.length) {
    const { turn } = chunks[parts.length]
    const next = chunks.findIndex((chunk) => chunk.turn > turn)
    const calls = chunks.slice(parts.length, next < 0 ? undefined : next)
    for (const chunk of calls) node.up.send(toServer(node, chunk, round), { part: rangeOf(g, chunk.range) })
    for (const chunk of calls) await node.acknowledged.collect(toServer(node, chunk, round))
    for (const chunk of calls) node.up.send(toServer(node, chunk, round), { part: ask })
    for (const chunk of calls)
      parts.push(valueOf(await node.down.collect(toServer(node, chunk, round)), chunk.server).part)
  }
  return joined(node, parts)
}

/** The gradients of a chunk in a round, and the workers that wait for its new parameters. */
export class Contributions {
  readonly gradients = new Map<PeerName, { readonly part: Vector }>()
  readonly waiting: PeerName[] = []
  readonly #asked = new Set<PeerName>()

  /** Takes a gradient, or a request (no numbers). Returns whether it is the first of its kind from this worker. */
  take(from: PeerName, message: { readonly part: Vector }): boolean {
    const isAsk = message.part.length === 0
    if (isAsk ? this.#asked.has(from) : this.gradients.has(from)) return false
    if (isAsk) this.waiting.push(from)
    if (isAsk) this.#asked.add(from)
    else this.gradients.set(from, message)
    return true
  }

  lacks(worker: PeerName, isBlocking: boolean): boolean {
    return !this.gradients.has(worker) || (isBlocking && !this.#asked.has(worker))
  }
}

/** Whether any chunk lacks a message of a worker. */
export function lacksAny(turns: ReadonlyMap<number, Contributions>, worker: PeerName, isBlocking: boolean): boolean {
  return [...turns.values()].some((turn) => turn.lacks(worker, isBlocking))
}
