import { sizeOf } from '@murmuration/vectors'
import type { Samples } from './samples.js'

/** Samples whose inputs can be read one by one, so that a peer reads only its own. */
export interface Source extends Omit<Samples, 'inputs'> {
  /** Whether the samples are in sequence, as the windows of a text are: then the last are held back for testing instead of random ones. */
  readonly isSequence?: boolean
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
  const { inputShape, targetShape, targets, classes, classNames, preprocessing } = source
  const [inputSize, targetSize] = [sizeOf(inputShape), sizeOf(targetShape)]
  const taken = {
    count: indices.length,
    inputShape,
    inputs: new Float32Array(indices.length * inputSize),
    targetShape,
    targets: new Float32Array(indices.length * targetSize),
    classes,
    ...(classNames === undefined ? {} : { classNames }),
    ...(preprocessing === undefined ? {} : { preprocessing })
  }
  for (const [row, index] of indices.entries()) {
    source.read(index, taken.inputs.subarray(row * inputSize, (row + 1) * inputSize))
    taken.targets.set(targets.subarray(index * targetSize, (index + 1) * targetSize), row * targetSize)
  }
  return taken
}
