import { InputError, invariant, type ModelSignature } from '@murmuration/core'
import { lengthOf, type NamedTensor, sizeOf, valuesOf } from '@murmuration/vectors'
import type { LayersModel } from '@tensorflow/tfjs-layers'
import { type Backend, backendFor, onBackend } from '../backend.js'
import { compute } from '../compute.js'
import { type Generation, generated } from '../gpt/generate.js'
import { endsInSoftmax } from '../loss.js'
import { buildModel, type ModelDescription } from '../model.js'
import { tensorflow as tf } from '../tensorflow.js'
import { loadUserModule } from '#tfjs/load-user-module.js'
import { ModelWeights } from '../weights.js'
import { type LayersFormat, layersFormat } from './layers-format.js'
import { kerasNames } from './names.js'
import { onnxFile } from './onnx/graph.js'

/** The parts of a trained model. */
export interface TrainedModelParts {
  readonly model: ModelDescription
  readonly signature: ModelSignature
  /** Its tensors as they were saved, in any order. */
  readonly tensors: readonly NamedTensor[]
}

/** Samples that are computed at a time. */
const chunkLength = 256

/** Messages of protobuf are shorter (protobuf.dev/programming-guides/encoding, size limits). */
const maxOnnxBytes = 2 ** 31

/**
 * A trained model, for use and export. Its outputs are `outputs`: a probability per class, from the model's last layer
 * or from an added softmax; or 'values', where numbers are learned or the module has a loss of its own, so that only
 * the module knows their meaning.
 */
export class TrainedModel {
  readonly outputs: 'probabilities' | 'values'
  readonly #model: LayersModel
  readonly #backend: Backend
  readonly #inputShape: readonly number[]

  private constructor(
    model: LayersModel,
    outputs: TrainedModel['outputs'],
    backend: Backend,
    inputShape: readonly number[]
  ) {
    this.#model = model
    this.outputs = outputs
    this.#backend = backend
    this.#inputShape = inputShape
  }

  /** Throws an {@link InputError} where the tensors are not those of the model, or a module cannot build it. */
  static async of({ model: description, signature, tensors }: TrainedModelParts): Promise<TrainedModel> {
    const { classes = 0 } = signature
    const saved = lengthOf(tensors)
    // Before a network of that width takes memory.
    if (classes > saved)
      throw new InputError(
        `the model has ${classes} classes, which do not fit the ${saved} saved parameters: they belong to another model`
      )
    const backend = await backendFor(saved)
    const isModule = description.kind === 'module'
    const module = isModule ? await loadUserModule(description.path) : undefined
    const options = isModule ? description.options : undefined
    const context = { ...contextOf(signature), options }
    const model = await onBackend(backend.name, () => buildModel(description, context, module))
    const weights = await onBackend(backend.name, () => new ModelWeights(model))
    weights.loadEach(valuesOf(weights.schema, tensors))
    const isClassifier = signature.classes !== undefined && module?.loss === undefined
    const whole = isClassifier && !endsInSoftmax(model) ? withSoftmax(model) : model
    return new TrainedModel(whole, isClassifier ? 'probabilities' : 'values', backend, signature.inputShape)
  }

  /** The outputs of samples, one after the other, as the inputs are: `[count, …]`, flat. */
  async predict(inputs: Float32Array): Promise<Float32Array> {
    const size = sizeOf(this.#inputShape)
    const count = inputs.length / size
    invariant(
      Number.isInteger(count),
      () => `found ${inputs.length} numbers, expected a multiple of the samples' shape [${this.#inputShape}]`
    )
    const parts: Float32Array[] = []
    for (let start = 0; start < count; start += chunkLength) {
      const end = Math.min(start + chunkLength, count)
      parts.push(await this.#outputsOf(inputs.subarray(start * size, end * size), end - start))
    }
    const all = new Float32Array(parts.reduce((sum, { length }) => sum + length, 0))
    parts.reduce((offset, part) => (all.set(part, offset), offset + part.length), 0)
    return all
  }

  /**
   * The characters that continue a text, as numbers, one by one. Throws an {@link InputError} for arguments that make
   * no sense.
   */
  generate(beginning: readonly number[], options: Generation): AsyncGenerator<number> {
    const probabilitiesOf = (window: Float32Array) => this.#outputsOf(window, 1)
    return generated(beginning, { context: this.#inputShape[0], probabilitiesOf }, options)
  }

  /** The files of TensorFlow.js's layers format; `metadata` becomes its `userDefinedMetadata`. */
  layers(metadata: object): Promise<LayersFormat> {
    return onBackend(this.#backend.name, () => layersFormat(this.#model, metadata))
  }

  /** All weights by their names in Keras. */
  tensors(): readonly NamedTensor[] {
    const names = kerasNames(this.#model)
    return this.#model.weights.map((weight, index) => ({
      name: names[index],
      shape: weight.shape.map(Number),
      values: weight.read().dataSync<'float32'>()
    }))
  }

  /**
   * An ONNX file. Throws an {@link InputError} that names the first layer without an equivalent there, and for a model
   * of 2 GiB or more.
   */
  onnx(metadata: Readonly<Record<string, string>>): Uint8Array {
    const bytes = 4 * this.#model.countParams()
    if (bytes >= maxOnnxBytes)
      throw new InputError(
        `the model has ${bytes} bytes of parameters, and an ONNX file has less than 2 GiB; use --format tfjs or safetensors`
      )
    return onnxFile(this.#model, this.outputs, metadata)
  }

  #outputsOf(inputs: Float32Array, count: number): Promise<Float32Array> {
    return compute(this.#backend.name, () => {
      const outputs = this.#model.apply(tf.tensor(inputs, [count, ...this.#inputShape]), { training: false })
      invariant(outputs instanceof tf.Tensor, 'a model with one output did not return one tensor')
      return { tensors: [outputs], result: ([values]) => values.slice() }
    })
  }
}

function contextOf({ inputShape, targetShape, classes }: ModelSignature) {
  return { inputShape, targetShape, ...(classes === undefined ? {} : { classes }) }
}

function withSoftmax(model: LayersModel): LayersModel {
  const softmax = tf.layers.softmax({ axis: -1 })
  if (!(model instanceof tf.Sequential))
    return tf.model({ inputs: model.inputs, outputs: softmax.apply(model.outputs[0]) as typeof model.outputs })
  model.add(softmax)
  return model
}
