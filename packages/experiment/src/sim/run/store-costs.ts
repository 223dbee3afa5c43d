import { MeteredStore, type StoreFigures } from '@murmuration/algorithms'
import { type Fabric, MemoryStore, type Store } from '@murmuration/core'
import type { StoreTotals } from '@murmuration/results'
import { SharedStore, type StoreCosts } from '@murmuration/simulator'
import { storeProgram } from '../../training/store-choice.js'

const nothing = { store: 0, storePerMB: 0, service: 0, servicePerMB: 0 }

/**
 * Measured by `node packages/stores/bench/costs.mjs` on two shared cores; see docs/use/parameter-services.md. Memory
 * takes no time.
 */
export const storeCosts: Readonly<Record<'memory' | 'redis' | 'mysql', StoreCosts>> = {
  memory: { get: nothing, set: nothing, add: nothing },
  redis: {
    get: { store: 0, storePerMB: 0.65, service: 0.12, servicePerMB: 0.22 },
    set: { store: 0.02, storePerMB: 0.59, service: 0.08, servicePerMB: 0.02 },
    add: { store: 0, storePerMB: 25, service: 0.05, servicePerMB: 0.87 }
  },
  mysql: {
    get: { store: 0.07, storePerMB: 0.41, service: 0.15, servicePerMB: 0.74 },
    set: { store: 0.11, storePerMB: 0.47, service: 0.28, servicePerMB: 0.83 },
    add: { store: 0.29, storePerMB: 2.8, service: 0.62, servicePerMB: 3.1 }
  }
}

/** The store of a simulated run, with the times of real stores of its kind. */
export class SimulatedStore {
  readonly #shared: SharedStore
  /** One for each service. */
  readonly #metered: MeteredStore[] = []

  /**
   * @param store - its name in files
   * @param weight - the factor for bytes
   */
  constructor(store = 'memory', weight = 1) {
    this.#shared = new SharedStore(new MemoryStore(), storeCosts[storeProgram(store)], weight)
  }

  /** The store as one service sees it. */
  of(fabric: Pick<Fabric<unknown>, 'now' | 'sleep'>): Store {
    const metered = new MeteredStore(this.#shared.of(fabric), () => fabric.now())
    this.#metered.push(metered)
    return metered
  }

  /** The accesses of all services together. */
  get totals(): StoreTotals {
    const figures = this.#metered.map((service) => service.figures)
    const sum = (field: keyof StoreFigures) => figures.reduce((total, of) => total + of[field], 0)
    const seconds = (time: keyof StoreFigures, count: keyof StoreFigures) => sum(time) / 1000 / Math.max(1, sum(count))
    return {
      gets: sum('gets'),
      sets: sum('sets'),
      adds: sum('adds'),
      secondsPerGet: seconds('getTime', 'gets'),
      secondsPerSet: seconds('setTime', 'sets'),
      secondsPerAdd: seconds('addTime', 'adds'),
      bytes: sum('bytes'),
      overwritten: sum('overwritten')
    }
  }
}
