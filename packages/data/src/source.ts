import { sizeOf } from '@murmuration/vectors'
import type { Samples } from './samples.js'

/** Samples whose inputs can be read one by one, so that a peer reads only its own. */
export interface Source extends Omit<Samples, 'inputs' | 'inputOf'> {
  /** Whether `read` draws what it writes: then inputs that nobody uses are never drawn. */
  readonly isDrawn?: boolean
  /**
   * Whether the samples are in sequence, as the windows of a text are: then the last are held back for testing instead
   * of random ones.
   */
  readonly isSequence?: boolean
  /** Whether inputs beyond those that the files have are 0, as in LIBSVM's text format. */
  readonly isSparse?: boolean
  /** Writes the input of sample `index` into `out`, whose length the shape gives. */
  read(index: number, out: Float32Array): void
}

/** Samples in memory as a source. */
export function sourceOf({ inputs, ...rest }: Samples): Source {
  const size = sizeOf(rest.inputShape)
  return { ...rest, read: (index, out) => out.set(inputs.subarray(index * size, (index + 1) * size)) }
}

/** The samples with the numbers `indices`, in that order. */
export function take(source: Source, indices: Uint32Array): Samples {
  const { inputShape, targetShape, targets, classes, classNames, preprocessing, remark, unscaled } = source
  const targetSize = sizeOf(targetShape)
  const taken = new Float32Array(indices.length * targetSize)
  // Without a view for each sample, which takes longer than the copy.
  for (let row = 0; row < indices.length; row++)
    for (let k = 0; k < targetSize; k++) taken[row * targetSize + k] = targets[indices[row] * targetSize + k]
  const facts = {
    count: indices.length,
    inputShape,
    targetShape,
    targets: taken,
    classes,
    ...(classNames === undefined ? {} : { classNames }),
    ...(preprocessing === undefined ? {} : { preprocessing }),
    ...(remark === undefined ? {} : { remark }),
    ...(unscaled === undefined ? {} : { unscaled })
  }
  return withInputs(facts, source, indices)
}

/** Adds the inputs, which are read now, or drawn when they are first used. */
function withInputs(facts: Omit<Samples, 'inputs'>, { isDrawn, read }: Source, indices: Uint32Array): Samples {
  const size = sizeOf(facts.inputShape)
  const inputs = new Float32Array(indices.length * size)
  const isRead = new Uint8Array(indices.length)
  let unread = indices.length
  const inputOf = (row: number) => {
    const input = inputs.subarray(row * size, (row + 1) * size)
    if (isRead[row] === 0) {
      read(indices[row], input)
      isRead[row] = 1
      unread--
    }
    return input
  }
  const all = () => {
    for (let row = 0; unread > 0; row++) inputOf(row)
    return inputs
  }
  if (!isDrawn) return { ...facts, inputs: all() }
  return {
    ...facts,
    inputOf,
    get inputs() {
      return all()
    }
  }
}
