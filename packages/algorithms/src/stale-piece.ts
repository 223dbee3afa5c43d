import type { Stretch } from './stretches.js'

/** A piece of the parameters on a stale synchronous server: the sum of all updates, and every worker's clock. */
export class StalePiece implements Stretch {
  readonly offset: number
  readonly length: number
  readonly #sum: Float64Array
  readonly #clocks: Int32Array
  #slowest = 0
  /** How many workers' clocks show `slowest`. */
  #last: number

  constructor({ offset, length }: Stretch, start: Float32Array, workers: number) {
    this.offset = offset
    this.length = length
    this.#sum = Float64Array.from(start)
    this.#clocks = new Int32Array(workers)
    this.#last = workers
  }

  /** The slowest worker's clock: all updates of clocks below it are in the sum. */
  get slowest(): number {
    return this.#slowest
  }

  /** How many updates of a worker are in the sum. */
  clockOf(worker: number): number {
    return this.#clocks[worker]
  }

  /** The parameters as they are now, as a new vector. */
  snapshot(): Float32Array {
    return Float32Array.from(this.#sum)
  }

  /** Adds a worker's update of `clock`, once. Says whether the slowest worker's clock has moved on with it. */
  add(worker: number, clock: number, update: Float32Array): boolean {
    if (clock !== this.#clocks[worker]) return false
    for (let i = 0; i < update.length; i++) this.#sum[i] += update[i]
    this.#clocks[worker]++
    if (clock > this.#slowest || --this.#last > 0) return false
    this.#slowest++
    for (const other of this.#clocks) if (other === this.#slowest) this.#last++
    return true
  }
}
