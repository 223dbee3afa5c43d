import { sizeOf } from '@murmuration/vectors'
import type { Samples } from './samples.js'

/** Samples whose inputs can each be read by itself, so that a peer makes only its own. */
export interface Source extends Omit<Samples, 'inputs'> {
  /** Whether the samples follow each other, as the windows of a text do: then the last are held back, and not drawn ones. */
  readonly isSequence?: boolean
  /** Writes the input of sample `index` into `out`, which is as long as the shape says. */
  read(index: number, out: Float32Array): void
}

/** Samples that are already in memory, to be read one by one. */
export function sourceOf({ inputs, ...rest }: Samples): Source {
  const size = sizeOf(rest.inputShape)
  return { ...rest, read: (index, out) => out.set(inputs.subarray(index * size, (index + 1) * size)) }
}

/** The samples that `indices` numbers, in that order. */
export function gather(source: Source, indices: Uint32Array): Samples {
  const { inputShape, targetShape, targets, classes, classNames, preprocessing } = source
  const [inputSize, targetSize] = [sizeOf(inputShape), sizeOf(targetShape)]
  const gathered = {
    count: indices.length,
    inputShape,
    inputs: new Float32Array(indices.length * inputSize),
    targetShape,
    targets: new Float32Array(indices.length * targetSize),
    classes,
    ...(classNames === undefined ? {} : { classNames }),
    ...(preprocessing === undefined ? {} : { preprocessing })
  }
  for (const [place, index] of indices.entries()) {
    source.read(index, gathered.inputs.subarray(place * inputSize, (place + 1) * inputSize))
    gathered.targets.set(targets.subarray(index * targetSize, (index + 1) * targetSize), place * targetSize)
  }
  return gathered
}
