import type { Milliseconds, Store } from '@murmuration/core'

/** The operations of one service on a store. Times are those that its program waited, from request to answer. */
export interface StoreFigures {
  readonly gets: number
  readonly sets: number
  readonly adds: number
  readonly getTime: Milliseconds
  readonly setTime: Milliseconds
  readonly addTime: Milliseconds
  /** Bytes of numbers, in both directions. */
  readonly bytes: number
  /**
   * Updates of others that this service has overwritten: those between its `get` and its `set`. Several services may
   * overwrite the same one.
   */
  readonly overwritten: number
  /** Updates that were in the store and are lost, since it has returned to older versions. */
  readonly rolledBack: number
}

type StoreOperation = 'get' | 'set' | 'add'

/** A store that measures its operations. At most one operation per object may be in progress. */
export class MeteredStore implements Store {
  readonly #store: Store
  readonly #now: () => Milliseconds
  readonly #onRollback: ((updates: number) => void) | undefined
  /** By object: the version last read or written. */
  readonly #versions = new Map<string, number>()
  readonly #counts = { get: 0, set: 0, add: 0 }
  readonly #times = { get: 0, set: 0, add: 0 }
  #bytes = 0
  #overwritten = 0
  #rolledBack = 0

  /** @param onRollback - called with the number of updates lost when the store has returned to an older version */
  constructor(store: Store, now: () => Milliseconds, onRollback?: (updates: number) => void) {
    this.#store = store
    this.#now = now
    this.#onRollback = onRollback
  }

  get figures(): StoreFigures {
    const counts = this.#counts
    const times = this.#times
    return {
      gets: counts.get,
      sets: counts.set,
      adds: counts.add,
      getTime: times.get,
      setTime: times.set,
      addTime: times.add,
      bytes: this.#bytes,
      overwritten: this.#overwritten,
      rolledBack: this.#rolledBack
    }
  }

  async get(key: string, into: Float32Array): Promise<number | undefined> {
    const version = await this.#timed('get', into, () => this.#store.get(key, into))
    this.#see(key, version)
    return version
  }

  async set(key: string, values: Float32Array): Promise<number> {
    const version = await this.#timed('set', values, () => this.#store.set(key, values))
    const previous = this.#versions.get(key) ?? 0
    // If the store has returned to an older version since it was read, nothing was overwritten.
    this.#overwritten += Math.max(0, version - previous - 1)
    this.#see(key, version)
    return version
  }

  async add(key: string, values: Float32Array): Promise<number | undefined> {
    const version = await this.#timed('add', values, () => this.#store.add(key, values))
    this.#see(key, version)
    return version
  }

  create(key: string, values: Float32Array): PromiseLike<void> {
    return this.#store.create(key, values)
  }

  remove(keys: readonly string[]): PromiseLike<void> {
    return this.#store.remove(keys)
  }

  /** A missing object was removed at the end, or will be created again; then its version shows it. */
  #see(key: string, version: number | undefined): void {
    if (version === undefined) return
    const lost = (this.#versions.get(key) ?? 0) - version
    this.#versions.set(key, version)
    if (lost <= 0) return
    this.#rolledBack += lost
    this.#onRollback?.(lost)
  }

  async #timed<Result>(
    operation: StoreOperation,
    { byteLength }: Float32Array,
    act: () => PromiseLike<Result>
  ): Promise<Result> {
    const start = this.#now()
    const result = await act()
    this.#counts[operation]++
    this.#times[operation] += this.#now() - start
    this.#bytes += byteLength
    return result
  }
}
