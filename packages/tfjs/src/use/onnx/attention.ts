/** How the layers of a GPT are written as operators of ONNX. */
import type { NamedTensor } from '@murmuration/vectors'
import { causalMask } from '../../gpt/layers.js'
import type { Converter } from './conversion.js'

const int64 = 7

/** Rows of a table. Numbers of characters are float32, as all inputs are. */
export const embedding: Converter = ({ graph, name, weights: [table] }, [input]) => {
  const numbers = graph.add('Cast', [input], `${name}/numbers`, { to: { int: int64 } })
  return graph.add('Gather', [graph.tensor(table.name, table.shape, table.values), numbers], name, { axis: { int: 0 } })
}

export const positionEmbedding: Converter = ({ graph, name, weights: [places] }, [input]) =>
  graph.add('Add', [input, graph.tensor(places.name, places.shape, places.values)], name)

/** softmax(Q Kᵀ / √d + mask) V by heads, and the product that joins them, as in gpt/layers.ts. */
export const causalAttention: Converter = ({ graph, name, configuration, weights, shape }, [input]) => {
  const [length, width] = shape.slice(1).map(Number)
  const heads = Number(configuration.heads)
  const constant = ({ name: own, shape: extents, values }: NamedTensor) => graph.tensor(own, extents, values)
  const reshaped = (value: string, target: readonly number[], output: string) =>
    graph.add('Reshape', [value, graph.integers(`${output}/shape`, target)], output)
  const ofHeads = (place: number, own: string, perm: readonly number[]) => {
    const product = graph.add('MatMul', [input, constant(weights[place])], `${name}/${own}/product`)
    const split = reshaped(product, [0, length, heads, width / heads], `${name}/${own}/heads`)
    return graph.add('Transpose', [split], `${name}/${own}/turned`, { perm: { ints: perm } })
  }
  const query = ofHeads(0, 'query', [0, 2, 1, 3])
  const key = ofHeads(1, 'key', [0, 2, 3, 1])
  const value = ofHeads(2, 'value', [0, 2, 1, 3])
  const factor = graph.tensor(`${name}/factor`, [1], Float32Array.of(1 / Math.sqrt(width / heads)))
  const scaled = graph.add('Mul', [graph.add('MatMul', [query, key], `${name}/scores`), factor], `${name}/scaled`)
  const mask = graph.tensor(`${name}/mask`, [1, 1, length, length], causalMask(length))
  const weighted = graph.add('Softmax', [graph.add('Add', [scaled, mask], `${name}/masked`)], `${name}/weights`, {
    axis: { int: -1 }
  })
  const mixed = graph.add('MatMul', [weighted, value], `${name}/mixed`)
  const transposed = graph.add('Transpose', [mixed], `${name}/turned`, { perm: { ints: [0, 2, 1, 3] } })
  return graph.add('MatMul', [reshaped(transposed, [0, length, width], `${name}/joined`), constant(weights[3])], name)
}
