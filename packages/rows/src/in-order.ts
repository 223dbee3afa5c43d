import type { KeyMessage } from './messages.js'

/** The most messages of one peer that may be early. */
const maxEarly = 1024

/** How far ahead a message may be: those before it are on their way. */
const maxAhead = 2 ** 20

/**
 * Numbers the messages sent to each peer, and returns received ones in the order in which they were sent: worlds do not
 * keep the order between long and short messages.
 */
export class InOrder {
  readonly #sent: number[]
  readonly #taken: number[]
  readonly #early: readonly Map<number, KeyMessage>[]
  readonly #maxNumbers: number
  /** How many numbers each peer's early messages hold. */
  readonly #waiting: number[]

  /**
   * @param peers - how many peers there are
   * @param maxNumbers - the most numbers that early messages of one peer may hold
   */
  constructor(peers: number, maxNumbers: number) {
    const zeros = () => Array.from({ length: peers }, () => 0)
    this.#sent = zeros()
    this.#taken = zeros()
    this.#waiting = zeros()
    this.#early = zeros().map(() => new Map<number, KeyMessage>())
    this.#maxNumbers = maxNumbers
  }

  /** The sequence number of the next message to a peer. */
  next(to: number): number {
    return this.#sent[to]++
  }

  /** The messages of a peer that are due now that this one has arrived; or what is wrong with it, in words. */
  take(from: number, message: KeyMessage): readonly KeyMessage[] | string {
    const { order } = message.timing ?? { order: -1 }
    const early = this.#early[from]
    if (order < this.#taken[from] || early.has(order)) return `message ${order}, which is duplicate or has no order`
    if (order >= this.#taken[from] + maxAhead) return `message ${order} when ${this.#taken[from]} is next`
    const numbers = 1 + message.keys.length + message.values.length
    const isNext = order === this.#taken[from]
    if (!isNext && (early.size >= maxEarly || this.#waiting[from] + numbers > this.#maxNumbers))
      return `message ${order} before message ${this.#taken[from]}, and no room for more early messages`
    early.set(order, message)
    this.#waiting[from] += numbers
    return isNext ? this.#due(from) : []
  }

  #due(from: number): readonly KeyMessage[] {
    const early = this.#early[from]
    const due: KeyMessage[] = []
    for (;;) {
      const message = early.get(this.#taken[from])
      if (message === undefined) return due
      early.delete(this.#taken[from]++)
      this.#waiting[from] -= 1 + message.keys.length + message.values.length
      due.push(message)
    }
  }
}
