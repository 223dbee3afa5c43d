/** An activation f that is applied number by number, and whose derivative follows from its value. */
export interface Activation {
  /** Numbers outside of these bounds are put there. */
  readonly bounds: readonly [number, number]
  /** What else is done to each number, in place. */
  readonly apply?: (values: Float32Array) => void
  /** Multiplies each number of `deltas` by f′ where f has the value of the same number of `values`. */
  readonly derive?: (values: Float32Array, deltas: Float32Array) => void
}

const unbounded: Activation['bounds'] = [-Infinity, Infinity]

/** By the names that TensorFlow.js gives them. The loops are apart so that each is compiled for itself. */
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
      for (let k = 0; k < values.length; k++) values[k] = 1 / (1 + Math.exp(-values[k]))
    },
    derive: (values, deltas) => {
      for (let k = 0; k < values.length; k++) deltas[k] *= values[k] * (1 - values[k])
    }
  },
  tanh: {
    bounds: unbounded,
    apply: (values) => {
      for (let k = 0; k < values.length; k++) values[k] = Math.tanh(values[k])
    },
    derive: (values, deltas) => {
      for (let k = 0; k < values.length; k++) deltas[k] *= 1 - values[k] * values[k]
    }
  },
  elu: {
    bounds: unbounded,
    apply: (values) => {
      for (let k = 0; k < values.length; k++) if (values[k] < 0) values[k] = Math.expm1(values[k])
    },
    derive: (values, deltas) => {
      for (let k = 0; k < values.length; k++) if (values[k] < 0) deltas[k] *= values[k] + 1
    }
  }
} as const satisfies Readonly<Record<string, Activation>>

/** The name of an activation of {@link activations}. */
export type ActivationName = keyof typeof activations

export const activationNames = Object.keys(activations) as readonly ActivationName[]
