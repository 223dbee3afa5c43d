import type { Milliseconds } from '@murmuration/core'
import type { ShapedFlow } from './flow.js'

/** One byte per millisecond, in bits per second. */
export const bytePerMillisecond = 8000

/**
 * The target duration of a turn, within the bounds below: short compared with a message, long compared with the work
 * per turn.
 */
const turn: Milliseconds = 1

/** The least and the most bytes of a turn: the payload of one packet, and enough for the rate of a fast line. */
const minQuantum = 1448
const maxQuantum = 16 << 10

/**
 * How long a busy process may fail to process the line's events, and the bounds of the bytes that the line takes in
 * that time.
 */
const unwatched: Milliseconds = 50
const minReserve = 64 << 10
const maxReserve = 1 << 20

/** How long idle times are kept. */
const memory: Milliseconds = 250

/**
 * A line of a constant rate that several flows share, by turns of a quantum of bytes each. The times of all bytes are
 * computed exactly: a late call of `advance` gives the same result as one in time.
 */
export class ShapedLine {
  /** Bytes per millisecond. */
  readonly #rate: number
  readonly #quantum: number
  /** Flows in the order of their last turns. */
  readonly #flows = new Set<ShapedFlow>()
  /** When the line is free again. */
  #free: Milliseconds = 0
  /** The line's idle times, in order. */
  #gaps: { from: Milliseconds; to: Milliseconds }[] = []

  /** @param bandwidth - bits per second, above 0; Infinity for a line that limits nothing */
  constructor(bandwidth: number) {
    this.#rate = bandwidth / bytePerMillisecond
    this.#quantum = Math.min(maxQuantum, Math.max(minQuantum, Math.ceil(this.#rate * turn)))
  }

  /** How many bytes of the flow should wait, so that the line does not run idle while the process is busy. */
  reserve({ cap }: ShapedFlow): number {
    return Math.min(maxReserve, Math.max(minReserve, Math.min(this.#rate, cap) * unwatched))
  }

  add(flow: ShapedFlow): void {
    this.#flows.add(flow)
  }

  remove(flow: ShapedFlow): void {
    this.#flows.delete(flow)
  }

  /** Processes all events up to `now`. */
  advance(now: Milliseconds): void {
    for (let next = this.#next(); next !== undefined && next.start <= now; next = this.#next()) {
      this.#pass(next.flow, next.start)
    }
    while (this.#gaps.length > 0 && this.#gaps[0].to < now - memory) this.#gaps.shift()
    for (const flow of [...this.#flows]) flow.land(now)
  }

  /**
   * Accounts for bytes that were ready at `since` and are offered only now: the line's idle time after `since` is
   * subtracted from the time that they occupy it.
   */
  makeUp(since: Milliseconds, bytes: number): void {
    let lacking = bytes / this.#rate
    for (const gap of this.#gaps) {
      if (gap.to <= since) continue
      const from = Math.max(gap.from, since)
      const idle = Math.min(lacking, gap.to - from)
      gap.from = from + idle
      lacking -= idle
      this.#free -= idle
    }
  }

  /** The time of the next event; Infinity when there is none. */
  get nextTime(): Milliseconds {
    return Math.min(...[...this.#flows].map((flow) => flow.nextTime(this.#free, this.#rate)))
  }

  #pass(flow: ShapedFlow, start: Milliseconds): void {
    if (start > this.#free) this.#gaps.push({ from: this.#free, to: start })
    this.#free = start + flow.pass(start, this.#rate, this.#quantum) / this.#rate
    this.#flows.delete(flow)
    this.#flows.add(flow)
  }

  /** The flow with the next turn: the one that can begin first; among equals, the one with the oldest last turn. */
  #next(): { readonly flow: ShapedFlow; readonly start: Milliseconds } | undefined {
    let best: { readonly flow: ShapedFlow; readonly start: Milliseconds } | undefined
    for (const flow of this.#flows) {
      const start = Math.max(this.#free, flow.nextTurn)
      if (start < (best?.start ?? Number.POSITIVE_INFINITY)) best = { flow, start }
    }
    return best
  }
}
