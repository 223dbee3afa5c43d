import type { Milliseconds, PeerName } from '@murmuration/core'
import { byHash } from './hash.js'

/** Up to so many peers all watch each other. */
const maxComplete = 16
const cycleCount = 4
/** In so many of them a peer's neighbours vote at once when it refuses to be called. */
const quickCycles = 2

/** With whom a peer keeps contact. */
export interface ContactSets {
  readonly all: ReadonlySet<PeerName>
  /** Those against whom this peer votes at once when they refuse to be called. Of the others it waits for the votes that come. */
  readonly quick: ReadonlySet<PeerName>
}

/**
 * With whom a peer keeps contact: all others in a small swarm, else its neighbours in four cycles by hash, which are connected. A peer that is
 * gone is passed over. Besides, those that have kept contact with this peer of late.
 */
export class Contacts {
  readonly #others: ReadonlySet<PeerName>
  /** Each with the place of this peer in it. */
  readonly #cycles: readonly { readonly order: readonly PeerName[]; readonly place: number }[]

  /** When those that keep contact with this peer have told it something last. */
  readonly #callers = new Map<PeerName, Milliseconds>()
  #sets: ContactSets

  constructor(peers: readonly PeerName[], self: PeerName) {
    const isSmall = peers.length <= maxComplete
    this.#others = new Set(isSmall ? peers.filter((peer) => peer !== self) : [])
    this.#cycles = isSmall ? [] : cyclesOf(peers).map((order) => ({ order, place: order.indexOf(self) }))
    this.#sets = this.of(() => false)
  }

  get all(): ReadonlySet<PeerName> {
    return this.#sets.all
  }

  get quick(): ReadonlySet<PeerName> {
    return this.#sets.quick
  }

  /** A peer has told this one something. */
  called(from: PeerName, now: Milliseconds): void {
    this.#callers.set(from, now)
  }

  /** Looks anew with whom to keep contact; who has not called for `forgetAfter` is no caller any more. */
  renew(isGone: (peer: PeerName) => boolean, now: Milliseconds, forgetAfter: Milliseconds): void {
    for (const [peer, at] of this.#callers) if (now - at > forgetAfter) this.#callers.delete(peer)
    const { all, quick } = this.of(isGone)
    this.#sets = { all: new Set([...all, ...this.#callers.keys()]), quick }
  }

  of(isGone: (peer: PeerName) => boolean): ContactSets {
    if (this.#cycles.length === 0) return { all: this.#others, quick: this.#others }
    const beside = this.#cycles.map(({ order, place }) =>
      [1, order.length - 1].flatMap((step) => firstAlong(order, place, step, isGone) ?? [])
    )
    return { all: new Set(beside.flat()), quick: new Set(beside.slice(0, quickCycles).flat()) }
  }
}

/** The first that is not gone, on the way around a cycle in steps from a place. */
function firstAlong(order: readonly PeerName[], place: number, step: number, isGone: (peer: PeerName) => boolean) {
  for (let at = (place + step) % order.length; at !== place; at = (at + step) % order.length) {
    if (!isGone(order[at])) return order[at]
  }
  return undefined
}

const known = new WeakMap<readonly PeerName[], readonly (readonly PeerName[])[]>()

/** Kept per peer list: in a simulation many peers share one. */
function cyclesOf(peers: readonly PeerName[]): readonly (readonly PeerName[])[] {
  const cycles =
    known.get(peers) ?? Array.from({ length: cycleCount }, (_, cycle) => byHash(peers, `contacts ${cycle}`))
  known.set(peers, cycles)
  return cycles
}
