import type { NamedTensor } from '@murmuration/vectors'
import type { Network } from './record.js'

/** The names of a linear task's tensors, and those of the same tensors in a network of one dense layer. */
const names = new Map([
  ['weights', '1/Dense/kernel'],
  ['bias', '1/Dense/bias']
])

/** A linear task as a network of one dense layer. Tensors of other names keep them, for the network to refuse. */
export function linearNetwork(tensors: readonly NamedTensor[]): Network {
  const renamed = tensors.map((tensor) => ({ ...tensor, name: names.get(tensor.name) ?? tensor.name }))
  return { model: { kind: 'mlp', hidden: [] }, tensors: renamed }
}

/**
 * A linear task with one output z for two classes, as the same network: the logits 0 and z have the probabilities
 * 1 − σ(z) and σ(z).
 */
export function twoClassNetwork(tensors: readonly NamedTensor[]): Network {
  return linearNetwork(tensors.map(besideZeros))
}

/** Weights `[inputs]` as `[inputs, 2]`, and the bias `[1]` as `[2]`, with zeros for the first class. */
function besideZeros({ name, shape, values }: NamedTensor): NamedTensor {
  const both = Float32Array.from({ length: 2 * values.length }, (_, k) => (k % 2 === 0 ? 0 : values[k >> 1]))
  return { name, shape: name === 'bias' ? [2] : [...shape, 2], values: both }
}
