import { invariant, type Schema } from '@murmuration/core'
import { offsetsOf, sizeOf } from '@murmuration/vectors'
import type { Range, Vector } from './vector.js'

/** A range of the parameters that gradients do not move. */
export interface Untrained extends Range {
  /** `m`: a step gives `m · base + (1 − m) · b` with the batch's value `b`. 1 for frozen parameters. */
  readonly momentum: number
}

/**
 * The ranges that are frozen or hold statistics, in order; adjacent ones with the same momentum are one. None where
 * everything is trained.
 */
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

/** An optimiser's step on the parameters from index `first` on; `isMain` for the run's optimiser. */
interface Step {
  readonly base: Vector
  readonly gradient: Vector
  readonly first: number
  readonly isMain: boolean
}

/**
 * Overwrites an optimiser's result where parameters are not trained. There a gradient holds the batch's value b: a
 * statistic becomes `base + (1 − m) (b − at)`, with `at` its value where the gradient was taken. An optimiser other
 * than the run's is given a displacement, which is subtracted as it is.
 */
export function keepUntrained(out: Float32Array, untrained: readonly Untrained[], step: Step): void {
  const { first, isMain } = step
  const base = step.base.values
  const g = step.gradient.values
  const at = step.gradient.at?.values ?? step.base.values
  for (const { offset, length, momentum } of untrained) {
    const end = Math.min(out.length, offset + length - first)
    for (let i = Math.max(0, offset - first); i < end; i++) {
      if (momentum === 1) out[i] = base[i]
      else out[i] = isMain ? base[i] + (1 - momentum) * (g[i] - at[i]) : base[i] - g[i]
    }
  }
}

/**
 * Copies the moving statistics of `from` into `to`, which must be new, and returns it. Both begin at index `first` of
 * the parameters.
 */
export function withStatistics(to: Vector, from: Vector, untrained: readonly Untrained[], first = 0): Vector {
  const statistics = untrained.filter(({ momentum }) => momentum !== 1)
  if (statistics.length === 0) return to
  to.whenDone((numbers) => {
    for (const { offset, length } of statistics) {
      const start = Math.max(offset - first, 0)
      const end = Math.min(offset + length - first, numbers.length)
      if (start < end) numbers.set(from.values.subarray(start, end), start)
    }
  })
  return to
}

/**
 * Numbers of the parameters, with 0 in place of those that are not trained.
 *
 * @param first - the index of the first one among all parameters
 */
export function trainedOf(numbers: Float32Array, untrained: readonly Untrained[], first: number): Float32Array {
  if (untrained.length === 0) return numbers
  const trained = numbers.slice()
  for (const { offset, length } of untrained)
    trained.fill(0, Math.max(0, offset - first), Math.max(0, offset + length - first))
  return trained
}

function append(ranges: Untrained[], { offset, length, momentum }: Untrained): void {
  const last = ranges.at(-1)
  if (last?.momentum !== momentum || last.offset + last.length !== offset) ranges.push({ offset, length, momentum })
  else ranges[ranges.length - 1] = { offset: last.offset, length: last.length + length, momentum }
}
