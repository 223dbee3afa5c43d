/**
 * The layer of random Fourier features, which TensorFlow.js lacks. This module imports nothing at run time, since an
 * export writes it next to the model: code that loads the model first calls {@link registerLayers}.
 */
import type { serialization, Tensor, Tensor2D } from '@tensorflow/tfjs-core'
import type { LayerVariable, layers, Shape } from '@tensorflow/tfjs-layers'
import type { TensorFlow } from '../tensorflow.js'

/** The configuration of the layer. */
export interface FourierFeaturesOptions {
  /** How many features. */
  readonly units: number
}

/** A factory for the layer. */
export interface FourierLayers {
  /** `[batch, inputs]` to √(2 / D) cos(x Ω + b), which is `[batch, D]` (Rahimi and Recht 2007, algorithm 1). */
  fourierFeatures(options: FourierFeaturesOptions): layers.Layer
}

type Configuration = serialization.ConfigDict

/** Registers the layer with a TensorFlow.js, so that it can load models with it, and returns its factory. */
export function registerLayers(tf: TensorFlow): FourierLayers {
  class FourierFeatures extends tf.layers.Layer {
    static readonly className = 'FourierFeatures'
    readonly #units: number
    #frequencies: LayerVariable | undefined
    #phases: LayerVariable | undefined

    constructor(options: FourierFeaturesOptions & Configuration) {
      super(options as Configuration & object)
      this.#units = options.units
    }

    override build(shape: Shape): void {
      const zeros = tf.initializers.zeros()
      this.#frequencies = this.addWeight('frequencies', [Number(shape.at(-1)), this.#units], 'float32', zeros)
      this.#phases = this.addWeight('phases', [this.#units], 'float32', zeros)
      this.built = true
    }

    override computeOutputShape(shape: Shape): Shape {
      return [...shape.slice(0, -1), this.#units]
    }

    override call(inputs: Tensor | Tensor[]): Tensor {
      const x = (Array.isArray(inputs) ? inputs[0] : inputs) as Tensor2D
      const frequencies = this.#frequencies as LayerVariable
      const phases = this.#phases as LayerVariable
      return tf.tidy(() => {
        const angles = tf.add(tf.matMul(x, frequencies.read()), phases.read())
        return tf.mul(tf.cos(angles), Math.sqrt(2 / this.#units))
      })
    }

    override getConfig(): Configuration {
      return { ...super.getConfig(), units: this.#units }
    }
  }

  tf.serialization.registerClass(FourierFeatures)
  return { fourierFeatures: (options) => new FourierFeatures({ ...options }) }
}
