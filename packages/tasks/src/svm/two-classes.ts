import { InputError } from '@murmuration/core'
import type { LocalData, Samples } from '@murmuration/data'

/**
 * The same data with the classes 0 and 1 in place of the two that occur, whose names they keep. Throws an
 * {@link InputError} where other than two occur.
 */
export function withTwoClasses(localData: LocalData): LocalData {
  const { train, test } = localData
  if (train.classes === undefined)
    throw new InputError('the data has no classes, and a support vector machine needs two; to learn numbers, use mlp')
  const found = [...new Set([...train.targets, ...test.targets])].sort((a, b) => a - b)
  if (found.length !== 2)
    throw new InputError(
      `the data has ${found.length} ${found.length === 1 ? 'class' : 'classes'}, expected two: a kernel is for two classes; leave out kernel to learn more, one against the rest`
    )
  const named = (samples: Samples): Samples => ({
    ...samples,
    classes: 2,
    classNames: found.map((each) => samples.classNames?.[each] ?? String(each)),
    targets: samples.targets.map((target) => (target === found[1] ? 1 : 0))
  })
  return { ...localData, train: named(train), test: named(test) }
}
