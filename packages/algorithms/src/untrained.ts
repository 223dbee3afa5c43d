import { invariant, type Schema } from '@murmuration/core'
import { lengthOf, offsetsOf, sizeOf } from '@murmuration/vectors'
import type { Stretch } from './stretches.js'

/** A range of the parameters that a gradient does not move. */
export interface Untrained extends Stretch {
  /** `m`: a step gives `m · base + (1 − m) · b` with the batch's value `b`. 1 for what is frozen. */
  readonly momentum: number
}

/**
 * The ranges within `stretch`, counted from its beginning, that are frozen or hold statistics, in order; neighbours with the
 * same momentum are one. None where everything is trained.
 */
export function untrainedOf(
  schema: Schema,
  stretch: Stretch = { offset: 0, length: lengthOf(schema) }
): readonly Untrained[] {
  const offsets = offsetsOf(schema)
  const ranges: Untrained[] = []
  for (const [index, { name, shape, kind, momentum }] of schema.entries()) {
    if (kind === undefined) continue
    const kept = kind === 'frozen' ? 1 : momentum
    invariant(kept !== undefined && kept >= 0 && kept <= 1, () => `the momentum of the statistic ${name} is ${kept}`)
    const start = Math.max(0, offsets[index] - stretch.offset)
    const end = Math.min(stretch.length, offsets[index] + sizeOf(shape) - stretch.offset)
    if (start < end) append(ranges, { offset: start, length: end - start, momentum: kept })
  }
  return ranges
}

function append(ranges: Untrained[], { offset, length, momentum }: Untrained): void {
  const last = ranges.at(-1)
  if (last?.momentum !== momentum || last.offset + last.length !== offset) ranges.push({ offset, length, momentum })
  else ranges[ranges.length - 1] = { offset: last.offset, length: last.length + length, momentum }
}

/**
 * Writes what is frozen in `x` over the same places of `out`: codecs and sums may have rounded it on its way through a mean of
 * numbers that are all the same.
 */
export function keepFrozen(out: Float32Array, x: Float32Array, untrained: readonly Untrained[]): void {
  for (const { offset, length, momentum } of untrained) {
    if (momentum === 1) out.set(x.subarray(offset, offset + length), offset)
  }
}

/**
 * `out = base + (1 − m) · (b − at)` from `from` to below `to`, in float64, rounded once. Says whether all of it is finite.
 *
 * @param at - where the statistic was: `base`, or what an increment to it starts from
 * @param values - `b`, what the batch gives
 */
export function moveStatistics(
  out: Float32Array,
  { base, at, values, momentum }: StatisticsStep,
  from: number,
  to: number
): boolean {
  let sum = 0
  for (let i = from; i < to; i++) {
    out[i] = base[i] + (1 - momentum) * (values[i] - at[i])
    sum += out[i]
  }
  return Number.isFinite(sum)
}

/** A step of statistics; see {@link moveStatistics}. */
export interface StatisticsStep {
  readonly base: Float32Array
  readonly at: Float32Array
  readonly values: Float32Array
  readonly momentum: number
}
