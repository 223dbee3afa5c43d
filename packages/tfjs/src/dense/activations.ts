import { exp, expm1, expOfNegative } from '@murmuration/core'

/** An elementwise activation f, whose derivative follows from its value. */
export interface Activation {
  /** Numbers are clamped to these bounds. */
  readonly bounds: readonly [number, number]
  /** A further elementwise function, in place. */
  readonly apply?: (values: Float32Array) => void
  /** Multiplies each number of `deltas` by f′, given the value of f at the same index in `values`. */
  readonly derive?: (values: Float32Array, deltas: Float32Array) => void
}

const unbounded: Activation['bounds'] = [-Infinity, Infinity]

/** By their names in TensorFlow.js. The loops are separate so that each is compiled on its own. */
export const activations = {
  linear: { bounds: unbounded },
  relu: {
    bounds: [0, Infinity],
    derive: (values, deltas) => {
      for (let k = 0; k < values.length; k++) deltas[k] = values[k] > 0 ? deltas[k] : 0 * deltas[k]
    }
  },
  sigmoid: {
    bounds: unbounded,
    apply: (values) => {
      for (let k = 0; k < values.length; k++) values[k] = 1 / (1 + exp(-values[k]))
    },
    derive: (values, deltas) => {
      for (let k = 0; k < values.length; k++) deltas[k] *= values[k] * (1 - values[k])
    }
  },
  tanh: {
    bounds: unbounded,
    apply: (values) => {
      for (let k = 0; k < values.length; k++) values[k] = tanh(values[k])
    },
    derive: (values, deltas) => {
      for (let k = 0; k < values.length; k++) deltas[k] *= 1 - values[k] * values[k]
    }
  },
  elu: {
    bounds: unbounded,
    apply: (values) => {
      for (let k = 0; k < values.length; k++) if (values[k] < 0) values[k] = expm1(values[k])
    },
    derive: (values, deltas) => {
      for (let k = 0; k < values.length; k++) if (values[k] < 0) deltas[k] *= values[k] + 1
    }
  }
} as const satisfies Readonly<Record<string, Activation>>

/** The name of an activation of {@link activations}. */
export type ActivationName = keyof typeof activations

export const activationNames = Object.keys(activations) as readonly ActivationName[]

/** tanh(x) to 45 bits, in half of the time of the exact one: values are rounded to float32. */
function tanh(x: number): number {
  const square = x * x
  if (square < 1 / 256) return x - x * square * (1 / 3 - square * (2 / 15 - square * (17 / 315 - square * (62 / 2835))))
  const power = expOfNegative(-2 * Math.abs(x))
  const value = (1 - power) / (1 + power)
  return x < 0 ? -value : value
}
