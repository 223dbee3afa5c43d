import { concat, cut, rangeOf, type Route, valueOf, type Vector } from '@murmuration/engine'
import { type BroadcastName, type CollectiveChoice, chosen, type Order } from './options.js'
import { type CollectiveChannel, Ranks } from './ranks.js'
import { checkTrees, chunksOfTrees, treeBroadcast } from './trees.js'

/** How a vector gets to all peers. */
export interface BroadcastSettings {
  readonly chunks: number
  /** The rank that sends, in the order of names; 0 when absent. */
  readonly root?: number
  /** `chain` or what {@link broadcastOn} has filled in; a chain when absent. */
  readonly collective?: CollectiveChoice<BroadcastName>
  /** The order of a chain; that of names when absent. */
  readonly order?: Order
}

/** All ranks get the root's x. Throws an InputError where the options were not made for these peers. */
export async function broadcast(
  channel: CollectiveChannel,
  route: Route,
  x: Vector,
  { chunks, root = 0, collective = 'chain', order }: BroadcastSettings
): Promise<Vector> {
  const byNames = new Ranks(channel, route)
  if (byNames.count === 1 || x.length === 0) return x
  const { name, trees, chunks: fewer } = chosen<BroadcastName>(collective, () => [4 * x.length], 'chain')
  if (name === 'chain') {
    const ranks = typeof order === 'object' ? new Ranks(channel, route, order) : byNames
    return alongChain(ranks, x, { chunks: fewer ?? chunks, root: ranks.rankOf(byNames.to(root)[0]) })
  }
  checkTrees(trees, byNames, root)
  return treeBroadcast(
    byNames,
    x,
    chunksOfTrees([{ offset: 0, length: x.length }], trees, fewer ?? chunks * byNames.count)
  )
}

/**
 * Chain broadcast in chunks: the root sends to the next rank, and each rank forwards a chunk as soon as it has arrived.
 * With p chunks and n ranks it takes (n − 1) a + (1 + (n − 2)/p) S/B, and every line carries the vector once.
 */
async function alongChain(
  ranks: Ranks,
  x: Vector,
  { chunks, root }: { readonly chunks: number; readonly root: number }
): Promise<Vector> {
  const from = ranks.to(ranks.own - 1)
  const to = ranks.to(ranks.own + 1)
  const isRoot = ranks.own === root
  const parts: Vector[] = []
  for (const [chunk, range] of cut({ offset: 0, length: x.length }, chunks).entries()) {
    const part = isRoot ? rangeOf(x, range) : valueOf(await ranks.receive(from, chunk, range), from[0]).part
    if (ranks.at(ranks.own + 1) !== root) ranks.send(to, chunk, range, part)
    parts.push(part)
  }
  return isRoot ? x : concat(parts)
}
