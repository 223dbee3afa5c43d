/** The clock and the event loop of this machine. `machine.browser.ts` has the same for a page. */
import type { Milliseconds } from '@murmuration/core'

/** The offset from the clock of this process to a clock that all processes of the machine share. */
export const sinceBoot: Milliseconds = Number(process.hrtime.bigint()) / 1e6 - performance.now()

/** Calls `callback` once, after the events that wait now. Returns a function that cancels it. */
export function afterTurn(callback: () => void): () => void {
  const immediate = setImmediate(callback)
  return () => clearImmediate(immediate)
}
