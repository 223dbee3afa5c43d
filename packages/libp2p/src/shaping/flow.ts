import type { Milliseconds } from '@murmuration/core'
import type { Uint8ArrayList } from 'uint8arraylist'

/** Bytes of one hand-over that wait for the line. */
interface Piece {
  readonly bytes: Uint8ArrayList
  /** The time of the hand-over. */
  readonly since: Milliseconds
  /** How long they are in flight after the line. */
  readonly delay: Milliseconds
  /** Whether they end a hand-over. */
  readonly isEnd: boolean
}

/** Bytes that have passed the line. */
export interface Flight {
  readonly bytes: Uint8ArrayList
  /** When they arrive. */
  readonly due: Milliseconds
  /** Whether they end a hand-over. */
  readonly isEnd: boolean
}

/** The most bytes of a flow in flight: 10 Gbit/s over 13 ms, or 1 Gbit/s over 130 ms. */
const maxInFlight = 16 << 20

/**
 * How late bytes in the middle of a hand-over may be processed, which saves work: the receiver cannot use a part of it.
 * Because of the stamps, this delay does not affect the receiver's line.
 */
const coarse: Milliseconds = 4

/**
 * Bytes in one direction through a {@link Line}: they wait for their turns on the line, then are in flight, then are
 * delivered, in order. It has no clock: callers pass the time.
 */
export class ShapedFlow {
  /** Bytes per millisecond that this flow never exceeds, even on an idle line. */
  cap = Number.POSITIVE_INFINITY
  readonly #deliver: (flights: readonly Flight[]) => void
  readonly #pieces: Piece[] = []
  #flights: Flight[] = []
  #waiting = 0
  #flying = 0
  /** When the cap allows the next bytes to begin. */
  #ready: Milliseconds = 0
  #lastDue: Milliseconds = 0
  #isHeld = false

  /** @param deliver - takes the arrived bytes; it may hold the flow, and offer more bytes */
  constructor(deliver: (flights: readonly Flight[]) => void) {
    this.#deliver = deliver
  }

  /** Bytes that wait for the line. */
  get waiting(): number {
    return this.#waiting
  }

  /** Bytes that wait or are in flight. */
  get load(): number {
    return this.#waiting + this.#flying
  }

  /**
   * Takes bytes, which must not change afterwards. They are in flight for `delay` after the line.
   *
   * @param isEnd - whether they end a hand-over
   */
  offer(bytes: Uint8ArrayList, since: Milliseconds, delay: Milliseconds = 0, isEnd = true): void {
    this.#pieces.push({ bytes, since, delay, isEnd })
    this.#waiting += bytes.byteLength
  }

  /** Delivers nothing and takes no turns until `letGo`. */
  hold(): void {
    this.#isHeld = true
  }

  letGo(now: Milliseconds): void {
    if (this.#isHeld) this.#ready = Math.max(this.#ready, now)
    this.#isHeld = false
  }

  /** When its next turn may begin on an idle line; Infinity while no bytes may be sent. */
  get nextTurn(): Milliseconds {
    if (this.#pieces.length === 0 || this.#isHeld || this.#flying >= maxInFlight) return Number.POSITIVE_INFINITY
    return Math.max(this.#pieces[0].since, this.#ready)
  }

  /**
   * The time of the next event; Infinity when there is none.
   *
   * @param free - when the line is free
   * @param rate - of the line, in bytes per millisecond
   */
  nextTime(free: Milliseconds, rate: number): Milliseconds {
    if (this.#isHeld) return Number.POSITIVE_INFINITY
    const passing = Math.min(coarse, this.#untilEnd() / Math.min(rate, this.cap))
    const ending = this.#flights.find(({ isEnd }) => isEnd)?.due ?? Number.POSITIVE_INFINITY
    return Math.min(Math.max(free, this.nextTurn) + passing, ending, this.#nextDue + coarse)
  }

  /**
   * Puts up to `quantum` bytes on the line at the time `start`. Returns their number.
   *
   * @param rate - of the line, in bytes per millisecond
   */
  pass(start: Milliseconds, rate: number, quantum: number): number {
    const { bytes, delay, isEnd } = this.#pieces[0]
    const pace = Math.min(rate, this.cap)
    const size = pace === Number.POSITIVE_INFINITY ? bytes.byteLength : Math.min(quantum, bytes.byteLength)
    const isLast = isEnd && size === bytes.byteLength
    this.#fly(this.#cut(size), start + size / pace + delay, isLast)
    // The cap allows catching up for a turn that the line gave late, but for one only.
    const spacing = size / this.cap
    this.#ready = Math.max(this.#ready, start - spacing) + spacing
    return size
  }

  /** Delivers the bytes that are due. */
  land(now: Milliseconds): void {
    if (this.#nextDue > now) return
    const count = this.#flights.findIndex(({ due }) => due > now)
    const landing = count < 0 ? this.#flights : this.#flights.slice(0, count)
    this.#flights = count < 0 ? [] : this.#flights.slice(count)
    if (this.#flying >= maxInFlight) this.#ready = Math.max(this.#ready, now)
    this.#flying -= landing.reduce((sum, { bytes }) => sum + bytes.byteLength, 0)
    this.#deliver(landing)
  }

  /** Forgets all bytes. */
  clear(): void {
    this.#pieces.length = 0
    this.#flights = []
    this.#waiting = 0
    this.#flying = 0
  }

  /** When the next bytes are due. */
  get #nextDue(): Milliseconds {
    return this.#flights.length === 0 || this.#isHeld ? Number.POSITIVE_INFINITY : this.#flights[0].due
  }

  /** The number of bytes that wait up to the first end; MAX_SAFE_INTEGER when no end waits. */
  #untilEnd(): number {
    let size = 0
    for (const { bytes, isEnd } of this.#pieces) {
      size += bytes.byteLength
      if (isEnd) return size
    }
    return Number.MAX_SAFE_INTEGER
  }

  /** Removes bytes from the front of the first piece. */
  #cut(size: number): Uint8ArrayList {
    const [{ bytes }] = this.#pieces
    this.#waiting -= size
    if (size === bytes.byteLength) {
      this.#pieces.shift()
      return bytes
    }
    const front = bytes.sublist(0, size)
    bytes.consume(size)
    return front
  }

  /** Puts bytes in flight; they never arrive before earlier ones. */
  #fly(bytes: Uint8ArrayList, due: Milliseconds, isEnd: boolean): void {
    this.#lastDue = Math.max(this.#lastDue, due)
    this.#flights.push({ bytes, due: this.#lastDue, isEnd })
    this.#flying += bytes.byteLength
  }
}
