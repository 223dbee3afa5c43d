import type { ModelSignature } from '@murmuration/core'
import type { Samples } from './samples.js'

/** Input and output of a model that learns from such samples. */
export function signatureOf({
  inputShape,
  targetShape,
  classes,
  classNames,
  preprocessing = { kind: 'numbers' }
}: Pick<Samples, 'inputShape' | 'targetShape' | 'classes' | 'classNames' | 'preprocessing'>): ModelSignature {
  const named = classNames === undefined ? {} : { classNames }
  return { inputShape, targetShape, ...(classes === undefined ? {} : { classes }), ...named, preprocessing }
}
