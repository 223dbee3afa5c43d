/**
 * The layers of a small GPT that TensorFlow.js lacks. This module imports nothing at run time, since an export writes
 * it next to the model: code that loads the model first calls {@link registerLayers}.
 */
import type { serialization, Tensor, Tensor3D } from '@tensorflow/tfjs-core'
import type { LayerVariable, layers, Shape } from '@tensorflow/tfjs-layers'
import type { TensorFlow } from '../tensorflow.js'

/**
 * The distribution of the initial embeddings of characters and places. Ten times as wide as in GPT-2: normalisations
 * amplify a small spread, and its gradients, until rates that are right for all other weights are too high for these.
 */
export const initialDistribution = { mean: 0, stddev: 0.2 }

/** The score of places that must not be seen. */
const masked = -1e9

/** The configuration of layers. */
export interface AttentionOptions {
  /** The number of heads, which share the width evenly. */
  readonly heads: number
}

/** A factory for each layer, by its class name. */
export interface GptLayers {
  /** `[batch, length, width]` plus a learned vector for each place; of the same shape. */
  positionEmbedding(options?: object): layers.Layer
  /**
   * Causal self-attention of several heads: `[batch, length, width]`, where a place sees itself and those before it; of
   * the same shape.
   */
  causalAttention(options: AttentionOptions): layers.Layer
}

/** Registers the layers with a TensorFlow.js, so that it can load models with them, and returns their factories. */
export function registerLayers(tf: TensorFlow): GptLayers {
  /** Adds a learned vector for each place (Vaswani et al. 2017, section 3.5, learned as in Radford et al. 2018). */
  class PositionEmbedding extends tf.layers.Layer {
    static readonly className = 'PositionEmbedding'
    #places: LayerVariable | undefined

    override build(shape: Shape): void {
      const initialiser = tf.initializers.randomNormal(initialDistribution)
      this.#places = this.addWeight('places', shape.slice(1), 'float32', initialiser)
      this.built = true
    }

    override computeOutputShape(shape: Shape): Shape {
      return shape
    }

    override call(inputs: Tensor | Tensor[]): Tensor {
      const places = this.#places as LayerVariable
      return tf.tidy(() => tf.add(only(inputs), places.read()))
    }

    override getConfig(): serialization.ConfigDict {
      return { ...super.getConfig(), placesInitializer: { className: 'RandomNormal', config: initialDistribution } }
    }
  }

  /**
   * softmax(Q Kᵀ / √d + mask) V for each head, d being its width, and a product that joins them (Vaswani et al. 2017,
   * eq. 1 and section 3.2.2).
   */
  class CausalAttention extends tf.layers.Layer {
    static readonly className = 'CausalAttention'
    readonly #heads: number
    #weights: readonly LayerVariable[] = []
    #mask: Float32Array = new Float32Array(0)

    constructor(options: AttentionOptions & serialization.ConfigDict) {
      super(options as serialization.ConfigDict & object)
      this.#heads = options.heads
    }

    override build(shape: Shape): void {
      const [length, width] = shape.slice(1).map(Number)
      this.#mask = causalMask(length)
      const initialiser = tf.initializers.glorotUniform({})
      this.#weights = ['query', 'key', 'value', 'join'].map((name) =>
        this.addWeight(name, [width, width], 'float32', initialiser)
      )
      this.built = true
    }

    override computeOutputShape(shape: Shape): Shape {
      return shape
    }

    override call(inputs: Tensor | Tensor[]): Tensor {
      return tf.tidy(() => this.#attend(only(inputs) as Tensor3D))
    }

    override getConfig(): serialization.ConfigDict {
      return { ...super.getConfig(), heads: this.#heads }
    }

    #attend(x: Tensor3D): Tensor {
      const [batch, length, width] = x.shape
      const rows = tf.reshape(x, [batch * length, width])
      const shape = [batch, length, this.#heads, width / this.#heads]
      const [query, key, value, join] = this.#weights.map((weight) => weight.read())
      const ofHeads = (weights: Tensor) => tf.transpose(tf.reshape(tf.matMul(rows, weights), shape), [0, 2, 1, 3])
      const scores = tf.mul(tf.matMul(ofHeads(query), ofHeads(key), false, true), 1 / Math.sqrt(shape[3]))
      const mask = tf.tensor(this.#mask, [1, 1, length, length])
      const mixed = tf.matMul(tf.softmax(tf.add(scores, mask)), ofHeads(value))
      const joined = tf.reshape(tf.transpose(mixed, [0, 2, 1, 3]), [batch * length, width])
      return tf.reshape(tf.matMul(joined, join), x.shape)
    }
  }

  tf.serialization.registerClass(PositionEmbedding)
  tf.serialization.registerClass(CausalAttention)
  return {
    positionEmbedding: (options = {}) => new PositionEmbedding(options),
    causalAttention: (options) => new CausalAttention({ ...options })
  }
}

/** The term added to the scores of `[length, length]`: 0 where a place, the row, sees another, the column. */
export function causalMask(length: number): Float32Array {
  return Float32Array.from({ length: length ** 2 }, (_, k) => (k % length > Math.floor(k / length) ? masked : 0))
}

function only(inputs: Tensor | Tensor[]): Tensor {
  return Array.isArray(inputs) ? inputs[0] : inputs
}
