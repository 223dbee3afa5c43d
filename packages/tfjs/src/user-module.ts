import type { Scalar, Tensor } from '@tensorflow/tfjs-core'
import type { LayersModel } from '@tensorflow/tfjs-layers'
import type { TensorFlow } from './tensorflow.js'

/** The context in which a model is built. */
export interface ModelContext {
  /** The shape of one sample's input. */
  readonly inputShape: readonly number[]
  /** The shape of one sample's target; empty for one class number or one real number. */
  readonly targetShape: readonly number[]
  /** The number of classes; absent when the targets are real values. */
  readonly classes?: number
  /** The options that the training file gives to the module. */
  readonly options: unknown
}

/** The context in which data is loaded. */
export interface SamplesContext {
  /** The run's seed, the same on every peer. */
  readonly seed: number
  /** The options that the training file gives to the module. */
  readonly options: unknown
}

/**
 * All samples of a module's own data set, flat, one after the other. They are split and divided like any data set; with
 * `partition: local` they all belong to the peer.
 */
export interface UserSamples {
  readonly inputs: Float32Array
  readonly inputShape: readonly number[]
  readonly targets: Float32Array
  /** Empty, or absent, for one class number or one real number. */
  readonly targetShape?: readonly number[]
  readonly classes?: number
}

/**
 * A small module of the user's that defines a model, and its loss and data where the usual ones do not suffice.
 *
 * ```js
 * export function createModel(tf, { inputShape, classes }) {
 *   return tf.sequential({ layers: [tf.layers.flatten({ inputShape }), tf.layers.dense({ units: classes })] })
 * }
 * ```
 *
 * Models are made with the `tf` that is passed in, so that the module needs no installation of its own.
 */
export interface UserModule {
  /**
   * The model, with one input and one output. For classification its last layer gives either logits, one per class, or
   * probabilities by a softmax; both are trained with cross-entropy. Other outputs are trained with the mean squared
   * error. Its weights are drawn from the seed by their layers' initialisers; those with a seed of their own are kept.
   */
  createModel(tf: TensorFlow, context: ModelContext): LayersModel | Promise<LayersModel>
  /**
   * True to start from the weights that `createModel` has loaded or set, such as trained ones, unchanged. Those of
   * layers that it has only built, such as a new last layer, are drawn from the run's seed.
   */
  readonly keepWeights?: boolean
  /** The mean loss of a batch, from float32 outputs and targets; class numbers are int32. */
  loss?(tf: TensorFlow, outputs: Tensor, targets: Tensor): Scalar
  /** The module's own data. The same on every peer; with `partition: local`, the machine's own. */
  loadSamples?(context: SamplesContext): UserSamples | Promise<UserSamples>
}
