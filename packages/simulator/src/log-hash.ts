/**
 * A hash of numbers in their order: two lanes of FNV-1a (Fowler, Noll, Vo) over the 32-bit halves of float64 values. It
 * detects whether two simulations differ, but not deliberate collisions.
 */
export class LogHash {
  readonly #number = new Float64Array(1)
  readonly #halves = new Uint32Array(this.#number.buffer)
  #left = 0x811c9dc5
  #right = 0x01000193

  /** Adds one number. */
  add(value: number): void {
    this.#number[0] = value
    const low = this.#halves[0]
    const high = this.#halves[1]
    this.#left = Math.imul(Math.imul(this.#left ^ low, 0x01000193) ^ high, 0x01000193)
    this.#right = Math.imul(Math.imul(this.#right ^ high, 0x85ebca6b) ^ low, 0xc2b2ae35) ^ (this.#right >>> 15)
  }

  /** 16 hexadecimal digits. */
  text(): string {
    return [this.#left, this.#right].map((lane) => (lane >>> 0).toString(16).padStart(8, '0')).join('')
  }
}
