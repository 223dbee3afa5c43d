import type { Samples } from '@murmuration/data'
import { sizeOf } from '@murmuration/vectors'
import type { Tensor } from '@tensorflow/tfjs-core'
import { tensorflow as tf } from './tensorflow.js'

/** Inputs and targets of some samples, as tensors; class numbers are int32. */
export interface Batch {
  readonly inputs: Tensor
  readonly targets: Tensor
}

/** Makes tensors of samples, through buffers that are reused. */
export class TensorBatches {
  readonly #samples: Samples
  #inputs: Float32Array = new Float32Array(0)
  #targets: Float32Array = new Float32Array(0)

  constructor(samples: Samples) {
    this.#samples = samples
  }

  /**
   * The samples with the given numbers. The tensors are valid until the next call, and the caller must dispose of them.
   */
  gather(numbers: Uint32Array): Batch {
    const { targets, targetShape } = this.#samples
    this.#inputs = gatherInputs(this.#samples, numbers, this.#inputs)
    this.#targets = gatherRows(targets, sizeOf(targetShape), numbers, this.#targets)
    return this.#batch(numbers.length, this.#inputs, this.#targets)
  }

  /** The samples from `start` up to `end`, without a copy. */
  range(start: number, end: number): Batch {
    const { inputs, targets, inputShape, targetShape } = this.#samples
    const inputSize = sizeOf(inputShape)
    const targetSize = sizeOf(targetShape)
    return this.#batch(
      end - start,
      inputs.subarray(start * inputSize, end * inputSize),
      targets.subarray(start * targetSize, end * targetSize)
    )
  }

  #batch(count: number, inputs: Float32Array, targets: Float32Array): Batch {
    const { inputShape, targetShape, classes } = this.#samples
    const classNumbers = classes === undefined ? targets : Int32Array.from(targets)
    return {
      inputs: tf.tensor(inputs, [count, ...inputShape]),
      targets: tf.tensor(classNumbers, [count, ...targetShape], classes === undefined ? 'float32' : 'int32')
    }
  }
}

/** The inputs of the samples with the given numbers, in `buffer` if its length fits. */
export function gatherInputs(samples: Samples, numbers: Uint32Array, buffer?: Float32Array): Float32Array {
  const size = sizeOf(samples.inputShape)
  if (samples.inputOf === undefined) return gatherRows(samples.inputs, size, numbers, buffer)
  const gathered = bufferFor(numbers.length * size, buffer)
  for (const [index, number] of numbers.entries()) gathered.set(samples.inputOf(number), index * size)
  return gathered
}

/** The rows of `size` numbers each with the given numbers, in `buffer` if its length fits. */
export function gatherRows(
  values: Float32Array,
  size: number,
  numbers: Uint32Array,
  buffer?: Float32Array
): Float32Array {
  const gathered = bufferFor(numbers.length * size, buffer)
  for (const [index, number] of numbers.entries()) {
    gathered.set(values.subarray(number * size, (number + 1) * size), index * size)
  }
  return gathered
}

function bufferFor(length: number, buffer: Float32Array | undefined): Float32Array {
  return buffer?.length === length ? buffer : new Float32Array(length)
}
