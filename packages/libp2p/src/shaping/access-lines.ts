import type { Milliseconds } from '@murmuration/core'
import type { TimerClock } from '../base/clock.js'
import type { ShapedFlow } from './flow.js'
import { ShapedLine } from './line.js'

/** A connection that uses the lines of a peer. */
export interface LineUser {
  /** The bytes that it sends. */
  readonly out: ShapedFlow
  /** The bytes that it receives. */
  readonly in: ShapedFlow
  /** Called when bytes may have advanced. */
  settle(): void
}

/** The two lines of a peer in real time, with a timer for the next event on them. */
export class AccessLines {
  readonly up: ShapedLine
  readonly down: ShapedLine
  readonly #clock: TimerClock
  readonly #users = new Set<LineUser>()
  #cancelTimer: () => void = () => {}
  #isRunning = false
  /** Whether bytes were offered while others were being advanced. */
  #isStale = false

  /** @param bandwidth - of each line, in bits per second */
  constructor(bandwidth: { readonly up: number; readonly down: number }, clock: TimerClock) {
    this.up = new ShapedLine(bandwidth.up)
    this.down = new ShapedLine(bandwidth.down)
    this.#clock = clock
  }

  now(): Milliseconds {
    return this.#clock.now()
  }

  join(user: LineUser): void {
    this.#users.add(user)
    this.up.add(user.out)
    this.down.add(user.in)
  }

  leave(user: LineUser): void {
    this.#users.delete(user)
    this.up.remove(user.out)
    this.down.remove(user.in)
  }

  /** Processes all events that are due. To be called after a flow was offered bytes, or was let go. */
  run(): void {
    this.#isStale = true
    if (this.#isRunning) return
    this.#isRunning = true
    try {
      while (this.#isStale) this.#move()
    } finally {
      this.#isRunning = false
    }
    this.#cancelTimer()
    this.#cancelTimer = this.#clock.at(Math.min(this.up.nextTime, this.down.nextTime), () => this.run())
  }

  #move(): void {
    this.#isStale = false
    const now = this.#clock.now()
    this.up.advance(now)
    this.down.advance(now)
    for (const user of [...this.#users]) user.settle()
  }
}
