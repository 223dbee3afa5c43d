import type { PeerName } from '@murmuration/core'

/** Which peers are waited for: failure detection by timeouts. It does no I/O. */
export class Presence {
  /** Peers that missed a timeout, or that cannot be reached, and were not heard since. */
  readonly #absent = new Set<PeerName>()
  /** All whom this peer has had to receive from. */
  readonly #expected = new Set<PeerName>()
  /** Those that were expected last: often the same again. */
  #last: readonly PeerName[] | undefined
  /** A round of others that is too far ahead of one's own, if there was one. */
  tooFar: number | undefined
  /** How many messages have come. */
  messages = 0

  /** A message of it has come. */
  heard(peer: PeerName): void {
    this.messages++
    if (this.#absent.size > 0) this.#absent.delete(peer)
  }

  /** It cannot be reached now. */
  lose(peer: PeerName): void {
    this.#absent.add(peer)
  }

  /** A round is over, in which messages of `expected` were waited for and those of `missing` did not come. */
  note(expected: readonly PeerName[], missing: readonly PeerName[]): void {
    if (expected !== this.#last) for (const peer of expected) this.#expected.add(peer)
    this.#last = expected
    for (const peer of missing) this.#absent.add(peer)
  }

  /** Whether any of these peers but those in `come` is worth waiting for. */
  isAnyPresent(peers: readonly PeerName[], come?: { has(peer: PeerName): boolean }): boolean {
    return this.#absent.size === 0 || peers.some((peer) => !this.#absent.has(peer) && come?.has(peer) !== true)
  }

  /** Whether a peer of any round may still come. */
  get isAnyLeft(): boolean {
    return this.isAnyPresent([...this.#expected])
  }
}
