import type { Milliseconds } from '@murmuration/core'

/** The speed is the best of this many last vectors. */
const remembered = 8

/** The weight of a new interval in the moving average of intervals. */
const freshness = 0.25

/**
 * How fast vectors reach a neighbour, and how often they are sent. The speed is the best of the last few vectors: a
 * late acknowledgement of a busy receiver says nothing about the link.
 */
export class LinkSpeed {
  #speeds: number[] = []
  #period: Milliseconds | undefined
  #last: Milliseconds | undefined

  /** Bytes per millisecond; `undefined` until a vector was acknowledged. */
  get bytesPerMillisecond(): number | undefined {
    return this.#speeds.length === 0 ? undefined : Math.max(...this.#speeds)
  }

  /** The mean time between two vectors; infinite before the second one. */
  get period(): Milliseconds {
    return this.#period ?? Number.POSITIVE_INFINITY
  }

  /** How long `bytes` bytes would take; 0 while the speed is unknown. */
  timeFor(bytes: number): Milliseconds {
    const speed = this.bytesPerMillisecond
    return speed === undefined ? 0 : bytes / speed
  }

  /** Records that writing of a vector begins. */
  began(now: Milliseconds): void {
    if (this.#last !== undefined) {
      const interval = now - this.#last
      this.#period = this.#period === undefined ? interval : (1 - freshness) * this.#period + freshness * interval
    }
    this.#last = now
  }

  /** Records that a vector of `bytes` bytes was acknowledged, `took` after its writing began. */
  acknowledged(bytes: number, took: Milliseconds): void {
    if (took <= 0) return
    this.#speeds.push(bytes / took)
    if (this.#speeds.length > remembered) this.#speeds.shift()
  }
}
