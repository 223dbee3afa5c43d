import type { Milliseconds, Store } from '@murmuration/core'

/** What one service has asked of a store. Times are as its program waited, from asking to the answer. */
export interface StoreFigures {
  readonly gets: number
  readonly sets: number
  readonly adds: number
  readonly getTime: Milliseconds
  readonly setTime: Milliseconds
  readonly addTime: Milliseconds
  /** Of numbers, to and fro. */
  readonly bytes: number
  /** Updates of others that this service has overwritten: those between its `get` and its `set`. Several services may overwrite the same. */
  readonly overwritten: number
  /** Updates that were in the store and are not any more, since it has gone back to older versions. */
  readonly rolledBack: number
}

type Operation = 'get' | 'set' | 'add'

/** A store, and what is asked of it. Of each object at most one operation may be under way. */
export class MeteredStore implements Store {
  readonly #store: Store
  readonly #now: () => Milliseconds
  readonly #onRollback: ((updates: number) => void) | undefined
  /** Of each object the version that was read, or written, last. */
  readonly #versions = new Map<string, number>()
  readonly #counts = { get: 0, set: 0, add: 0 }
  readonly #times = { get: 0, set: 0, add: 0 }
  #bytes = 0
  #overwritten = 0
  #rolledBack = 0

  /** @param onRollback - told how many updates a store has lost that has gone back */
  constructor(store: Store, now: () => Milliseconds, onRollback?: (updates: number) => void) {
    this.#store = store
    this.#now = now
    this.#onRollback = onRollback
  }

  get figures(): StoreFigures {
    const [counts, times] = [this.#counts, this.#times]
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
    const before = this.#versions.get(key) ?? 0
    // Whose store has gone back since it read has overwritten nobody.
    this.#overwritten += Math.max(0, version - before - 1)
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

  /** An object that is not there was removed at the end, or will be created anew: then its version tells. */
  #see(key: string, version: number | undefined): void {
    if (version === undefined) return
    const lost = (this.#versions.get(key) ?? 0) - version
    this.#versions.set(key, version)
    if (lost <= 0) return
    this.#rolledBack += lost
    this.#onRollback?.(lost)
  }

  async #timed<Result>(
    operation: Operation,
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
