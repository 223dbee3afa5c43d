import type { Milliseconds } from '@murmuration/core'

/** A time that was computed for a vector of so many bytes. */
export interface TimeAt {
  readonly bytes: number
  readonly time: Milliseconds
}

/** The times of a collective for vectors of several lengths, the shortest first; between them it grows linearly. */
export type PredictedTime = readonly TimeAt[]

/** The predicted time of a collective for a vector of so many bytes. Beyond the ends the outermost slope goes on. */
export function millisecondsFor(times: PredictedTime, bytes: number): Milliseconds {
  if (times.length < 2) return times[0]?.time ?? 0
  const longer = times.findIndex((each) => each.bytes >= bytes)
  const to = longer === -1 ? times.length - 1 : Math.max(1, longer)
  const [low, high] = [times[to - 1], times[to]]
  return Math.max(0, low.time + ((high.time - low.time) * (bytes - low.bytes)) / (high.bytes - low.bytes))
}
