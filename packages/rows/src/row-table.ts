/** The rows that a peer holds, by key. */
export class RowTable {
  readonly width: number
  /** For each key the index of its row, or −1 where it is not held. */
  readonly #indices: Int32Array
  #rows = new Float32Array(0)
  /** Indices of rows that were taken away. */
  readonly #unused: number[] = []
  #used = 0

  constructor(count: number, width: number) {
    this.width = width
    this.#indices = new Int32Array(count).fill(-1)
  }

  has(key: number): boolean {
    return this.#indices[key] >= 0
  }

  /** Copies the row of a key to `out` from `at` on; returns whether it is held. */
  read(key: number, out: Float32Array, at: number): boolean {
    const index = this.#indices[key]
    if (index < 0) return false
    const rows = this.#rows
    const width = this.width
    for (let i = 0, from = index * width; i < width; i++) out[at + i] = rows[from + i]
    return true
  }

  /** Adds the values from `at` on to the row of a key; returns whether it is held. */
  add(key: number, values: Float32Array, at: number): boolean {
    const index = this.#indices[key]
    if (index < 0) return false
    const rows = this.#rows
    const width = this.width
    for (let i = 0, to = index * width; i < width; i++) rows[to + i] += values[at + i]
    return true
  }

  /** Stores the values from `at` on as the row of a key. */
  put(key: number, values: Float32Array, at: number): void {
    const held = this.#indices[key]
    const index = held >= 0 ? held : (this.#unused.pop() ?? this.#used++)
    const width = this.width
    const to = index * this.width
    if (to + width > this.#rows.length) this.#grow()
    for (let i = 0; i < width; i++) this.#rows[to + i] = values[at + i]
    this.#indices[key] = index
  }

  /** Copies the row of a key to `out` from `at` on, and removes it; returns whether it was held. */
  take(key: number, out: Float32Array, at: number): boolean {
    if (!this.read(key, out, at)) return false
    this.#unused.push(this.#indices[key])
    this.#indices[key] = -1
    return true
  }

  /** The keys whose rows are held, ascending. */
  keys(): Uint32Array {
    const held = new Uint32Array(this.#used - this.#unused.length)
    let next = 0
    for (let key = 0; key < this.#indices.length; key++) if (this.#indices[key] >= 0) held[next++] = key
    return held
  }

  #grow(): void {
    const rows = new Float32Array(Math.max(16 * this.width, 2 * this.#rows.length))
    rows.set(this.#rows)
    this.#rows = rows
  }
}
