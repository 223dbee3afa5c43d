import type { Source } from './source.js'

/**
 * A sparse test set with as many inputs as the training samples, if they have more: a file of LIBSVM's format is as
 * wide as its highest index, which a small test set may lack. The source itself where that does not apply.
 */
export function widenedTo(train: Pick<Source, 'inputShape'>, test: Source): Source {
  const [width, ...others] = test.inputShape
  const isWider = train.inputShape.length === 1 && train.inputShape[0] > width
  if (test.isSparse !== true || others.length > 0 || !isWider) return test
  return {
    ...test,
    inputShape: train.inputShape,
    read: (index, out) => {
      out.fill(0, width)
      test.read(index, out)
    }
  }
}
