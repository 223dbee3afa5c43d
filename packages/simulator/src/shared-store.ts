import type { Fabric, Milliseconds, Store } from '@murmuration/core'

/**
 * The cost of an operation. A part of it keeps the store busy, one operation after the other, as in a single-threaded
 * program. The rest is spent in parallel by the service that asks: encoding, copying, waiting for an answer.
 */
export interface OperationCost {
  /** Time in the store, independent of the size. */
  readonly store: Milliseconds
  readonly storePerMB: Milliseconds
  /** Time in the service, independent of the size. */
  readonly service: Milliseconds
  readonly servicePerMB: Milliseconds
}

/** The costs of reading, writing and adding; 1 MB is 10⁶ bytes of numbers. */
export interface StoreCosts {
  readonly get: OperationCost
  readonly set: OperationCost
  readonly add: OperationCost
}

/**
 * One store in virtual time, for all services of a run. Operations are done in the order in which they reach it. The
 * connection to it uses no link.
 */
export class SharedStore {
  readonly #store: Store
  readonly #costs: StoreCosts
  readonly #weight: number
  /** When the store has done everything that has reached it. */
  #freeAt: Milliseconds = 0

  /**
   * @param store - holds the numbers; it answers at once
   * @param weight - how many bytes each byte counts for, where what is simulated is larger than what is computed with
   */
  constructor(store: Store, costs: StoreCosts, weight = 1) {
    this.#store = store
    this.#costs = costs
    this.#weight = weight
  }

  /** The store as one service sees it. */
  of(fabric: Pick<Fabric<unknown>, 'now' | 'sleep'>): Store {
    const store = this.#store
    const { get, set, add } = this.#costs
    const weighed = ({ byteLength }: Float32Array) => byteLength * this.#weight
    const before = (cost: OperationCost, bytes: number) => fabric.sleep(fabric.now() + serviceTime(cost, bytes))
    const busy = (cost: OperationCost, bytes: number) => {
      this.#freeAt = Math.max(this.#freeAt, fabric.now()) + cost.store + (cost.storePerMB * bytes) / 1e6
      return this.#freeAt
    }
    const write = async <T>(cost: OperationCost, bytes: number, act: () => PromiseLike<T>) => {
      await before(cost, bytes)
      const doneAt = busy(cost, bytes)
      const result = await act()
      await fabric.sleep(doneAt)
      return result
    }
    return {
      get: async (key, into) => {
        const doneAt = busy(get, weighed(into))
        const version = await store.get(key, into)
        await fabric.sleep(doneAt + serviceTime(get, weighed(into)))
        return version
      },
      set: (key, values) => write(set, weighed(values), () => store.set(key, values)),
      add: (key, values) => write(add, weighed(values), () => store.add(key, values)),
      create: (key, values) => write(set, weighed(values), () => store.create(key, values)),
      remove: (keys) => store.remove(keys)
    }
  }
}

function serviceTime({ service, servicePerMB }: OperationCost, bytes: number): Milliseconds {
  return service + (servicePerMB * bytes) / 1e6
}
