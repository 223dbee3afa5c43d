import { homeOf } from './key-server.js'
import type { KeySpace } from './messages.js'
import { inParts, indexOf } from './operation.js'

/** For ascending keys, the values to add to their rows, concatenated. */
export interface Adds {
  readonly keys: Uint32Array
  readonly values: Float32Array
}

/** What the workers of a peer have added to rows of other homes, and those homes are not known to have. */
export class FlushLog {
  readonly #space: Pick<KeySpace, 'width'> & { readonly holders: number }
  /** By home, then by key: not sent yet. */
  readonly #pending: readonly Map<number, Float32Array>[]
  /** By home: sent and not acknowledged, oldest first. */
  readonly #sent: readonly Adds[][]

  constructor(space: Pick<KeySpace, 'width'> & { readonly holders: number }) {
    this.#space = space
    this.#pending = Array.from({ length: space.holders }, () => new Map<number, Float32Array>())
    this.#sent = this.#pending.map(() => [])
  }

  /** How many flushes are not acknowledged. */
  get open(): number {
    return this.#sent.reduce((sum, { length }) => sum + length, 0)
  }

  /** The most for any home. */
  get longest(): number {
    return Math.max(...this.#sent.map(({ length }) => length))
  }

  /** Adds the values from `at` on to the log of a key's row. */
  add(key: number, values: Float32Array, at: number): void {
    const { width, holders } = this.#space
    const pending = this.#pending[homeOf(key, holders)]
    let row = pending.get(key)
    if (row === undefined) pending.set(key, (row = new Float32Array(width)))
    for (let i = 0; i < width; i++) row[i] += values[at + i]
  }

  /** Takes what must be sent to a home: at least one part, each with at most `most` keys. It counts as sent. */
  flush(home: number, most: number): readonly Adds[] {
    const { width } = this.#space
    const pending = this.#pending[home]
    const parts = inParts(Uint32Array.from(pending.keys()).sort(), most).map((keys) => {
      const values = new Float32Array(keys.length * width)
      for (const [index, key] of keys.entries()) values.set(pending.get(key) ?? [], index * width)
      return { keys, values }
    })
    pending.clear()
    this.#sent[home].push(...parts)
    return parts
  }

  /** Acknowledges the oldest flush to a home; returns whether there was one. */
  answered(home: number): boolean {
    return this.#sent[home]?.shift() !== undefined
  }

  /** Adds to a row what its home did not have yet when it sent the row. */
  addTo(key: number, rows: Float32Array, at: number): void {
    const { width, holders } = this.#space
    const home = homeOf(key, holders)
    const addAll = (values: Float32Array, from: number) => {
      for (let i = 0; i < width; i++) rows[at + i] += values[from + i]
    }
    for (const { keys, values } of this.#sent[home]) {
      const index = indexOf(keys, key)
      if (index >= 0) addAll(values, index * width)
    }
    const pending = this.#pending[home].get(key)
    if (pending !== undefined) addAll(pending, 0)
  }
}
