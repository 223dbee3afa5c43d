import { RowTable } from './row-table.js'

/** Copies of rows that other peers hold, with what was added to each since it was last sent to the holder. */
export class Replicas {
  readonly #rows: RowTable
  readonly #added: RowTable
  readonly #width: number

  constructor(count: number, width: number) {
    this.#rows = new RowTable(count, width)
    this.#added = new RowTable(count, width)
    this.#width = width
  }

  has(key: number): boolean {
    return this.#rows.has(key)
  }

  keys(): Uint32Array {
    return this.#rows.keys()
  }

  read(key: number, out: Float32Array, at: number): boolean {
    return this.#rows.read(key, out, at)
  }

  /** Adds to a copy; returns whether there is one. */
  add(key: number, values: Float32Array, at: number): boolean {
    if (!this.#rows.add(key, values, at)) return false
    if (!this.#added.add(key, values, at)) this.#added.put(key, values, at)
    return true
  }

  /** Takes a row from its holder; what was added here and not sent is added to it. */
  put(key: number, values: Float32Array, at: number): void {
    this.#rows.put(key, values, at)
    const added = new Float32Array(this.#width)
    if (this.#added.read(key, added, 0)) this.#rows.add(key, added, 0)
  }

  /** Whether something was added that has not been sent. */
  hasAdded(key: number): boolean {
    return this.#added.has(key)
  }

  /** Moves what was added into `out`, which must be 0 there; from now on it counts as sent. */
  takeAdded(key: number, out: Float32Array, at: number): void {
    this.#added.take(key, out, at)
  }

  drop(key: number): void {
    this.#rows.take(key, new Float32Array(this.#width), 0)
  }
}
