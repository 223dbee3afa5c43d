import type { Milliseconds } from '@murmuration/core'

/** A time that grows with the bytes of a vector: `latency` + `perByte` · bytes. */
export interface LinearTime {
  readonly latency: Milliseconds
  readonly perByte: Milliseconds
}

/** The steps of a collective, one after the other. In each the slowest of its parts counts. */
export type PredictedTime = readonly (readonly LinearTime[])[]

/** The predicted time of a collective for a vector of so many bytes. */
export function millisecondsFor(time: PredictedTime, bytes: number): Milliseconds {
  let sum = 0
  for (const parts of time) sum += Math.max(...parts.map(({ latency, perByte }) => latency + perByte * bytes))
  return sum
}
