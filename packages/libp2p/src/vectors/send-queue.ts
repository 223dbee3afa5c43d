import { isLaterEpoch, type Milliseconds } from '@murmuration/core'
import { maxInFlight } from '../base/constants.js'

/** The most unacknowledged messages, however short, besides those of whole vectors that are sent tensor by tensor. */
const maxShort = 1 << 16

/** A vector for a neighbour, with the fields of its frame's header. */
export interface OutboundVector {
  readonly kind: number
  readonly round: number
  readonly part: number
  readonly epoch: number
  readonly field: number
  readonly numbers?: readonly number[] | undefined
  readonly offset: number
  readonly vector: Float32Array
  /** Whether it travels packed. */
  readonly packed?: true | undefined
  /** Whether its bodies do not build on earlier ones. */
  readonly startsAnew?: true | undefined
  /**
   * Called once, when the neighbour has acknowledged the vector or it is given up. From then on the vector may change.
   */
  readonly onDone?: () => void
}

/** An outbound vector with its sequence number. */
export interface QueuedVector extends OutboundVector {
  /** 1, 2, … in the order of writing; 0 before. One that did not arrive may get another when it is written again. */
  sequence: number
  /** Whether it was already written, so that writing it again is a retransmission. */
  written: boolean
  /** Set once it was written: when writing began, and how many bytes its bodies took. */
  progress?: { readonly began: Milliseconds; readonly bytes: number }
}

/** The state of the link in the neighbour's welcome. */
export interface Resumption {
  /** The sequence number of the last vector that has arrived there. */
  readonly received: number
  /** The sequence number of the last vector that it acknowledges. */
  readonly acknowledged: number
  /** How many whole vectors may be unacknowledged. */
  readonly window: number
}

/** How much of a window or queue a vector occupies, in numbers; at least 1. */
export function weightOf({ vector }: { readonly vector: Float32Array }): number {
  return Math.max(1, vector.length)
}

/**
 * The vectors for one neighbour, from `offer` until they are acknowledged. It does not know streams: `next` gives the
 * vector to write, `resume` sets where to continue after a new handshake. Window and queue are counted in numbers, so
 * that instead of one whole vector many ranges may be in flight. Messages are counted, too: a neighbour that
 * acknowledges nothing can make this peer answer it with empty ones.
 *
 * Once a vector of a later epoch is offered, nobody would use those of earlier ones. They are dropped, except what is
 * being written or may have arrived: of that the neighbour counts the numbers.
 */
export class SendQueue {
  readonly #elements: number
  readonly #size: number
  readonly #maxMessages: number
  /** How many numbers may be unacknowledged, by the neighbour's welcome. */
  #window: number
  /**
   * Unacknowledged vectors; the last one has the latest epoch. The numbers of those that were handed out follow
   * `#acknowledged` without gaps.
   */
  #queued: QueuedVector[] = []
  #acknowledged = 0
  #handedOut = 0
  /** The weight of the unacknowledged vectors, and of those in flight. */
  #weight = 0
  #weightInFlight = 0

  /**
   * @param elements - how many numbers a whole vector has
   * @param size - how many whole vectors are kept
   * @param tensors - in how many messages a whole vector may be sent
   */
  constructor(elements: number, size: number, tensors = 1) {
    this.#elements = Math.max(1, elements)
    this.#size = size * this.#elements
    this.#maxMessages = Math.max(maxShort, size * tensors)
    this.#window = this.#elements
  }

  /** The number of unacknowledged vectors. */
  get length(): number {
    return this.#queued.length
  }

  /** The sequence number of the last vector that was handed out for writing. */
  get handedOut(): number {
    return this.#handedOut
  }

  /** The number of vectors that were handed out for writing and are not acknowledged. */
  get inFlight(): number {
    return this.#handedOut - this.#acknowledged
  }

  /** The sequence number of the oldest unacknowledged vector, or of the next one. */
  get first(): number {
    return this.#acknowledged + 1
  }

  /** Adds a vector, or drops it if its epoch is over. Returns false when the queue is full. */
  offer(vector: OutboundVector): boolean {
    const { length } = this.#queued
    if (length > 0 && this.#queued[length - 1].epoch !== vector.epoch) {
      if (!isLaterEpoch(vector.epoch, this.#queued[length - 1].epoch)) {
        vector.onDone?.()
        return true
      }
      this.#remove(this.inFlight, this.#queued.length)
    }
    const weight = this.#weight + weightOf(vector)
    if (this.#queued.length > 0 && (weight > this.#size || this.#queued.length >= this.#maxMessages)) return false
    this.#weight = weight
    this.#queued.push({ ...vector, sequence: 0, written: false })
    return true
  }

  /** The vector to write now, or `undefined` while there is none or the window is closed. */
  next(): QueuedVector | undefined {
    const unacknowledged = this.inFlight
    const next = this.#queued[unacknowledged]
    if (next === undefined || unacknowledged >= maxInFlight) return undefined
    const weight = this.#weightInFlight + weightOf(next)
    if (unacknowledged > 0 && weight > this.#window) return undefined
    this.#handedOut++
    next.sequence = this.#handedOut
    this.#weightInFlight = weight
    return next
  }

  /** The unacknowledged vector with this sequence number. */
  at(sequence: number): QueuedVector | undefined {
    return this.#queued[sequence - this.first]
  }

  /**
   * Removes the vectors up to `sequence`. Returns false when that one was never handed out, which is the neighbour's
   * fault.
   */
  acknowledge(sequence: number): boolean {
    if (sequence > this.#handedOut) return false
    if (sequence > this.#acknowledged) {
      this.#weightInFlight -= this.#remove(0, sequence - this.#acknowledged)
      this.#acknowledged = sequence
    }
    return true
  }

  /**
   * Continues on a new stream by the neighbour's welcome: the vectors after `received` are written, again if they were
   * written before. Returns false when the welcome is impossible.
   */
  resume({ received, acknowledged, window }: Resumption): boolean {
    const possible = acknowledged <= received && received >= this.#acknowledged && received <= this.#handedOut
    if (!possible || !this.acknowledge(acknowledged)) return false
    this.#handedOut = received
    this.#weightInFlight = sum(this.#queued.slice(0, this.inFlight))
    this.#window = window * this.#elements
    const latest = this.#queued.at(-1)?.epoch
    const first = this.#queued.findIndex(({ epoch }) => epoch === latest)
    this.#remove(this.inFlight, first)
    return true
  }

  /** Removes all vectors. */
  clear(): void {
    this.#acknowledged += this.#queued.length
    this.#remove(0, this.#queued.length)
    this.#handedOut = this.#acknowledged
    this.#weightInFlight = 0
  }

  /** Removes the vectors from index `start` up to `end`, which may be before it, and returns their weight. */
  #remove(start: number, end: number): number {
    const done = this.#queued.splice(start, end - start)
    const weight = sum(done)
    this.#weight -= weight
    for (const { onDone } of done) onDone?.()
    return weight
  }
}

function sum(vectors: readonly QueuedVector[]): number {
  return vectors.reduce((total, vector) => total + weightOf(vector), 0)
}
