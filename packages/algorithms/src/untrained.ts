import { invariant, type Schema } from '@murmuration/core'
import { offsetsOf, sizeOf } from '@murmuration/vectors'
import type { Range } from './node/vector.js'

/** A range of the parameters that a gradient does not move. */
export interface Untrained extends Range {
  /** `m`: a step gives `m · base + (1 − m) · b` with the batch's value `b`. 1 for what is frozen. */
  readonly momentum: number
}

/** The ranges that are frozen or hold statistics, in order; neighbours with the same momentum are one. None where everything is trained. */
export function untrainedOf(schema: Schema): readonly Untrained[] {
  const offsets = offsetsOf(schema)
  const ranges: Untrained[] = []
  for (const [index, { name, shape, kind, momentum }] of schema.entries()) {
    if (kind === undefined) continue
    const kept = kind === 'frozen' ? 1 : momentum
    invariant(kept !== undefined && kept >= 0 && kept <= 1, () => `the momentum of the statistic ${name} is ${kept}`)
    if (sizeOf(shape) > 0) append(ranges, { offset: offsets[index], length: sizeOf(shape), momentum: kept })
  }
  return ranges
}

function append(ranges: Untrained[], { offset, length, momentum }: Untrained): void {
  const last = ranges.at(-1)
  if (last?.momentum !== momentum || last.offset + last.length !== offset) ranges.push({ offset, length, momentum })
  else ranges[ranges.length - 1] = { offset: last.offset, length: last.length + length, momentum }
}
