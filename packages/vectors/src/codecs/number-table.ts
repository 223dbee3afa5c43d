const maxNumbers = 256

/** There are so many times as many slots as places, at least. */
const slotsPerPlace = 4

/** Up to 256 different numbers of 32 bits, in the order in which they were added, and the place of each. */
export class NumberTable {
  readonly #numbers: Uint32Array
  /** Places, less than 0 where a slot is free; a number is in the first slot from that of its hash on. */
  readonly #slots: Int16Array
  readonly #slotBits: number
  #size = 0

  /** @param count - how many numbers are added at most: a table for few of them is small */
  constructor(count: number) {
    const places = Math.min(maxNumbers, count)
    this.#slotBits = Math.ceil(Math.log2(slotsPerPlace * Math.max(1, places)))
    this.#numbers = new Uint32Array(places)
    this.#slots = new Int16Array(2 ** this.#slotBits).fill(-1)
  }

  /** The different ones among `numbers`; undefined where there are none, or too many. */
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

  /** The place of a number, which is added where it is new; less than 0 where there is no room for it. */
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
