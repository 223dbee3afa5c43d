import { concat, cut, rangeOf, type Route, valueOf, type Vector } from '@murmuration/engine'
import { type CollectiveChannel, Ranks } from './ranks.js'

/**
 * Chain broadcast in chunks: all ranks get the root's x. The root sends to the next rank, and each rank forwards a
 * chunk as soon as it has arrived. With p chunks and n ranks it takes (n − 1) a + (1 + (n − 2)/p) S/B, and every line
 * carries the vector once.
 *
 * @param root - the rank that sends
 */
export async function broadcast(
  channel: CollectiveChannel,
  route: Route,
  x: Vector,
  { chunks, root = 0 }: { readonly chunks: number; readonly root?: number }
): Promise<Vector> {
  const ranks = new Ranks(channel, route)
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
