const maxNumbers = 256

/** The table has at least this many slots per place. */
const slotsPerPlace = 4

/** Up to 256 different numbers of 32 bits, each with its place in the order of insertion. */
export class NumberTable {
  readonly #numbers: Uint32Array
  /** Places; negative where a slot is free. A number is in the first slot available from its hash on. */
  readonly #slots: Int16Array
  readonly #slotBits: number
  #size = 0

  /** @param count - how many numbers are added at most: a small count gives a small table */
  constructor(count: number) {
    const places = Math.min(maxNumbers, count)
    this.#slotBits = Math.ceil(Math.log2(slotsPerPlace * Math.max(1, places)))
    this.#numbers = new Uint32Array(places)
    this.#slots = new Int16Array(2 ** this.#slotBits).fill(-1)
  }

  /** The distinct numbers of `numbers`; undefined when there are none, or too many. */
  static of(numbers: Uint32Array): NumberTable | undefined {
    const table = new NumberTable(numbers.length)
    for (let k = 0; k < numbers.length; k++) if (table.placeOf(numbers[k]) < 0) return undefined
    return table.size === 0 ? undefined : table
  }

  get size(): number {
    return this.#size
  }

  get numbers(): Uint32Array {
    return this.#numbers.subarray(0, this.#size)
  }

  /** The place of a number, which is added if new; negative when there is no room for it. */
  placeOf(number: number): number {
    // Multiplicative hashing with 2^32 / φ (Knuth, The Art of Computer Programming, volume 3, section 6.4).
    let slot = Math.imul(number, 0x9e3779b1) >>> (32 - this.#slotBits)
    for (; this.#slots[slot] >= 0; slot = (slot + 1) % this.#slots.length) {
      if (this.#numbers[this.#slots[slot]] === number) return this.#slots[slot]
    }
    if (this.#size === this.#numbers.length) return -1
    this.#numbers[this.#size] = number
    this.#slots[slot] = this.#size
    return this.#size++
  }
}
