import { invariant } from '@murmuration/core'
import type { VectorMessage } from '@murmuration/vectors'

/** A message with the number that the receiver knows it by. */
export interface QueuedFrame {
  /** 1, 2, … in the order of `offer`. */
  readonly sequence: number
  readonly message: VectorMessage
  /** Whether it was written out whole before, so that writing it again is a retransmission. */
  written: boolean
}

/** Where a neighbour says that it stands. */
export interface Resumption {
  /** The last frame that it has. */
  readonly received: number
  /** The last frame that it acknowledges. */
  readonly acknowledged: number
  /** How many frames it takes unacknowledged. */
  readonly window: number
}

/**
 * The frames for one neighbour, from `offer` until they are acknowledged. It knows nothing of streams: `next` says what
 * to write, `resume` where to begin after a new handshake.
 */
export class SendQueue {
  readonly #size: number
  /** How many frames the neighbour takes unacknowledged; it says so in its welcome. */
  #window = 1
  /** Unacknowledged frames, numbered from `#acknowledged` + 1 without gaps. */
  #frames: QueuedFrame[] = []
  #acknowledged = 0
  #handedOut = 0

  constructor(size: number) {
    this.#size = size
  }

  /** Frames that wait for an acknowledgement. */
  get length(): number {
    return this.#frames.length
  }

  /** The number of the oldest frame that may still have to be sent. */
  get first(): number {
    return this.#acknowledged + 1
  }

  /** Takes a message, or says no when the queue is full. */
  offer(message: VectorMessage): boolean {
    if (this.#frames.length >= this.#size) return false
    this.#frames.push({ sequence: this.first + this.#frames.length, message, written: false })
    return true
  }

  /** The frame to write now, or `undefined` while there is none or the window is closed. */
  next(): QueuedFrame | undefined {
    if (this.#handedOut - this.#acknowledged >= this.#window) return undefined
    const frame = this.#frames[this.#handedOut - this.#acknowledged]
    if (frame === undefined) return undefined
    invariant(frame.sequence === this.#handedOut + 1, () => `frame ${frame.sequence} lies where its successor should`)
    this.#handedOut = frame.sequence
    return frame
  }

  /** Forgets the frames up to `sequence`. Returns false when that one was never handed out: the neighbour is at fault. */
  acknowledge(sequence: number): boolean {
    if (sequence > this.#handedOut) return false
    if (sequence > this.#acknowledged) {
      this.#frames = this.#frames.slice(sequence - this.#acknowledged)
      this.#acknowledged = sequence
    }
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
    this.#window = window
    return true
  }

  /** Forgets everything: the neighbour is gone. */
  clear(): void {
    this.#acknowledged += this.#frames.length
    this.#handedOut = this.#acknowledged
    this.#frames = []
  }
}
