import type { Fabric, Milliseconds, Store } from '@murmuration/core'

/**
 * What an operation takes. A part of it keeps the store busy, one operation after the other, as in a program of one thread; the rest is spent beside that, by
 * the service that asks: encoding, copying, waiting for an answer.
 */
export interface OperationCost {
  /** Of the store, whatever is asked. */
  readonly store: Milliseconds
  readonly storePerMB: Milliseconds
  /** Of the service, whatever is asked. */
  readonly service: Milliseconds
  readonly servicePerMB: Milliseconds
}

/** What reading, writing and adding take; 1 MB is 10⁶ bytes of numbers. */
export interface StoreCosts {
  readonly get: OperationCost
  readonly set: OperationCost
  readonly add: OperationCost
}

/** One store in virtual time, for all services of a run. Operations are done in the order in which they reach it. The way to it is not on any link. */
export class SharedStore {
  readonly #store: Store
  readonly #costs: StoreCosts
  readonly #weight: number
  /** When the store has done all that has reached it. */
  #freeAt: Milliseconds = 0

  /**
   * @param store - what holds the numbers; it answers at once
   * @param weight - how many bytes count for one, where what is simulated is larger than what is computed with
   */
  constructor(store: Store, costs: StoreCosts, weight = 1) {
    this.#store = store
    this.#costs = costs
    this.#weight = weight
  }

  /** The store as one service sees it. */
  of(fabric: Pick<Fabric<unknown>, 'now' | 'sleep'>): Store {
    const [store, { get, set, add }] = [this.#store, this.#costs]
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
