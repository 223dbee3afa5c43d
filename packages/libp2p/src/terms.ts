import type { RefusalCode, Schema } from '@murmuration/core'
import { differenceOf } from '@murmuration/vectors'

/** What two peers must agree on before they exchange anything. */
export interface Terms {
  /** The name of the training run, so that two runs on one network do not mix. */
  readonly run: string
  /** The algorithm and those of its options that all must share, as text. */
  readonly algorithm: string
  /** The tensors of the model, in order. Every vector on the link has as many elements as they have together. */
  readonly schema: Schema
  /** A hash of the parameters that the peers start from. */
  readonly start: string
}

/** Why two peers cannot exchange. */
export interface Mismatch {
  readonly code: RefusalCode
  /** A sentence that speaks of "here" and "there". */
  readonly why: string
}

/** Where the terms part, seen from `ours`; `undefined` when they agree. */
export function mismatchOf(ours: Terms, theirs: Terms): Mismatch | undefined {
  if (ours.run !== theirs.run) return { code: 'run', why: `the run is ${both(ours.run, theirs.run)}` }
  if (ours.algorithm !== theirs.algorithm) {
    return { code: 'algorithm', why: `the algorithm is ${both(ours.algorithm, theirs.algorithm)}` }
  }
  const difference = differenceOf(ours.schema, theirs.schema)
  if (difference !== undefined) return { code: 'schema', why: difference }
  if (ours.start === theirs.start) return undefined
  const why = `the start parameters have the hash ${both(ours.start, theirs.start)}; do the seeds differ?`
  return { code: 'start', why }
}

function both(ours: string, theirs: string): string {
  return `${JSON.stringify(ours)} here and ${JSON.stringify(theirs)} there`
}
