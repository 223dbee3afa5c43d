import { InputError, invariant, type Random, type Schema, type TensorSchema } from '@murmuration/core'
import { pack, unpack } from '@murmuration/vectors'
import type { Scalar, Tensor } from '@tensorflow/tfjs-core'
import type { LayersModel, LayerVariable, layers } from '@tensorflow/tfjs-layers'
import type { Unread } from './compute.js'
import { drawInitial, isDrawn, isFixed } from './initialise.js'
import { tensorflow as tf } from './tensorflow.js'
import { isWritten } from './written.js'

/** A layer of a model. */
export type Layer = layers.Layer
type LayerConfiguration = Readonly<Record<string, unknown>>

/** The layers `from` to before `to` of a model, by their numbers. */
export interface LayerRange {
  readonly from: number
  readonly to: number
}

/** Which weights they are, and with what they begin. */
interface WeightOptions {
  /**
   * Whether weights that were loaded or set begin with these values; those of layers that were only built are drawn, so
   * that a new layer begins alike on every peer. {@link watchWrites} must have been called before the model was built.
   * False when absent.
   */
  readonly keepWeights?: boolean
  /** Whether weights take memory when they are first used: they are not looked at before. False when absent. */
  readonly hasLateWeights?: boolean
  /** The layers whose weights they are; all when absent. */
  readonly range?: LayerRange
}

/** One weight of a model, and what its layer says about it. */
interface Weight {
  readonly tensor: TensorSchema
  readonly variable: LayerVariable
  /** The configuration of the smallest layer that the weight belongs to. */
  readonly configuration: LayerConfiguration
}

/**
 * All weights of a model as one flat vector, in the order of the layers: the trained ones, which are those among the
 * model's `trainableWeights`, the frozen ones, and the moving statistics of batch normalisation, which would otherwise
 * drift apart between peers.
 */
export class ModelWeights {
  readonly schema: Schema
  readonly #weights: readonly Weight[]
  readonly #keeps: boolean
  #trained: ReturnType<typeof variableOf>[] | undefined
  /** The values that the last {@link load} wrote. */
  #loaded: Float32Array[] = []
  /** The number of the vector that they are of, if it has one. */
  #step: number | undefined

  constructor(model: LayersModel, { keepWeights = false, hasLateWeights = false, range }: WeightOptions = {}) {
    this.#weights = weightsOf(model, range)
    this.#keeps = keepWeights
    this.schema = this.#weights.map(({ tensor }) => tensor)
    // Before other values are loaded.
    if (!hasLateWeights) for (const weight of this.#weights) firstValueOf(weight, keepWeights)
  }

  /** The variables that are trained. Where a network computes, they are never asked for, and may take no memory. */
  get trained(): ReturnType<typeof variableOf>[] {
    return (this.#trained ??= this.#weights.filter(({ tensor }) => tensor.kind === undefined).map(variableOf))
  }

  /** Initial values, drawn from `random` as each layer's initialiser says, or those of the built model. */
  initial(random: Random): Float32Array {
    return pack(
      this.schema,
      this.#weights.map((weight) => {
        const {
          tensor: { name, shape },
          configuration
        } = weight
        return (
          firstValueOf(weight, this.#keeps) ??
          drawInitial(shape, configuration[initialiserKey(name)], random.stream(name))
        )
      })
    )
  }

  /**
   * Makes the flat vector the model's weights.
   *
   * @param step - the number of the vector: weights that still have it are not written again; unknown when absent
   */
  load(flat: Float32Array, step?: number): void {
    if (step !== undefined && step === this.#step && this.#isLoaded) return
    this.loadEach(unpack(this.schema, flat), step)
  }

  /** Whether the model has what was loaded last: others may load theirs, and a forward pass moves statistics. */
  get #isLoaded(): boolean {
    return this.#weights.every(
      ({ variable, tensor }) => tensor.kind !== 'statistic' && loadedBy.get(variable) === this.#loaded
    )
  }

