import type { PeerName } from '@murmuration/core'
import type { Vote } from './records.js'

/** An entry to tell: the record of a peer, by its name, or a vote. */
export type NewsEntry = PeerName | Vote

/** The least number of entries at which the log is compacted. */
const slack = 256

/**
 * Records and votes in the order of their latest news, numbered. A reader needs to remember only one number, however
 * many entries there are.
 */
export class NewsLog {
  #entries: NewsEntry[] = []
  /** The entries' numbers, ascending. */
  #numbers: number[] = []
  readonly #newest = new Map<NewsEntry, number>()
  #next = 1
  #limit = slack

  /** @param isKept whether an entry is still of use */
  constructor(readonly isKept: (entry: NewsEntry) => boolean) {}

  /** An entry has news: it moves to the end. */
  add(entry: NewsEntry): void {
    this.#newest.set(entry, this.#next)
    this.#entries.push(entry)
    this.#numbers.push(this.#next++)
    if (this.#entries.length > this.#limit) this.#compact()
  }

  /** The current number of an entry; 0 when it never had news. */
  numberOf(entry: NewsEntry): number {
    return this.#newest.get(entry) ?? 0
  }

  /** Visits the entries from a number on, until `visit` returns false. Returns whether it came to the end. */
  visit(from: number, visit: (entry: NewsEntry, number: number) => boolean): boolean {
    const entries = this.#entries
    const numbers = this.#numbers
    for (let index = this.#placeOf(from); index < entries.length; index++) {
      const entry = entries[index]
      const number = numbers[index]
      if (this.#newest.get(entry) === number && !visit(entry, number)) return false
    }
    return true
  }

  /** The index of the first entry with this number or a later one. */
  #placeOf(number: number): number {
    let low = 0
    let high = this.#numbers.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.#numbers[middle] < number) low = middle + 1
      else high = middle
    }
    return low
  }

  #compact() {
    const entries = this.#entries
    const numbers = this.#numbers
    this.#entries = []
    this.#numbers = []
    entries.forEach((entry, index) => {
      if (this.#newest.get(entry) !== numbers[index]) return
      if (this.isKept(entry)) {
        this.#entries.push(entry)
        this.#numbers.push(numbers[index])
      } else this.#newest.delete(entry)
    })
    this.#limit = 2 * this.#entries.length + slack
  }
}
