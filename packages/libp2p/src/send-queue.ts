import { invariant, type Milliseconds } from '@murmuration/core'

/** A vector for a neighbour, with the fields of its frame's header. */
export interface OutboundVector {
  readonly kind: number
  readonly round: number
  readonly part: number
  readonly field: number
  readonly numbers?: readonly number[] | undefined
  readonly offset: number
  readonly vector: Float32Array
  /** Whether it travels packed. */
  readonly packed?: true | undefined
  /** Whether its bodies build on nothing that was sent before. */
  readonly startsAnew?: true | undefined
  /** Called once, when the neighbour has acknowledged it, or when it is given up. The vector may change from then on. */
  readonly onDone?: () => void
}

/** An outbound vector with its sequence number. */
export interface QueuedVector extends OutboundVector {
  /** 1, 2, … in the order of `offer`. */
  readonly sequence: number
  /** Whether it was written before, so that writing it again is a retransmission. */
  written: boolean
  /** When writing began, and how many bytes its bodies took, once it was written. */
  progress?: { readonly began: Milliseconds; readonly bytes: number }
}

/** The state of the link as the neighbour's welcome gives it. */
export interface Resumption {
  /** The last vector that has arrived there. */
  readonly received: number
  /** The last vector that it acknowledges. */
  readonly acknowledged: number
  /** How many whole vectors may be unacknowledged. */
  readonly window: number
}

/** How much of a window or queue a vector takes, in numbers; at least 1. */
export function weightOf({ vector }: { readonly vector: Float32Array }): number {
  return Math.max(1, vector.length)
}

/**
 * The vectors for one neighbour, from `offer` until they are acknowledged. It knows nothing of streams: `next` says what
 * to write, `resume` where to begin after a new handshake. Window and queue are counted in numbers, so that many parts of a
 * vector may be on their way where one whole vector may.
 */
export class SendQueue {
  readonly #elements: number
  readonly #size: number
  /** How many numbers may be unacknowledged, by the neighbour's welcome. */
  #window: number
  /** Unacknowledged vectors, numbered from `#acknowledged` + 1 without gaps. */
  #queued: QueuedVector[] = []
  #acknowledged = 0
  #handedOut = 0

  /**
   * @param elements - how many numbers a whole vector has
   * @param size - how many whole vectors are kept
   */
  constructor(elements: number, size: number) {
    this.#elements = Math.max(1, elements)
    this.#size = size * this.#elements
    this.#window = this.#elements
  }

  /** Unacknowledged vectors. */
  get length(): number {
    return this.#queued.length
  }

  /** The number of the last vector that was handed out to be written. */
  get handedOut(): number {
    return this.#handedOut
  }

  /** Vectors that were handed out to be written and are not acknowledged. */
  get inFlight(): number {
    return this.#handedOut - this.#acknowledged
  }

  /** The number of the oldest unacknowledged vector, or of the next one. */
  get first(): number {
    return this.#acknowledged + 1
  }

  /** Adds a vector. Returns false when the queue is full. */
  offer(vector: OutboundVector): boolean {
    if (this.#queued.length > 0 && sum(this.#queued) + weightOf(vector) > this.#size) return false
    this.#queued.push({ ...vector, sequence: this.first + this.#queued.length, written: false })
    return true
  }

  /** The vector to write now, or `undefined` while there is none or the window is closed. */
  next(): QueuedVector | undefined {
    const unacknowledged = this.inFlight
    const next = this.#queued[unacknowledged]
    if (next === undefined) return undefined
    const isOpen = sum(this.#queued, unacknowledged) + weightOf(next) <= this.#window
    if (unacknowledged > 0 && !isOpen) return undefined
    invariant(next.sequence === this.#handedOut + 1, () => `${next.sequence} lies where its successor should`)
    this.#handedOut = next.sequence
    return next
  }

  /** The unacknowledged vector with this number. */
  at(sequence: number): QueuedVector | undefined {
    return this.#queued[sequence - this.first]
  }

  /** Removes the vectors up to `sequence`. Returns false when that one was never handed out: the neighbour is at fault. */
  acknowledge(sequence: number): boolean {
    if (sequence > this.#handedOut) return false
    if (sequence > this.#acknowledged) this.#remove(sequence - this.#acknowledged)
    return true
  }

  /**
   * Starts over on a new stream, as the neighbour's welcome says: what follows `received` is written, again where it was
   * written before. Returns false when the neighbour claims what cannot be.
   */
  resume({ received, acknowledged, window }: Resumption): boolean {
    const possible = acknowledged <= received && received >= this.#acknowledged && received <= this.#handedOut
    if (!possible || !this.acknowledge(acknowledged)) return false
    this.#handedOut = received
    this.#window = window * this.#elements
    return true
  }

  /** Removes all vectors. */
  clear(): void {
    this.#remove(this.#queued.length)
    this.#handedOut = this.#acknowledged
  }

  #remove(count: number): void {
    const done = this.#queued.splice(0, count)
    this.#acknowledged += count
    for (const { onDone } of done) onDone?.()
  }
}

/** The weight of the first `count` vectors. */
function sum(vectors: readonly QueuedVector[], count = vectors.length): number {
  let total = 0
  for (let index = 0; index < count; index++) total += weightOf(vectors[index])
  return total
}
