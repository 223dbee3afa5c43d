import { InputError, type PeerName } from '@murmuration/core'
import { partsPerRound, type Route, valueOf, type Vector } from '@murmuration/engine'
import type { CollectiveChannel } from './ranks.js'

/**
 * How many parts are sent before the first is collected. A peer collects a part of all before it sends another, so at
 * most twice as many are on their way to one: fewer than a link's queue holds.
 */
const window = 3

/**
 * All-gather: the numbers of every peer at all peers. Sent directly, in one latency where they fit into a few parts,
 * which are shorter than the parameters, since no longer vectors are sent. Needs reliable delivery.
 *
 * @param route - to and from all others; its parts from 0 on are used
 * @param x - the parameters
 * @param lengthOf - how many numbers each peer sends, the same at all peers
 * @throws InputError for numbers that take too many parts
 */
export async function allGather(
  channel: CollectiveChannel,
  route: Route,
  x: Vector,
  mine: Float32Array,
  lengthOf: (peer: PeerName) => number
): Promise<ReadonlyMap<PeerName, Float32Array>> {
  const { peer, to, from } = route
  const longest = Math.max(mine.length, ...from.map(lengthOf))
  const length = Math.max(1, Math.min(longest, x.length - 1))
  const partsOf = (of: PeerName) => Math.ceil(lengthOf(of) / length)
  const parts = Math.ceil(longest / length)
  if (parts > partsPerRound)
    throw new InputError(
      `found ${longest} numbers in parts of ${length}, expected at most ${partsPerRound} parts; send fewer samples`
    )
  const range = { offset: 0, length }
  const all = new Map<PeerName, Float32Array>(from.map((each) => [each, new Float32Array(partsOf(each) * length)]))
  const send = (part: number) => {
    if (part >= partsOf(peer)) return
    const numbers = mine.subarray(part * length, (part + 1) * length)
    const vector = x.arena.compute(length, (out, start, end) => {
      out.fill(0, start, end)
      out.set(numbers.subarray(start, end), start)
    })
    channel.send({ ...route, part, range, to, from: [] }, { part: vector })
  }
  for (let part = 0; part < window; part++) send(part)
  for (let part = 0; part < parts; part++) {
    const senders = from.filter((each) => part < partsOf(each))
    const received = await channel.collect({ ...route, part, range, from: senders })
    for (const each of senders) all.get(each)?.set(valueOf(received, each).part.values, part * length)
    send(part + window)
  }
  return all.set(peer, mine)
}
