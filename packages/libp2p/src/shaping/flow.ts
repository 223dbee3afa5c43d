import type { Milliseconds } from '@murmuration/core'
import type { Uint8ArrayList } from 'uint8arraylist'

/** Bytes that were handed over at once and wait for the line. */
interface Piece {
  readonly bytes: Uint8ArrayList
  /** When they were handed over. */
  readonly since: Milliseconds
  /** How long they fly after the line. */
  readonly delay: Milliseconds
  /** Whether they end what was handed over at once. */
  readonly isEnd: boolean
}

/** Bytes that have passed the line. */
export interface Flight {
  readonly bytes: Uint8ArrayList
  /** When they arrive. */
  readonly due: Milliseconds
  /** Whether they end what was handed over at once. */
  readonly isEnd: boolean
}

/** The most bytes of a flow that fly at once: 10 Gbit/s over 13 ms, or 1 Gbit/s over 130 ms. */
const maxInFlight = 16 << 20

/**
 * How late bytes in the middle of what was handed over at once may be looked at, so that there is less to do: for nobody can
 * begin with a part. What is late here is not late for the receiver's line, thanks to the stamps.
 */
const coarse: Milliseconds = 4

/**
 * The bytes that go one way through a {@link Line}: first they wait for their turns on it, then they fly, then they are
 * delivered, in order. Knows no clock: the time is handed in.
 */
export class Flow {
  /** Bytes per millisecond that this flow never exceeds, whatever the line has to give. */
  cap = Number.POSITIVE_INFINITY
  readonly #deliver: (flights: readonly Flight[]) => void
  readonly #pieces: Piece[] = []
  #flights: Flight[] = []
  #waiting = 0
  #flying = 0
  /** When the cap lets the next bytes begin. */
  #ready: Milliseconds = 0
  #lastDue: Milliseconds = 0
  #isHeld = false

  /** @param deliver - takes what has arrived; it may hold the flow, and offer more bytes */
  constructor(deliver: (flights: readonly Flight[]) => void) {
    this.#deliver = deliver
  }

  /** Bytes that wait for the line. */
  get waiting(): number {
    return this.#waiting
  }

  /** Bytes in here, waiting or flying. */
  get load(): number {
    return this.#waiting + this.#flying
  }

  /**
   * Takes bytes, which must not change afterwards. They fly for `delay` once they have passed the line.
   *
   * @param isEnd - whether they end what was handed over at once
   */
  offer(bytes: Uint8ArrayList, since: Milliseconds, delay: Milliseconds = 0, isEnd = true): void {
    this.#pieces.push({ bytes, since, delay, isEnd })
    this.#waiting += bytes.byteLength
  }

  /** Delivers nothing more, and takes no turns, until it is let go. */
  hold(): void {
    this.#isHeld = true
  }

  letGo(now: Milliseconds): void {
    if (this.#isHeld) this.#ready = Math.max(this.#ready, now)
    this.#isHeld = false
  }

  /** When its next turn may begin, as far as it is concerned; Infinity while there is nothing that may go. */
  get nextTurn(): Milliseconds {
    if (this.#pieces.length === 0 || this.#isHeld || this.#flying >= maxInFlight) return Number.POSITIVE_INFINITY
    return Math.max(this.#pieces[0].since, this.#ready)
  }

  /**
   * When there is something to do; Infinity while there is nothing.
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
   * Puts up to `quantum` bytes on the line at the time `start`. Returns how many.
   *
   * @param rate - of the line, in bytes per millisecond
   */
  pass(start: Milliseconds, rate: number, quantum: number): number {
    const { bytes, delay, isEnd } = this.#pieces[0]
    const pace = Math.min(rate, this.cap)
    const size = pace === Number.POSITIVE_INFINITY ? bytes.byteLength : Math.min(quantum, bytes.byteLength)
    const isLast = isEnd && size === bytes.byteLength
    this.#fly(this.#cut(size), start + size / pace + delay, isLast)
    // A turn that the line gave late is made up for, but only one.
    const spacing = size / this.cap
    this.#ready = Math.max(this.#ready, start - spacing) + spacing
    return size
  }

  /** Delivers what is due. */
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

  /** When the next bytes are to be delivered. */
  get #nextDue(): Milliseconds {
    return this.#flights.length === 0 || this.#isHeld ? Number.POSITIVE_INFINITY : this.#flights[0].due
  }

  /** How many bytes wait up to the first end; very many when that has not come yet. */
  #untilEnd(): number {
    let size = 0
    for (const { bytes, isEnd } of this.#pieces) {
      size += bytes.byteLength
      if (isEnd) return size
    }
    return Number.MAX_SAFE_INTEGER
  }

  /** Takes bytes off the front of the first piece. */
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

  /** What is sent later does not arrive earlier. */
  #fly(bytes: Uint8ArrayList, due: Milliseconds, isEnd: boolean): void {
    this.#lastDue = Math.max(this.#lastDue, due)
    this.#flights.push({ bytes, due: this.#lastDue, isEnd })
    this.#flying += bytes.byteLength
  }
}
