import { exponentOf } from '@murmuration/core'

/** As many different numbers are in a table at first, and always accepted. */
const firstRoom = 256
const maxRoom = 2 ** 16

/** The table has at least this many slots per place. */
const slotsPerPlace = 4

/** Numbers, given by their places in a table. */
export interface Indexed {
  readonly table: NumberTable
  readonly places: Uint16Array
}

/** A limited count of different numbers of 32 bits, each with its place in the order of insertion. */
export class NumberTable {
  readonly #numbers: Uint32Array
  /** Places; negative where a slot is free. A number is in the first slot available from its hash on. */
  readonly #slots: Int32Array
  /** Hashes of 32 bits less this many are slots. */
  readonly #shift: number
  #size = 0

  /** @param count - how many numbers there is room for */
  constructor(count: number) {
    const slotBits = exponentOf(2 * slotsPerPlace * Math.max(1, count) - 1)
    this.#shift = 32 - slotBits
    this.#numbers = new Uint32Array(count)
    this.#slots = new Int32Array(2 ** slotBits).fill(-1)
  }

  /**
   * The different ones of `numbers`; undefined when there are more than 256, and more than half of the first numbers,
   * or 65,536, are different.
   */
  static of(numbers: Uint32Array): Indexed | undefined {
    let table = new NumberTable(Math.min(firstRoom, numbers.length))
    const places = new Uint16Array(numbers.length)
    for (let k = 0; k < numbers.length; k++) {
      let place = table.placeOf(numbers[k])
      if (place < 0) {
        if (table.size > k / 2 || table.size === maxRoom) return undefined
        table = table.#doubled()
        place = table.placeOf(numbers[k])
      }
      places[k] = place
    }
    return { table, places }
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
    let slot = Math.imul(number, 0x9e3779b1) >>> this.#shift
    for (let place = this.#slots[slot]; place >= 0; place = this.#slots[slot]) {
      if (this.#numbers[place] === number) return place
      slot = (slot + 1) % this.#slots.length
    }
    if (this.#size === this.#numbers.length) return -1
    this.#numbers[this.#size] = number
    this.#slots[slot] = this.#size
    return this.#size++
  }

  /** A table with the same numbers at the same places, and room for twice as many. */
  #doubled(): NumberTable {
    const larger = new NumberTable(2 * this.#numbers.length)
    for (const number of this.numbers) larger.placeOf(number)
    return larger
  }
}
