import type { PeerName } from '@murmuration/core'
import type { Route } from '../record/record.js'
import { Everyone } from './everyone.js'
import type { Participants } from './participants.js'
import { Refusals } from './refusals.js'

const noPeers: readonly PeerName[] = []

/** Which peers are waited for: failure detection by timeouts. It does no I/O. */
export class Presence {
  /** Who takes part in the run. */
  readonly members: Participants
  /** Peers that missed a timeout or cannot be reached, and were not heard since. */
  #absent: Set<PeerName> | undefined
  /** All peers that this one has had to receive from, once they have differed. */
  #expected: Set<PeerName> | undefined
  /** The peers last expected; often the same again. */
  #last: readonly PeerName[] = noPeers
  /** Whether this peer continues when it hears no other: missing messages may have been lost. */
  mayBeAlone = false
  /** A round of others that is too far ahead of this peer's, if any. */
  tooFar: number | undefined
  /** How many messages have arrived. */
  messages = 0
  #refusals: Refusals | undefined

  constructor(members: Participants = new Everyone()) {
    this.members = members
  }

  /** The peers that have refused connections, where this is listened for. */
  get refusals(): Refusals {
    return (this.#refusals ??= new Refusals())
  }

  /** A message of this peer has arrived. */
  heard(peer: PeerName): void {
    this.messages++
    this.#absent?.delete(peer)
  }

  /** This peer cannot be reached now. */
  markAbsent(peer: PeerName): void {
    this.#absent ??= new Set()
    this.#absent.add(peer)
  }

  /** A round has ended that waited for messages of `expected`; those of `missing` did not arrive. */
  note({ from: expected }: Pick<Route, 'from'>, missing: readonly PeerName[]): void {
    if (expected !== this.#last) this.#expect(expected)
    for (const peer of missing) this.markAbsent(peer)
  }

  #expect(expected: readonly PeerName[]): void {
    if (this.#expected !== undefined || this.#last.length > 0) {
      this.#expected ??= new Set(this.#last)
      for (const peer of expected) this.#expected.add(peer)
    }
    this.#last = expected
  }

  get #areAllPresent(): boolean {
    return this.#absent === undefined || this.#absent.size === 0
  }

  /** Whether a peer is waited for. */
  isAwaited(peer: PeerName): boolean {
    return this.#absent?.has(peer) !== true && !this.members.isGone(peer)
  }

  /** Whether a peer is known to be dead: it will send nothing more. */
  isDead(peer: PeerName): boolean {
    return this.members.knowledge.isDead(peer)
  }

  /** Whether any of these peers but those in `come` is worth waiting for. */
  isAnyPresent(peers: readonly PeerName[], arrived?: { has(peer: PeerName): boolean }): boolean {
    if (!this.members.mayReturn) {
      if (this.#areAllPresent) return true
      if (this.mayBeAlone && arrived !== undefined && !peers.some((peer) => arrived.has(peer))) return true
    }
    return peers.some((peer) => this.isAwaited(peer) && arrived?.has(peer) !== true)
  }

  /** Whether any peer of any round may still send. */
  get isAnyLeft(): boolean {
    return this.mayBeAlone || this.isAnyPresent(this.#expected === undefined ? this.#last : [...this.#expected])
  }
}
