import type { Milliseconds, PeerName } from '@murmuration/core'
import { byHash } from './hash.js'

/** Up to this many peers, all watch each other. */
const maxComplete = 16
const cycleCount = 4
/** When a peer refuses to be called, its neighbours in this many cycles vote at once. */
const quickCycles = 2

/** The contacts of a peer. */
export interface ContactSets {
  readonly all: ReadonlySet<PeerName>
  /**
   * Peers against which this peer votes as soon as they refuse to be called. For the others it first waits for these
   * votes.
   */
  readonly quick: ReadonlySet<PeerName>
}

/**
 * The contacts of a peer: all others in a small swarm, else its neighbours in four cycles by hash, which are connected.
 * Peers that are gone are skipped. In addition, the peers that have recently kept contact with this peer.
 */
export class Contacts {
  readonly #others: ReadonlySet<PeerName>
  /** Each with this peer's index in it. */
  readonly #cycles: readonly { readonly order: readonly PeerName[]; readonly index: number }[]

  /** When each peer that keeps contact with this one last told it something. */
  readonly #callers = new Map<PeerName, Milliseconds>()
  #sets: ContactSets

  constructor(peers: readonly PeerName[], self: PeerName) {
    const isSmall = peers.length <= maxComplete
    this.#others = new Set(isSmall ? peers.filter((peer) => peer !== self) : [])
    this.#cycles = isSmall ? [] : cyclesOf(peers).map((order) => ({ order, index: order.indexOf(self) }))
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

  /** Recomputes the contacts; a peer that has not called for `forgetAfter` is no longer a caller. */
  renew(isGone: (peer: PeerName) => boolean, now: Milliseconds, forgetAfter: Milliseconds): void {
    for (const [peer, calledAt] of this.#callers) if (now - calledAt > forgetAfter) this.#callers.delete(peer)
    const { all, quick } = this.of(isGone)
    this.#sets = { all: new Set([...all, ...this.#callers.keys()]), quick }
  }

  of(isGone: (peer: PeerName) => boolean): ContactSets {
    if (this.#cycles.length === 0) return { all: this.#others, quick: this.#others }
    const neighbours = this.#cycles.map(({ order, index }) =>
      [1, order.length - 1].flatMap((step) => firstAlong(order, index, step, isGone) ?? [])
    )
    return { all: new Set(neighbours.flat()), quick: new Set(neighbours.slice(0, quickCycles).flat()) }
  }
}

/** The first peer that is not gone, going around a cycle from a place in steps. */
function firstAlong(order: readonly PeerName[], index: number, step: number, isGone: (peer: PeerName) => boolean) {
  for (let next = (index + step) % order.length; next !== index; next = (next + step) % order.length) {
    if (!isGone(order[next])) return order[next]
  }
  return undefined
}

const cachedCycles = new WeakMap<readonly PeerName[], readonly (readonly PeerName[])[]>()

/** Cached per peer list: in a simulation many peers share one. */
function cyclesOf(peers: readonly PeerName[]): readonly (readonly PeerName[])[] {
  const cycles =
    cachedCycles.get(peers) ?? Array.from({ length: cycleCount }, (_, cycle) => byHash(peers, `contacts ${cycle}`))
  cachedCycles.set(peers, cycles)
  return cycles
}
