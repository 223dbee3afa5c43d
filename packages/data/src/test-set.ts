import { InputError } from '@murmuration/core'
import type { Fit } from './samples.js'
import type { Source } from './source.js'

/**
 * Training samples, checked to fit the common test set of all peers. The test set determines the classes, so that peers
 * whose own data show other classes agree on the model.
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
  checkNames(train, test, 'the test set')
  const unknown = train.targets.find((target) => !(target < classes))
  if (train.classes !== undefined && unknown === undefined) return { ...train, classes }
  throw new InputError(
    unknown === undefined
      ? 'the test set has classes, but the samples have none'
      : `a sample has class ${unknown}, but the test set has only the classes 0 to ${classes - 1}: it must contain all classes`
  )
}

/** Throws an {@link InputError} where classes with the same number have different names. */
function checkNames(samples: Classes, other: Classes, whose: string): void {
  const found = namesOf(samples)
  const expected = namesOf(other)
  const wrong = found.findIndex((name, place) => place < expected.length && name !== expected[place])
  if (wrong < 0) return
  throw new InputError(
    `class ${wrong} of the samples is "${found[wrong]}", that of ${whose} "${expected[wrong]}": both must name their classes alike`
  )
}

type Classes = Pick<Source, 'classes' | 'classNames'>

/** The names of classes: their numbers, unless they have names. */
const namesOf = ({ classes = 0, classNames }: Classes) =>
  classNames ?? Array.from({ length: classes }, (_, k) => String(k))

/**
 * A test set for a trained model, with as many classes as the model: it need not contain all. Throws an
 * {@link InputError} that says what does not fit.
 */
export function fittedToModel({ inputShape, classes, classNames }: Fit, test: Source): Source {
  if (String(test.inputShape) !== String(inputShape))
    throw new InputError(`the samples have inputs of shape [${test.inputShape}], the model takes [${inputShape}]`)
  if (classes === undefined || test.classes === undefined) return test
  if (test.classes > classes)
    throw new InputError(
      `a sample has class ${test.classes - 1}, but the model has only the classes 0 to ${classes - 1}`
    )
  checkNames(test, { classes, ...(classNames && { classNames }) }, 'the model')
  return { ...test, classes }
}
