interface Intent {
  readonly keys: Uint32Array
  /** The first tick of the worker's clock at which the intent has ended. */
  readonly until: number
}

/** Which rows the workers of a peer intend to use, and until when. */
export class Intents {
  /** By worker: intents that have not ended. */
  readonly #ofWorkers: Intent[][]
  /** By key: how many there are. */
  readonly #counts: Uint32Array

  /** @param count - how many keys there are */
  constructor(workers: number, count: number) {
    this.#ofWorkers = Array.from({ length: workers }, () => [])
    this.#counts = new Uint32Array(count)
  }

  has(key: number): boolean {
    return this.#counts[key] > 0
  }

  add(worker: number, keys: Uint32Array, until: number): void {
    this.#ofWorkers[worker].push({ keys, until })
    for (const key of keys) this.#counts[key]++
  }

  /**
   * Ends the intents that last until this tick of the worker's clock or less. Returns the keys that no worker intends
   * to use any longer.
   */
  end(worker: number, clock: number): readonly number[] {
    const unused: number[] = []
    const all = this.#ofWorkers[worker]
    this.#ofWorkers[worker] = all.filter(({ until }) => until > clock)
    for (const { keys, until } of all) {
      if (until > clock) continue
      for (const key of keys) if (--this.#counts[key] === 0) unused.push(key)
    }
    return unused
  }
}

/** Which peers intend to use the rows of keys whose home is here, and by which of their operations. */
export class IntendedBy {
  readonly #peers = new Map<number, Map<number, number>>()

  /** Returns whether it is the only peer. */
  add(key: number, peer: number, id: number): boolean {
    const peers = this.#peers.get(key) ?? new Map<number, number>()
    this.#peers.set(key, peers.set(peer, id))
    return peers.size === 1
  }

  /** A peer no longer intends to use a row, unless it has announced so again after operation `id`. */
  remove(key: number, peer: number, id: number): void {
    const peers = this.#peers.get(key)
    if (peers === undefined || (peers.get(peer) ?? Number.POSITIVE_INFINITY) > id) return
    peers.delete(peer)
    if (peers.size === 0) this.#peers.delete(key)
  }
}
