import { InputError } from '@murmuration/core'
import type { Samples } from '@murmuration/data'
import { sizeOf } from '@murmuration/vectors'
import type { UserSamples } from './user-module.js'

/**
 * A module's own samples, checked. Throws an {@link InputError} for samples that do not fit their shapes or classes.
 */
export function checkedSamples(loaded: UserSamples | undefined): Samples {
  const { inputs, inputShape, targets, targetShape = [], classes } = typed(loaded)
  const count = inputs.length / sizeOf(inputShape)
  if (!Number.isInteger(count)) {
    throw new InputError(
      `loadSamples gives ${inputs.length} input values, expected a multiple of the samples' shape [${inputShape}]`
    )
  }
  if (targets.length !== count * sizeOf(targetShape)) {
    throw new InputError(
      `loadSamples gives ${targets.length} target values for ${count} samples of shape [${targetShape}]`
    )
  }
  const isClass = (target: number) => Number.isInteger(target) && target >= 0 && target < (classes ?? 0)
  if (classes !== undefined && !targets.every(isClass)) {
    throw new InputError(`loadSamples gives targets that are not class numbers from 0 to ${classes - 1}`)
  }
  return { count, inputs, inputShape, targets, targetShape, classes }
}

/** The module may be plain JavaScript, without type checks. */
function typed(loaded: UserSamples | undefined): UserSamples {
  const arrays = loaded?.inputs instanceof Float32Array && loaded.targets instanceof Float32Array
  if (loaded !== undefined && arrays && Array.isArray(loaded.inputShape)) return loaded
  throw new InputError(
    'loadSamples does not return { inputs, inputShape, targets } with inputs and targets as Float32Array'
  )
}
