import { sinceBoot } from '#platform/base/machine.js'
import { InputError, type Milliseconds } from '@murmuration/core'

export { afterTurn, onWaking } from '#platform/base/machine.js'

/** A clock with timers. */
export interface TimerClock {
  now(): Milliseconds
  /** Calls `callback` once, when the clock shows `until` or somewhat later. Returns a function that cancels it. */
  at(until: Milliseconds, callback: () => void): () => void
}

/** A timer of the system. */
export type SystemTimer = ReturnType<typeof setTimeout>

/** Lets the process end before the timer fires. In a page, timers are numbers and keep nothing alive. */
export function unref(timer: SystemTimer): void {
  const { unref: release }: Partial<SystemTimer> = timer
  release?.call(timer)
}

/** The longest delay of Node's timers, in milliseconds: with a longer one they fire at once. */
const longestTimer = 2 ** 31 - 1

/** The monotonic clock of this process. */
export const realClock: TimerClock = {
  now: () => performance.now(),
  at(until, callback) {
    if (until === Number.POSITIVE_INFINITY) return () => {}
    const left = () => Math.min(Math.max(0, Math.ceil(until - performance.now())), longestTimer)
    // Node's timers may fire a fraction of a millisecond early, so check the clock again.
    const check = () => {
      if (performance.now() >= until) callback()
      else timer = setTimeout(check, left())
    }
    let timer = setTimeout(check, left())
    return () => clearTimeout(timer)
  }
}

/** A monotonic clock that shows the same in all processes of this machine. Throws an InputError in a page. */
export function machineClock(): TimerClock {
  if (sinceBoot === undefined) {
    throw new InputError('a page has no clock in common with other peers, so it cannot shape links; leave `links` out')
  }
  const offset = sinceBoot
  return {
    now: () => realClock.now() + offset,
    at: (until, callback) => realClock.at(until - offset, callback)
  }
}
