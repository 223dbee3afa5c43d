import { type Limits, maxInFlight } from '../base/constants.js'

/** The most messages of a neighbour in the mailbox, however short: each takes some memory. */
const maxQueuedMessages = 4 * maxInFlight

/** The most of them that are acknowledged: room is left for those in flight, also when the neighbour restarts. */
const maxAcknowledged = maxInFlight

/**
 * Counts the vectors of one neighbour from arrival until the algorithm takes them: arrived, acknowledged, and queued in
 * the mailbox. A vector beyond the mailbox's room is acknowledged only when there is room: back-pressure on a fast
 * neighbour.
 */
export class ReceiveWindow {
  /** The weight that the neighbour may send unacknowledged. */
  readonly #granted: number
  /** The weight that may be queued and acknowledged. */
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

  /** The sequence number of the last arrived vector. */
  get received(): number {
    return this.#received
  }

  /** The sequence number of the last acknowledged vector. */
  get acknowledged(): number {
    return this.#acknowledged
  }

  /**
   * Takes a hello. A restarted neighbour (another incarnation) counts from `first`, and so does one that has given up
   * vectors that did not arrive.
   */
  greet(incarnation: string, first: number): void {
    if (incarnation === this.#incarnation && first <= this.#received + 1) return
    this.#incarnation = incarnation
    this.#received = first - 1
    this.#acknowledged = first - 1
    this.#weights = []
    this.#unacknowledged = 0
  }

  /**
   * Whether one more vector exceeds what the neighbour was granted. The mailbox is bounded also when the neighbour
   * restarts repeatedly.
   */
  overflows(weight: number): boolean {
    const isCrowded = this.#queuedMessages >= maxQueuedMessages || this.#queued >= this.#room + 2 * this.#granted
    return isCrowded || (this.#unacknowledged > 0 && this.#unacknowledged + weight > this.#granted)
  }

  /** Counts a vector as arrived. Returns false when it is not the next one. */
  arrive(sequence: number, weight: number): boolean {
    if (sequence !== this.#received + 1) return false
    this.#received = sequence
    this.#weights.push(weight)
    this.#unacknowledged += weight
    return true
  }

  /** Records that a vector is put into the mailbox. */
  enqueue(weight: number): void {
    this.#queued += weight
    this.#queuedMessages++
  }

  /** Records that a vector is taken from the mailbox. */
  dequeue(weight: number): void {
    this.#queued -= weight
    this.#queuedMessages--
  }

  /**
   * Acknowledges all vectors except the last ones that weigh, or are, as many as the queue exceeds its room. Returns
   * whether any was acknowledged.
   */
  acknowledge(): boolean {
    const before = this.#acknowledged
    const surplus = this.#queued - this.#room
    const kept = Math.max(0, this.#queuedMessages - maxAcknowledged)
    while (this.#weights.length > kept && this.#unacknowledged - this.#weights[0] >= surplus) {
      this.#unacknowledged -= this.#weights.shift() ?? 0
      this.#acknowledged++
    }
    return this.#acknowledged > before
  }
}
