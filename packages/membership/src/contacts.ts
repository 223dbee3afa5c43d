import type { PeerName } from '@murmuration/core'
import { byHash } from './hash.js'

/** Up to so many peers all watch each other. */
const maxComplete = 16
const cycleCount = 4

/**
 * With whom a peer keeps contact: all others in a small swarm, else its neighbours in four cycles by hash, which are connected. A peer that is
 * gone is passed over.
 */
export class Contacts {
  readonly #others: ReadonlySet<PeerName>
  /** The others in the order of each cycle, beginning after this peer. */
  readonly #cycles: readonly (readonly PeerName[])[]

  constructor(peers: readonly PeerName[], self: PeerName) {
    this.#others = new Set(peers.filter((peer) => peer !== self))
    this.#cycles = peers.length <= maxComplete ? [] : cyclesOf(peers).map((cycle) => after(cycle, self))
  }

  of(isGone: (peer: PeerName) => boolean): ReadonlySet<PeerName> {
    if (this.#cycles.length === 0) return this.#others
    const isHere = (peer: PeerName) => !isGone(peer)
    const found = this.#cycles.flatMap((cycle) => [cycle.find(isHere), cycle.findLast(isHere)])
    return new Set(found.filter((peer) => peer !== undefined))
  }
}

const known = new WeakMap<readonly PeerName[], readonly (readonly PeerName[])[]>()

/** Kept per peer list: in a simulation many peers share one. */
function cyclesOf(peers: readonly PeerName[]): readonly (readonly PeerName[])[] {
  const cycles =
    known.get(peers) ?? Array.from({ length: cycleCount }, (_, cycle) => byHash(peers, `contacts ${cycle}`))
  known.set(peers, cycles)
  return cycles
}

function after(cycle: readonly PeerName[], self: PeerName): PeerName[] {
  const place = cycle.indexOf(self)
  return [...cycle.slice(place + 1), ...cycle.slice(0, place)]
}
