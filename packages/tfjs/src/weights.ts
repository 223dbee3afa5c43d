import { InputError, invariant, type Random, type Schema } from '@murmuration/core'
import { pack, unpack } from '@murmuration/vectors'
import type { LayersModel, LayerVariable, layers } from '@tensorflow/tfjs-layers'
import { drawInitial, isFixed } from './initialise.js'
import { tensorflow as tf } from './tensorflow.js'

type Layer = layers.Layer
type Configuration = Readonly<Record<string, unknown>>

/** One weight of a model, and what its layer says about it. */
interface Weight {
  readonly name: string
  readonly variable: LayerVariable
  /** The configuration of the smallest layer that the weight belongs to. */
  readonly configuration: Configuration
}

/**
 * All weights of a model as one flat vector, in the order of the layers: the trained ones, the frozen ones, and the moving
 * statistics of batch normalisation, which would otherwise drift apart between peers.
 */
export class ModelWeights {
  readonly schema: Schema
  readonly #weights: readonly Weight[]
  /** The values that TensorFlow.js's initialisers gave; those that no dice are rolled for stay. */
  readonly #built: readonly Float32Array[]
  /** The values that the last {@link load} wrote. */
  #loaded: Float32Array[] = []

  constructor(model: LayersModel) {
    this.#weights = weightsOf(model)
    this.schema = this.#weights.map(({ name, variable }) => ({ name, shape: variable.shape.map(Number) }))
    this.#built = this.#weights.map(({ variable }) => variable.read().dataSync<'float32'>().slice())
  }

  /** Initial values, drawn from `random` as each layer's initialiser says; or, with `keep`, those of the built model. */
  initial(random: Random, keep: boolean): Float32Array {
    return pack(
      this.schema,
      this.#weights.map(({ name, configuration }, index) => {
        const [built, { shape }] = [this.#built[index], this.schema[index]]
        const initialiser = configuration[initialiserKey(name)]
        return keep || isFixed(initialiser, built) ? built : drawInitial(shape, initialiser, random.stream(name))
      })
    )
  }

  /** Makes the flat vector the model's weights. */
  load(flat: Float32Array): void {
    this.#loaded = unpack(this.schema, flat)
    for (const [index, { variable, name }] of this.#weights.entries()) {
      const values = name.endsWith('/moving_variance') ? this.#loaded[index].map(atLeastZero) : this.#loaded[index]
      tf.tidy(() => {
        variable.write(tf.tensor(values, [...this.schema[index].shape]))
      })
    }
  }

  /**
   * The loss that `compute` gives, and the gradient with respect to every weight, written to `out`.
   *
   * Weights that are not trained have none. Moving statistics `m` take `(m − m′) / (1 − momentum)` instead, where m′ is
   * what the forward pass made of them: the gradient of ½‖m − b‖² with the batch's statistics b. They then follow the
   * data by the same gradient steps, and are mixed by the same gossip, as everything else.
   */
  gradient(compute: () => ReturnType<typeof tf.scalar>, out: Float32Array): number {
    return tf.tidy(() => {
      const trained = this.#weights.filter(({ variable }) => variable.trainable).map(variableOf)
      const { value, grads } = tf.variableGrads(compute, trained)
      const parts = this.#weights.map((weight, index) =>
        weight.variable.trainable ? grads[variableOf(weight).name] : this.#drift(weight, this.#loaded[index])
      )
      const zeros = (index: number) => new Float32Array(this.#built[index].length)
      pack(
        this.schema,
        parts.map((part, index) => part?.dataSync<'float32'>() ?? zeros(index)),
        out
      )
      return value.dataSync()[0]
    })
  }

  #drift({ variable, configuration }: Weight, before: Float32Array) {
    const { momentum } = configuration
    const part = typeof momentum === 'number' && momentum < 1 ? 1 - momentum : 1
    return tf.div(tf.sub(tf.tensor(before, variable.shape.map(Number)), variable.read()), part)
  }
}

/** The layer and all layers within it that have none within themselves: cells, wrapped layers, layers of a nested model. */
export function partsOf(layer: Layer): readonly Layer[] {
  const inner = ['layers', 'layer', 'forwardLayer', 'backwardLayer', 'cell', 'cells'].flatMap((key): unknown[] => {
    const found: unknown = Reflect.get(layer, key)
    return Array.isArray(found) ? found : [found]
  })
  const parts = inner.filter((part) => part instanceof tf.layers.Layer)
  return parts.length === 0 ? [layer] : parts.flatMap(partsOf)
}

/**
 * The weights by layer. TensorFlow.js numbers its layers by a counter that all models of a process share, so names are made
 * of the layer's place, its class and the weight's own name: the same on every peer.
 */
function weightsOf(model: LayersModel): readonly Weight[] {
  return model.layers.flatMap((layer, place) => {
    const configurations = configurationsOf(layer)
    const names = new Map<string, number>()
    return layer.weights.map((variable) => {
      const own = variable.originalName.split('/').at(-1) ?? ''
      const times = (names.get(own) ?? 0) + 1
      names.set(own, times)
      const name = `${place}/${layer.getClassName()}${times > 1 ? `/${times}` : ''}/${own}`
      if (variable.dtype === 'float32') return { name, variable, configuration: configurations.get(variable.id) ?? {} }
      throw new InputError(`the model's weight ${name} is ${variable.dtype}; only float32 weights can be averaged`)
    })
  })
}

function configurationsOf(layer: Layer): ReadonlyMap<number, Configuration> {
  return new Map(
    partsOf(layer).flatMap((part) => part.weights.map((variable) => [variable.id, part.getConfig()] as const))
  )
}

/** `recurrentInitializer` for `2/LSTM/recurrent_kernel`, `kernelInitializer` for `0/Dense/kernel`. */
function initialiserKey(name: string): string {
  const own = name.slice(name.lastIndexOf('/') + 1).replace(/_kernel$/, '')
  return `${own.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())}Initializer`
}

function variableOf({ variable }: Weight) {
  const value = variable.read()
  invariant(value instanceof tf.Variable, 'a layer keeps a weight in something that is no variable')
  return value
}

/** A step of momentum may carry a variance below zero, where its root is not a number. */
function atLeastZero(value: number): number {
  return Math.max(value, 0)
}
