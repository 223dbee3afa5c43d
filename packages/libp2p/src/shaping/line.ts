import type { Milliseconds } from '@murmuration/core'
import type { Flow } from './flow.js'

/** One byte per millisecond, in bits per second. */
export const bytePerMillisecond = 8000

/** How long a turn is to last, where the bounds below allow: short beside a message, long beside the work that it makes. */
const turn: Milliseconds = 1

/** The least and the most bytes of a turn: what one packet carries, and what takes long enough on a fast line. */
const minQuantum = 1448
const maxQuantum = 16 << 10

/** How long nobody may look at the line because the process is busy, and the least and the most bytes of that. */
const unwatched: Milliseconds = 50
const minReserve = 64 << 10
const maxReserve = 1 << 20

/** How long idle times are remembered. */
const memory: Milliseconds = 250

/**
 * A line of a constant rate that several flows share, by turns of a quantum of bytes each. What is on it and when is exact
 * by arithmetic: whoever looks late finds it as it would be had he looked in time.
 */
export class Line {
  /** Bytes per millisecond. */
  readonly #rate: number
  readonly #quantum: number
  /** In the order of their last turns. */
  readonly #flows = new Set<Flow>()
  /** When what is on the line has passed. */
  #free: Milliseconds = 0
  /** The line's idle times between what has passed, in order. */
  #gaps: { from: Milliseconds; to: Milliseconds }[] = []

  /** @param bandwidth - bits per second, above 0; Infinity for a line that limits nothing */
  constructor(bandwidth: number) {
    this.#rate = bandwidth / bytePerMillisecond
    this.#quantum = Math.min(maxQuantum, Math.max(minQuantum, Math.ceil(this.#rate * turn)))
  }

  /** Bytes of the flow that are kept ready, so that the line does not run dry while nobody looks. */
  reserve({ cap }: Flow): number {
    return Math.min(maxReserve, Math.max(minReserve, Math.min(this.#rate, cap) * unwatched))
  }

  add(flow: Flow): void {
    this.#flows.add(flow)
  }

  remove(flow: Flow): void {
    this.#flows.delete(flow)
  }

  /** Does all that happens up to `now`. */
  advance(now: Milliseconds): void {
    for (let next = this.#next(); next !== undefined && next.start <= now; next = this.#next()) {
      this.#pass(next.flow, next.start)
    }
    while (this.#gaps.length > 0 && this.#gaps[0].to < now - memory) this.#gaps.shift()
    for (const flow of [...this.#flows]) flow.land(now)
  }

  /**
   * Makes up for bytes that are offered later than at `since`, when they were there: what the line was idle from then on
   * comes off the time that it is taken for.
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

  /** When there is something to do again; Infinity while nothing is under way. */
  get nextTime(): Milliseconds {
    return Math.min(...[...this.#flows].map((flow) => flow.nextTime(this.#free, this.#rate)))
  }

  #pass(flow: Flow, start: Milliseconds): void {
    if (start > this.#free) this.#gaps.push({ from: this.#free, to: start })
    this.#free = start + flow.pass(start, this.#rate, this.#quantum) / this.#rate
    this.#flows.delete(flow)
    this.#flows.add(flow)
  }

  /** Whose turn is next: who can begin first, and of those who can at the same time the one whose last turn is longest ago. */
  #next(): { readonly flow: Flow; readonly start: Milliseconds } | undefined {
    let best: { readonly flow: Flow; readonly start: Milliseconds } | undefined
    for (const flow of this.#flows) {
      const start = Math.max(this.#free, flow.nextTurn)
      if (start < (best?.start ?? Number.POSITIVE_INFINITY)) best = { flow, start }
    }
    return best
  }
}
