import { invariant, type Milliseconds } from '@murmuration/core'

/** A vector on its way to a neighbour; see the frame's header. */
export interface Parcel {
  readonly kind: number
  readonly round: number
  readonly part: number
  readonly field: number
  readonly numbers?: readonly number[] | undefined
  readonly offset: number
  readonly vector: Float32Array
  /** Called once, when the neighbour has acknowledged it, or when it is given up. The vector may change from then on. */
  readonly onGone?: () => void
}

/** A parcel with the number that the receiver knows it by. */
export interface QueuedParcel extends Parcel {
  /** 1, 2, … in the order of `offer`. */
  readonly sequence: number
  /** Whether it was written out whole before, so that writing it again is a retransmission. */
  written: boolean
  /** When writing began, and how many bytes of bodies it was, once it was written. */
  progress?: { readonly began: Milliseconds; readonly bytes: number }
}

/** Where a neighbour says that it stands. */
export interface Resumption {
  /** The last parcel that it has. */
  readonly received: number
  /** The last parcel that it acknowledges. */
  readonly acknowledged: number
  /** How many whole vectors it takes unacknowledged. */
  readonly window: number
}

/** How much of a window or queue a vector takes; also one without numbers takes something. */
export function weightOf({ vector }: { readonly vector: Float32Array }): number {
  return Math.max(1, vector.length)
}

/**
 * The parcels for one neighbour, from `offer` until they are acknowledged. It knows nothing of streams: `next` says what
 * to write, `resume` where to begin after a new handshake. Window and queue are counted in numbers, so that many parts of a
 * vector may be on their way where one whole vector may.
 */
export class SendQueue {
  readonly #elements: number
  readonly #size: number
  /** How many numbers the neighbour takes unacknowledged; it says so in its welcome. */
  #window: number
  /** Unacknowledged parcels, numbered from `#acknowledged` + 1 without gaps. */
  #parcels: QueuedParcel[] = []
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

  /** Parcels that wait for an acknowledgement. */
  get length(): number {
    return this.#parcels.length
  }

  /** Parcels that were handed out to be written and are not acknowledged. */
  get inFlight(): number {
    return this.#handedOut - this.#acknowledged
  }

  /** The number of the oldest parcel that may still have to be sent. */
  get first(): number {
    return this.#acknowledged + 1
  }

  /** Takes a parcel, or says no when the queue is full. */
  offer(parcel: Parcel): boolean {
    if (this.#parcels.length > 0 && sum(this.#parcels) + weightOf(parcel) > this.#size) return false
    this.#parcels.push({ ...parcel, sequence: this.first + this.#parcels.length, written: false })
    return true
  }

  /** The parcel to write now, or `undefined` while there is none or the window is closed. */
  next(): QueuedParcel | undefined {
    const unacknowledged = this.inFlight
    const parcel = this.#parcels[unacknowledged]
    if (parcel === undefined) return undefined
    const isOpen = sum(this.#parcels, unacknowledged) + weightOf(parcel) <= this.#window
    if (unacknowledged > 0 && !isOpen) return undefined
    invariant(parcel.sequence === this.#handedOut + 1, () => `${parcel.sequence} lies where its successor should`)
    this.#handedOut = parcel.sequence
    return parcel
  }

  /** The unacknowledged parcel with this number. */
  at(sequence: number): QueuedParcel | undefined {
    return this.#parcels[sequence - this.first]
  }

  /** Forgets the parcels up to `sequence`. Returns false when that one was never handed out: the neighbour is at fault. */
  acknowledge(sequence: number): boolean {
    if (sequence > this.#handedOut) return false
    if (sequence > this.#acknowledged) this.#forget(sequence - this.#acknowledged)
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

  /** Forgets everything: the neighbour is gone. */
  clear(): void {
    this.#forget(this.#parcels.length)
    this.#handedOut = this.#acknowledged
  }

  #forget(count: number): void {
    const gone = this.#parcels.splice(0, count)
    this.#acknowledged += count
    for (const { onGone } of gone) onGone?.()
  }
}

/** The weight of the first `count` parcels. */
function sum(parcels: readonly QueuedParcel[], count = parcels.length): number {
  let total = 0
  for (let index = 0; index < count; index++) total += weightOf(parcels[index])
  return total
}
