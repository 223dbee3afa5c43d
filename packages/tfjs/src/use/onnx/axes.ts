/** Weights in ONNX's layout. */
import type { NamedTensor } from '@murmuration/vectors'

/** The tensor with its axes in another order: axis `k` of the result is axis `order[k]` of the given one. */
export function axesMoved(
  { shape, values }: Pick<NamedTensor, 'shape' | 'values'>,
  order: readonly number[]
): Pick<NamedTensor, 'shape' | 'values'> {
  const strides = shape.map((_, axis) => shape.slice(axis + 1).reduce((product, extent) => product * extent, 1))
  const moved = order.map((axis) => shape[axis])
  const place = new Array<number>(order.length).fill(0)
  const result = new Float32Array(values.length)
  for (let index = 0; index < result.length; index++) {
    result[index] = values[order.reduce((sum, axis, k) => sum + strides[axis] * place[k], 0)]
    for (let k = order.length - 1; k >= 0 && ++place[k] === moved[k]; k--) place[k] = 0
  }
  return { shape: moved, values: result }
}

/** The effect of a batch normalisation in use, per channel. Weights that a layer lacks are 1 or 0. */
export function scaleAndShift(
  weights: readonly NamedTensor[],
  epsilon: number
): { readonly factor: Float32Array; readonly summand: Float32Array } {
  const values = (own: string) => weights.find(({ name }) => name.endsWith(`/${own}`))?.values
  const [gamma, beta, mean, variance] = ['gamma', 'beta', 'moving_mean', 'moving_variance'].map(values)
  const length = weights[0].values.length
  const factor = Float32Array.from({ length }, (_, c) => (gamma?.[c] ?? 1) / Math.sqrt((variance?.[c] ?? 1) + epsilon))
  const summand = factor.map((each, c) => (beta?.[c] ?? 0) - (mean?.[c] ?? 0) * each)
  return { factor, summand }
}