  /** Makes these values the model's weights: one array for each tensor of the schema. */
  loadEach(all: readonly Float32Array[], step?: number): void {
    this.#step = step
    this.#loaded = all.map((values, index) => (isVariance(this.schema[index]) ? values.map(atLeastZero) : values))
    for (const [index, { variable, tensor }] of this.#weights.entries()) {
      tf.tidy(() => {
        variable.write(tf.tensor(this.#loaded[index], [...tensor.shape]))
      })
      loadedBy.set(variable, this.#loaded)
    }
  }

  /**
   * The loss of `forward`, unread, and then the gradient with respect to every trained weight in `out`, with 0 for
   * frozen weights, and for moving statistics the values that the batch gives. Within a scope of TensorFlow.js.
   */
  gradient(forward: () => Scalar, out: Float32Array): Unread<number> {
    const { value, grads } = tf.variableGrads(forward, this.trained)
    const { tensors, result } = this.packed(grads, out)
    return { tensors: [value, ...tensors], result: ([[loss], ...values]) => (result(values), loss) }
  }

  /**
   * Writes gradients, by the names of their variables, to `out`, with 0 for the others, and for moving statistics the
   * values that the batch gives.
   */
  packed(grads: Readonly<Record<string, Tensor | undefined>>, out: Float32Array): Unread<void> {
    const loaded = this.#loaded
    const found = this.#weights.flatMap((weight, index) => {
      const tensor = weight.tensor.kind === 'statistic' ? moved(weight) : grads[variableOf(weight).name]
      return tensor === undefined ? [] : [{ weight, index, tensor }]
    })
    const result = (values: readonly Float32Array[]) => {
      const parts: Float32Array[] = []
      for (const [place, { weight, index }] of found.entries()) {
        parts[index] =
          weight.tensor.kind === 'statistic' ? ofBatch(weight, loaded[index], values[place]) : values[place]
      }
      for (const [index, { tensor }] of this.#weights.entries()) {
        parts[index] ??= tensor.kind === 'statistic' ? loaded[index] : new Float32Array(loaded[index].length)
      }
      pack(this.schema, parts, out)
    }
    return { tensors: found.map(({ tensor }) => tensor), result }
  }
}

/** The values that a variable has been given last, of all that share it. */
const loadedBy = new WeakMap<LayerVariable, readonly Float32Array[]>()

/** What {@link firstValueOf} has found, before other values were loaded. */
const firstValues = new WeakMap<LayerVariable, { readonly values: Float32Array | undefined }>()

/** The built value of a weight that begins with it; undefined where the first value is drawn. */
function firstValueOf(weight: Weight, keeps: boolean): Float32Array | undefined {
  const { variable, configuration, tensor } = weight
  const known = firstValues.get(variable)
  if (known !== undefined) return known.values
  const initialiser = configuration[initialiserKey(tensor.name)]
  const built = () => variable.read().dataSync<'float32'>()
  const isKept = keeps && (isWritten(variableOf(weight)) || !isDrawn(initialiser))
  const values = isKept || isFixed(initialiser, built) ? built().slice() : undefined
  firstValues.set(variable, { values })
  return values
}

/** The tensors of a model, in the order of its layers. */
export function schemaOf(model: LayersModel, range?: LayerRange): Schema {
  return weightsOf(model, range).map(({ tensor }) => tensor)
}

/**
 * Throws an {@link InputError} where a trained weight has a constraint: TensorFlow.js would apply it to the model
 * alone, and the peers average and save the vector. Frozen weights lose theirs, which Keras applies only after a step.
 */
export function refuseConstraints(model: LayersModel): void {
  for (const { tensor, variable } of weightsOf(model)) {
    const constraint = Reflect.get(variable, 'constraint') as { getClassName(): string } | null | undefined
    if (constraint === undefined || constraint === null) continue
    if (tensor.kind === undefined)
      throw new InputError(
        `the model's weight ${tensor.name} has the constraint ${constraint.getClassName()}, expected none: it would not hold for what peers average and save; remove it, or use a regulariser`
      )
    Reflect.set(variable, 'constraint', null)
  }
}

/**
 * The present value of a statistic, which the next gradient changes. With momentum 1 the batch's value cannot be
 * determined from it, and does not matter.
 */
function moved({ tensor, variable }: Weight): Tensor | undefined {
  return tensor.momentum === 1 ? undefined : tf.clone(variable.read())
}

/** The batch's value `b` of a statistic that the forward pass has moved from `m` to `m′ = μ m + (1 − μ) b`. */
function ofBatch({ tensor }: Weight, before: Float32Array, after: Float32Array): Float32Array {
  const { momentum = 1 } = tensor
  const values = before.map((m, index) => m + (after[index] - m) / (1 - momentum))
  // By rounding, a variance near zero may become negative.
  return isVariance(tensor) ? values.map(atLeastZero) : values
}

/** A layer without inner layers. */
export interface Part {
  readonly layer: Layer
  /** Whether it and all layers around it are trainable. */
  readonly isTrainable: boolean
}

/** The layer's innermost layers, or the layer itself: cells, wrapped layers, layers of a nested model. */
export function partsOf(layer: Layer, isTrainable = true): readonly Part[] {
  const trainable = isTrainable && layer.trainable
  const parts = innerLayers(layer)
  return parts.length === 0 ? [{ layer, isTrainable: trainable }] : parts.flatMap((part) => partsOf(part, trainable))
}

/** The layers that a layer contains. */
export function innerLayers(layer: Layer): readonly Layer[] {
  const inner = ['layers', 'layer', 'forwardLayer', 'backwardLayer', 'cell', 'cells'].flatMap((key): unknown[] => {
    const found: unknown = Reflect.get(layer, key)
    return Array.isArray(found) ? found : [found]
  })
  return inner.filter((part) => part instanceof tf.layers.Layer)
}

/**
 * The weights by layer. TensorFlow.js numbers its layers by a counter that all models of a process share, so names are
 * made from the layer's index, its class and the weight's own name: the same on every peer.
 */
function weightsOf(model: LayersModel, range?: LayerRange): readonly Weight[] {
  const trained = new Set(model.trainableWeights.map(({ id }) => id))
  const { from, to } = range ?? { from: 0, to: model.layers.length }
  return model.layers.flatMap((layer, place) => {
    if (place < from || place >= to) return []
    const parts = new Map(
      partsOf(layer, model.trainable).flatMap((part) => part.layer.weights.map((variable) => [variable.id, part]))
    )
    const names = new Map<string, number>()
    return layer.weights.map((variable) => {
      const weightName = variable.originalName.split('/').at(-1) ?? ''
      const times = (names.get(weightName) ?? 0) + 1
      names.set(weightName, times)
      const name = `${place}/${layer.getClassName()}${times > 1 ? `/${times}` : ''}/${weightName}`
      if (variable.dtype !== 'float32') {
        throw new InputError(`the model's weight ${name} is ${variable.dtype}; only float32 weights can be averaged`)
      }
      const part = parts.get(variable.id)
      const configuration = part?.layer.getConfig() ?? {}
      const kind = trained.has(variable.id) ? {} : kindOf(weightName, configuration, part?.isTrainable === true)
      return { tensor: { name, shape: variable.shape.map(Number), ...kind }, variable, configuration }
    })
  })
}

/**
 * The kind of a weight that is not trained: a moving statistic, recognised by its name and its layer's momentum,
 * follows the data as long as its layer is trainable; all others are frozen.
 */
function kindOf(
  weightName: string,
  { momentum }: LayerConfiguration,
  isTrainable: boolean
): Pick<TensorSchema, 'kind' | 'momentum'> {
  const moves = isTrainable && weightName.startsWith('moving_') && typeof momentum === 'number'
  return moves ? { kind: 'statistic', momentum } : { kind: 'frozen' }
}

/** `recurrentInitializer` for `2/LSTM/recurrent_kernel`, `kernelInitializer` for `0/Dense/kernel`. */
function initialiserKey(name: string): string {
  const weightName = name.slice(name.lastIndexOf('/') + 1).replace(/_kernel$/, '')
  return `${weightName.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())}Initializer`
}

function variableOf({ variable }: Weight) {
  const value = variable.read()
  invariant(value instanceof tf.Variable, 'a layer keeps a weight in something that is not a variable')
  return value
}

function isVariance({ name }: TensorSchema): boolean {
  return name.endsWith('/moving_variance')
}

/** A codec, or a neighbour, may send a variance below zero, whose root is NaN. */
function atLeastZero(value: number): number {
  return Math.max(value, 0)
}
