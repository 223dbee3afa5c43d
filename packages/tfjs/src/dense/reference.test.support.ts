import type { Samples } from '@murmuration/data'
import type { DenseLayer } from './layers.js'

type Rows = readonly (readonly number[])[]

/** f and, from its value y, f′. */
const functions: Readonly<Record<string, readonly [(x: number) => number, (y: number) => number]>> = {
  linear: [(x) => x, () => 1],
  relu: [(x) => Math.max(x, 0), (y) => Math.sign(y)],
  sigmoid: [(x) => 1 / (1 + Math.exp(-x)), (y) => y * (1 - y)],
  tanh: [Math.tanh, (y) => 1 - y ** 2],
  elu: [(x) => (x < 0 ? Math.expm1(x) : x), (y) => (y < 0 ? y + 1 : 1)],
  softmax: [(x) => x, () => 1]
}

/**
 * Loss and gradient of a stack of dense layers, all in float64, with nested arrays. `kink`: how near the input of a
 * relu is to 0, where its slope jumps and rounding decides.
 */
export function floatReference(
  { layers, classes }: { readonly layers: readonly DenseLayer[]; readonly classes: number | undefined },
  parameters: Float32Array,
  { inputs, targets }: Samples,
  batch: Uint32Array
): { readonly loss: number; readonly gradient: readonly number[]; readonly kink: number } {
  const first = layers[0].inputs
  const last = layers[layers.length - 1].units
  const rowsOf = (values: Float32Array, size: number) =>
    Array.from(batch, (n) => Array.from(values.subarray(n * size, (n + 1) * size)))
  const values: Rows[] = [rowsOf(inputs, first)]
  let end = 0
  let kink = Number.POSITIVE_INFINITY
  const weights = layers.map(({ inputs, units, hasBias, activation }) => {
    const kernel = end
    const bias = end + inputs * units
    end = bias + (hasBias ? units : 0)
    const sum = (x: readonly number[], unit: number) =>
      x.reduce(
        (total, value, k) => total + value * parameters[kernel + k * units + unit],
        hasBias ? parameters[bias + unit] : 0
      )
    const x = values[values.length - 1]
    const sums = x.map((row) => Array.from({ length: units }, (_, unit) => sum(row, unit)))
    if (activation === 'relu') kink = Math.min(kink, ...sums.flat().map(Math.abs))
    values.push(sums.map((row) => row.map(functions[activation][0])))
    return (k: number, unit: number) => parameters[kernel + k * units + unit]
  })
  const isSoftmax = layers[layers.length - 1].activation === 'softmax'
  const outputs = values[values.length - 1]
  const { loss, slopes } =
    classes === undefined
      ? squared(outputs, rowsOf(targets, last))
      : entropy(outputs, rowsOf(targets, 1).flat(), isSoftmax ? Math.fround(1e-7) : 0)
  let deltas: Rows = slopes
  const gradient: number[] = []
  for (let index = layers.length - 1; index >= 0; index--) {
    const { inputs, units, hasBias, activation } = layers[index]
    deltas = deltas.map((row, r) => row.map((d, unit) => d * functions[activation][1](values[index + 1][r][unit])))
    const own = deltas
    const total = (of: (row: number) => number) => own.reduce((sum, _, row) => sum + of(row), 0)
    const kernel = Array.from({ length: inputs * units }, (_, place) =>
      total((row) => values[index][row][Math.floor(place / units)] * own[row][place % units])
    )
    const bias = Array.from({ length: hasBias ? units : 0 }, (_, unit) => total((row) => own[row][unit]))
    gradient.unshift(...kernel, ...bias)
    deltas = own.map((row) =>
      Array.from({ length: inputs }, (_, k) => row.reduce((sum, d, unit) => sum + d * weights[index](k, unit), 0))
    )
  }
  return { loss, gradient, kink }
}

function squared(outputs: Rows, targets: Rows) {
  const count = outputs.length * outputs[0].length
  const errors = outputs.map((row, r) => row.map((value, c) => value - targets[r][c]))
  return {
    loss: errors.flat().reduce((sum, error) => sum + error ** 2, 0) / count,
    slopes: errors.map((row) => row.map((error) => (2 * error) / count))
  }
}

function entropy(outputs: Rows, targets: readonly number[], least: number) {
  const probabilities = outputs.map((row) => {
    const powers = row.map((value) => Math.exp(value - Math.max(...row)))
    return powers.map((power) => power / powers.reduce((sum, each) => sum + each, 0))
  })
  const right = probabilities.map((row, r) => row[targets[r]])
  return {
    loss: right.reduce((sum, p) => sum - Math.log(Math.max(p, least)), 0) / outputs.length,
    slopes: probabilities.map((row, r) =>
      row.map((p, c) => (right[r] < least ? 0 : (p - (c === targets[r] ? 1 : 0)) / outputs.length))
    )
  }
}
