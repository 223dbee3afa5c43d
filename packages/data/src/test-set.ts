import { InputError } from '@murmuration/core'
import type { Source } from './source.js'

/**
 * Training samples that are seen to fit the test set that all peers have in common. The test set says how many classes there are, so
 * that peers whose own data show other classes agree on the model.
 *
 * Throws an {@link InputError} that says what does not fit.
 */
export function fittedTo(test: Source, train: Source): Source {
  if (String(train.inputShape) !== String(test.inputShape)) {
    throw new InputError(
      `the samples have inputs of shape [${train.inputShape}], those of the test set [${test.inputShape}]`
    )
  }
  if (String(train.targetShape) !== String(test.targetShape)) {
    throw new InputError(
      `the samples have targets of shape [${train.targetShape}], those of the test set [${test.targetShape}]`
    )
  }
  const { classes } = test
  if (classes === undefined) return { ...train, classes }
  const unknown = train.targets.find((target) => !(target < classes))
  if (train.classes !== undefined && unknown === undefined) return { ...train, classes }
  throw new InputError(
    unknown === undefined
      ? 'the test set has classes, and the samples have none'
      : `a sample is of class ${unknown}, and the test set has the classes 0 to ${classes - 1} only: it must show all that there are`
  )
}
