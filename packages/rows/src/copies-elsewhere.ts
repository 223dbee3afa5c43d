/** Which peers have copies of the rows whose home is here, and which of these rows have changed since. */
export class CopiesElsewhere {
  /** By key: the peers with copies. */
  readonly #peers = new Map<number, Set<number>>()
  /** By peer: keys whose rows other peers have changed since they were sent there. */
  readonly #changed: readonly Set<number>[]

  /** @param peers - how many peers there are */
  constructor(peers: number) {
    this.#changed = Array.from({ length: peers }, () => new Set<number>())
  }

  /** A peer is sent the rows of these keys. */
  add(keys: Uint32Array, peer: number): void {
    for (const key of keys) {
      const peers = this.#peers.get(key)
      if (peers === undefined) this.#peers.set(key, new Set([peer]))
      else peers.add(peer)
      this.#changed[peer].delete(key)
    }
  }

  /** A peer has added to a row; its own copy has the change already. */
  change(key: number, origin: number): void {
    for (const peer of this.#peers.get(key) ?? []) if (peer !== origin) this.#changed[peer].add(key)
  }

  /** The keys of a peer's copies that have changed, which are sent to it now. */
  takeChanged(peer: number): Uint32Array {
    const keys = Uint32Array.from(this.#changed[peer]).sort()
    this.#changed[peer].clear()
    return keys
  }
}
