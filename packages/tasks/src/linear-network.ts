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
