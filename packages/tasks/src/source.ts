import type { Samples } from './samples.js'

/** Classified samples of which each can be read by itself, so that a peer makes only those of its own share. */
export interface Source {
  readonly inputShape: readonly number[]
  readonly classes: number
  /** The class of every sample, 0 … `classes` − 1. */
  readonly labels: Uint32Array
  /** Writes the input of sample `index` into `out`, which is as long as the shape says. */
  read(index: number, out: Float32Array): void
}

/** The samples that `indices` numbers, in that order. */
export function gather(source: Source, indices: Uint32Array): Samples {
  const size = source.inputShape.reduce((product, extent) => product * extent, 1)
  const inputs = new Float32Array(indices.length * size)
  indices.forEach((index, place) => {
    source.read(index, inputs.subarray(place * size, (place + 1) * size))
  })
  return {
    count: indices.length,
    inputShape: source.inputShape,
    inputs,
    targetShape: [],
    targets: Float32Array.from(indices, (index) => source.labels[index]),
    classes: source.classes
  }
}
