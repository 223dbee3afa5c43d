import type { Limits } from './constants.js'

/** The most messages of a neighbour in the mailbox, however short they are: each takes some memory. */
const maxQueuedMessages = 1 << 14

/**
 * The vectors of one neighbour, from arrival until the algorithm takes them, in numbers: which have arrived, which of them are acknowledged, and
 * how much is queued in the mailbox. A vector that finds no room there is acknowledged when there is room, which holds a fast neighbour back.
 */
export class ReceiveWindow {
  /** What the neighbour may send unacknowledged. */
  readonly #granted: number
  /** What may be queued and is acknowledged all the same. */
  readonly #room: number
  #incarnation = ''
  #received = 0
  #acknowledged = 0
  /** The weights of the unacknowledged vectors, in order. */
  #weights: number[] = []
  #unacknowledged = 0
  #queued = 0
  #queuedMessages = 0

  /** @param elements - how many numbers a whole vector has */
  constructor(elements: number, { window, mailbox }: Pick<Limits, 'window' | 'mailbox'>) {
    this.#granted = window * Math.max(1, elements)
    this.#room = mailbox * Math.max(1, elements)
  }

  /** The last vector that has arrived. */
  get received(): number {
    return this.#received
  }

  /** The last vector that is acknowledged. */
  get acknowledged(): number {
    return this.#acknowledged
  }

  /**
   * Notes a hello. A neighbour that was restarted (another incarnation) counts from `first`, and so does one
   * that has given up vectors that did not arrive.
   */
  greet(incarnation: string, first: number): void {
    if (incarnation === this.#incarnation && first <= this.#received + 1) return
    this.#incarnation = incarnation
    this.#received = first - 1
    this.#acknowledged = first - 1
    this.#weights = []
    this.#unacknowledged = 0
  }

  /** Whether one more vector is more than the neighbour was granted, also when it was restarted again and again. */
  overflows(weight: number): boolean {
    const isCrowded = this.#queuedMessages >= maxQueuedMessages || this.#queued >= this.#room + 2 * this.#granted
    return isCrowded || (this.#unacknowledged > 0 && this.#unacknowledged + weight > this.#granted)
  }

  /** Counts a vector as arrived. Returns false for one that has arrived before, or that is not the next. */
  arrive(sequence: number, weight: number): boolean {
    if (sequence !== this.#received + 1) return false
    this.#received = sequence
    this.#weights.push(weight)
    this.#unacknowledged += weight
    return true
  }

  /** Notes that a vector is put into the mailbox. */
  enqueue(weight: number): void {
    this.#queued += weight
    this.#queuedMessages++
  }

  /** Notes that a vector is taken from the mailbox. */
  dequeue(weight: number): void {
    this.#queued -= weight
    this.#queuedMessages--
  }

  /** Acknowledges all vectors but as many of the last as weigh what is queued beyond the room. Returns whether there was one. */
  acknowledge(): boolean {
    const before = this.#acknowledged
    const surplus = this.#queued - this.#room
    while (this.#weights.length > 0 && this.#unacknowledged - this.#weights[0] >= surplus) {
      this.#unacknowledged -= this.#weights.shift() ?? 0
      this.#acknowledged++
    }
    return this.#acknowledged > before
  }
}
