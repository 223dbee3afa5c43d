import { availableParallelism, loadavg } from 'node:os'

/**
 * How many times longer than on a quiet machine a test may wait before it gives up. A test that passes never waits that
 * long.
 */
const margin = 3

/** The highest slowdown that is believed: load averages in a container are those of its host. */
const maxSlowdown = 10

/**
 * How many times slower than alone a process runs on this machine now, 1 to 10: the load average of the last minute per
 * core. `MURMURATION_TEST_SLOWDOWN` overrides it (for Windows, which has no load average).
 */
export function slowdown(): number {
  const override = Number(process.env.MURMURATION_TEST_SLOWDOWN)
  return override > 0 ? override : Math.min(maxSlowdown, Math.max(1, loadavg()[0] / availableParallelism()))
}

/**
 * The time that a test waits for something before it fails, in milliseconds. It only keeps a test from hanging forever:
 * what a test asserts must not depend on it.
 *
 * @param milliseconds - ample on a quiet machine
 */
export function timeLimit(milliseconds: number): number {
  return Math.ceil(milliseconds * margin * slowdown())
}
