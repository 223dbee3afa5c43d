/** How an epoch begins: all members get the mean of the newest models. */
import { invariant, type PeerName } from '@murmuration/core'
import * as z from 'zod'
import { algorithm, type Algorithm, type Node, type Route, type State, valueOf } from '../record/record.js'
import { meanOf } from '../messages/mixing.js'
import { concat } from '../vectors/operations.js'
import { segmentsOf } from '../vectors/ranges.js'
import { rangeOf, type Vector } from '../vectors/vector.js'
import type { Epoch } from './epoch.js'

/** What travels in an opening. */
export interface OpeningOptions {
  readonly epoch: Pick<Epoch, 'members' | 'givers' | 'broken'>
  /** Whether the givers have the same numbers: then each has the mean already, and only others need it. */
  readonly areEqual: boolean
  /** A giver's vectors beside its model, in an order that all share; of another peer, as many of the same length. */
  readonly vectors: readonly Float32Array[]
  /** Takes their means. */
  readonly means: Float32Array[]
}

/**
 * A record with a round for the model, and one for each other vector. As in a direct all-reduce, each owner collects
 * its segment from all givers, and sends the mean to all members: two latencies, and twice the vector on each line.
 * Where the givers' numbers are equal each owner has the mean. Sums run in the order of names, in float64, rounded
 * once; so the mean of equal numbers is the same number.
 */
export function openingOf(opening: OpeningOptions): Algorithm {
  const { vectors, means } = opening
  return algorithm({
    name: 'opening',
    title: 'Opening of an epoch',
    source: 'the mean of the newest models',
    options: z.strictObject({}),
    needs: { reach: 'everyone', delivery: 'reliable' },
    keeps: 'nothing',
    channels,
    start: ({ x }) => ({ x }),
    async round(node, { x }, k) {
      if (k === 0) return { x: await openingMean(node, opening, x, k) }
      const mean = await openingMean(node, opening, copyOf(x, vectors[k - 1]), k)
      means[k - 1] = mean.values.slice()
      return { x }
    }
  })
}

const channels = { gather: { part: 'packed range' }, means: { part: 'packed range' } } as const

type OpeningNode = Pick<Node<unknown, typeof channels, State>, 'self' | 'gather' | 'means'>

/** The mean of the givers' vectors, of which `own` is this peer's; it counts only if this peer is a giver. */
async function openingMean(
  node: OpeningNode,
  { epoch, areEqual }: OpeningOptions,
  own: Vector,
  k: number
): Promise<Vector> {
  const { self } = node
  const { givers } = epoch
  const names = epoch.members.map(({ name }) => name)
  const isGiver = givers.includes(self)
  const receivers = areEqual ? names.filter((name) => !givers.includes(name)) : names
  const owners = ownersOf(epoch)
  const segments = segmentsOf({ offset: 0, length: own.length }, owners.length)
  const routeOf = (segment: number, to: readonly PeerName[], from: readonly PeerName[]): Route => {
    return { peer: self, round: k, part: segment, range: segments[segment], to, from }
  }
  const parts: Vector[] = []
  if (isGiver && !areEqual) {
    for (const [segment, owner] of owners.entries())
      if (owner !== self && segments[segment].length > 0)
        node.gather.send(routeOf(segment, [owner], []), { part: rangeOf(own, segments[segment]) })
  }
  const owned = owners.indexOf(self)
  if (owned >= 0 && segments[owned].length > 0) {
    const given = rangeOf(own, segments[owned])
    parts[owned] = areEqual ? given : await gathered(node, routeOf(owned, [], givers), given)
    const to = receivers.filter((name) => name !== self)
    if (to.length > 0) node.means.send(routeOf(owned, to, []), { part: parts[owned] })
  }
  if (!receivers.includes(self)) return own
  for (const [segment, owner] of owners.entries()) {
    if (segments[segment].length === 0 || parts[segment] !== undefined) continue
    parts[segment] = valueOf(await node.means.collect(routeOf(segment, [], [owner])), owner).part
  }
  return concat(parts.filter((part) => part !== undefined))
}

/** The mean of a segment, once the other givers' have arrived. */
async function gathered({ self, gather }: OpeningNode, route: Route, given: Vector): Promise<Vector> {
  const from = route.from.filter((name) => name !== self)
  const theirs = from.length === 0 ? {} : await gather.collect({ ...route, from })
  return meanOf<{ readonly part: Vector }>(route, { ...theirs, [self]: { part: given } }).part
}

/** The givers that own a segment: those that can exchange with every member, if there are any. */
function ownersOf({ givers, broken }: Pick<Epoch, 'givers' | 'broken'>): readonly PeerName[] {
  const whole = givers.filter((name) => !broken.some((pair) => pair.includes(name)))
  const owners = whole.length > 0 ? whole : givers
  invariant(owners.length > 0, 'an epoch without a model')
  return owners
}

function copyOf(like: Vector, numbers: Float32Array): Vector {
  return like.arena.compute(numbers.length, (out, from, to) => out.set(numbers.subarray(from, to), from))
}
