import type { Milliseconds } from '@murmuration/core'

/** How many of the last vectors the speed is the best of. */
const remembered = 8

/** How much a new interval between vectors counts against those before. */
const freshness = 0.25

/**
 * How fast vectors get through to a neighbour, and how often they are sent. The speed is the best of the last few: a vector that
 * was acknowledged late, because its receiver was busy, says nothing of the link.
 */
export class LinkSpeed {
  #speeds: number[] = []
  #period: Milliseconds | undefined
  #last: Milliseconds | undefined

  /** Bytes per millisecond; `undefined` until a vector was acknowledged. */
  get bytesPerMillisecond(): number | undefined {
    return this.#speeds.length === 0 ? undefined : Math.max(...this.#speeds)
  }

  /** The mean time between two vectors; infinite until there were two. */
  get period(): Milliseconds {
    return this.#period ?? Number.POSITIVE_INFINITY
  }

  /** How long so many bytes would take; 0 while nothing is known. */
  timeFor(bytes: number): Milliseconds {
    const speed = this.bytesPerMillisecond
    return speed === undefined ? 0 : bytes / speed
  }

  /** Notes that a vector begins to be written. */
  began(now: Milliseconds): void {
    if (this.#last !== undefined) {
      const interval = now - this.#last
      this.#period = this.#period === undefined ? interval : (1 - freshness) * this.#period + freshness * interval
    }
    this.#last = now
  }

  /** Notes that a vector of so many bytes was acknowledged, so long after it began to be written. */
  acknowledged(bytes: number, took: Milliseconds): void {
    if (took <= 0) return
    this.#speeds.push(bytes / took)
    if (this.#speeds.length > remembered) this.#speeds.shift()
  }
}
