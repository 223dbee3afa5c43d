import type { BackendWasm } from '@tensorflow/tfjs-backend-wasm'
import { invariant, type Schema } from '@murmuration/core'
import type { LocalData, Samples } from '@murmuration/data'
import { sizeOf } from '@murmuration/vectors'
import type { LayersModel } from '@tensorflow/tfjs-layers'
import type { Backend } from '../backend.js'
import { gatherInputs, gatherRows } from '../batches.js'
import { core } from '#tfjs/packages.js'
import { leftFactor, Products, rightFactor } from '../wasm/products.js'
import { type Activation, activations } from './activations.js'
import type { LayerRange } from '../weights.js'
import { type DenseLayer, denseLayersOf } from './layers.js'
import { type BatchLoss, crossEntropy, squaredError } from './losses.js'

const { engine } = core

/** The parts of a task that a {@link DenseNetwork} may compute. */
export interface NetworkParts {
  readonly backend: Backend
  readonly model: LayersModel
  /** Whether the loss comes from the user's module. */
  readonly hasOwnLoss: boolean
  readonly localData: LocalData
}

/**
 * What computes instead of TensorFlow.js, with WebAssembly, if the model is a stack of dense layers and the loss one of
 * this package's; else `undefined`. It depends only on the model, the loss and the backend, so that a run does not mix
 * the two, whose results differ by rounding.
 */
export function denseNetworkOf(
  { backend, model, hasOwnLoss, localData }: NetworkParts,
  schema: Schema,
  range: LayerRange = { from: 0, to: model.layers.length }
): DenseNetwork | undefined {
  const layers = backend.name === 'wasm' && !hasOwnLoss ? denseLayersOf(model, schema) : undefined
  const { classes } = localData.train
  const isSoftmax = layers?.at(-1)?.activation === 'softmax'
  // The derivative of a softmax is implemented only together with the cross-entropy.
  if (layers === undefined || (isSoftmax && classes === undefined)) return undefined
  const ofStage = layers.filter(({ place }) => place >= range.from && place < range.to)
  return new DenseNetwork(ofStage, classes, engine().findBackend(backend.name) as BackendWasm)
}

/** A layer, and the offset of its parameters in the flat vector: W row by row, then the bias. */
interface PlacedLayer extends DenseLayer {
  readonly kernel: number
  readonly bias: number
  readonly steps: Activation
}

/** The evaluation of some samples, of which `counted` have classes. */
export interface ChunkEvaluation {
  readonly loss: number
  readonly correct: number
  readonly counted: number
}

/** The buffers for a batch. */
interface BatchBuffers {
  readonly parameters: Float32Array
  readonly gradient: Float32Array
  /** The inputs, then the outputs of each layer: [rows, units]. */
  readonly values: readonly Float32Array[]
  /** Room for two gradients with respect to outputs. */
  readonly deltas: readonly Float32Array[]
}

/**
 * Loss and gradient of a stack of dense layers, computed over the flat vector, without tensors and without a tape. With
 * x_0 the inputs, x_l = f(x_{l−1} W_l + b_l) and δ_l the gradient with respect to x_{l−1} W_l + b_l, that of W_l is
 * x_{l−1}ᵀ δ_l, that of b_l the sum of the rows of δ_l, and δ_{l−1} = δ_l W_lᵀ ∘ f′ (Rumelhart, Hinton and Williams
 * 1986). All samples of a task have targets of one kind: classes, or real values.
 *
 * The order of every sum depends only on the sizes of the layers and of the batch. So the layers of a stage give the
 * bits that they give within the whole model.
 */
export class DenseNetwork {
  readonly #layers: readonly PlacedLayer[]
  readonly #length: number
  readonly #loss: BatchLoss
  readonly #products: Products

  constructor(layers: readonly DenseLayer[], classes: number | undefined, backend: BackendWasm) {
    this.#layers = placed(layers)
    this.#length = this.#layers.reduce((end, { inputs, units, hasBias }) => end + (inputs + Number(hasBias)) * units, 0)
    const isSoftmax = layers.at(-1)?.activation === 'softmax'
    this.#loss = classes === undefined ? squaredError : crossEntropy(classes, isSoftmax)
    this.#products = Products.of(backend)
  }

  /** The mean loss of the samples with the given numbers; writes its gradient to `out`, as long as the flat vector. */
  gradient(parameters: Float32Array, samples: Samples, numbers: Uint32Array, out: Float32Array): number {
    const workspace = this.#open(parameters, numbers.length)
    const targets = this.#forwardOf(workspace, samples, numbers)
    const loss = this.#loss(outputsOf(workspace), targets, workspace.deltas[0])
    this.#backward(workspace, numbers.length)
    out.set(workspace.gradient)
    return loss
  }

  /** The outputs for these inputs, row by row. */
  outputs(parameters: Float32Array, inputs: Float32Array): Float32Array {
    const rows = this.#rowsOf(inputs)
    const workspace = this.#open(parameters, rows)
    workspace.values[0].set(inputs)
    this.#forward(workspace, rows)
    return outputsOf(workspace).slice()
  }

  /**
   * Writes the gradient of a stage to `out`, as long as its parameters, and that with respect to its inputs to
   * `inputGradient`, if there is one. Returns the loss, which is 0 unless there are targets.
   *
   * @param at - the targets at the last stage, and at the others the gradient with respect to the outputs
   */
  stageGradient(
    parameters: Float32Array,
    inputs: Float32Array,
    at: { readonly targets: Float32Array } | { readonly outputs: Float32Array },
    out: Float32Array,
    inputGradient?: Float32Array
  ): number {
    const rows = this.#rowsOf(inputs)
    const workspace = this.#open(parameters, rows, inputGradient !== undefined)
    workspace.values[0].set(inputs)
    this.#forward(workspace, rows)
    let loss = 0
    if ('outputs' in at) workspace.deltas[0].set(at.outputs)
    else loss = this.#loss(outputsOf(workspace), at.targets, workspace.deltas[0])
    inputGradient?.set(this.#backward(workspace, rows, true).subarray(0, inputGradient.length))
    if (inputGradient === undefined) this.#backward(workspace, rows)
    out.set(workspace.gradient)
    return loss
  }

  #rowsOf(inputs: Float32Array): number {
    return inputs.length / this.#layers[0].inputs
  }

  /**
   * The mean loss of the samples with the given numbers and, of those that have classes, how many have their largest
   * output at their class.
   */
  evaluate(parameters: Float32Array, samples: Samples, numbers: Uint32Array): ChunkEvaluation {
    const workspace = this.#open(parameters, numbers.length)
    const targets = this.#forwardOf(workspace, samples, numbers)
    const outputs = outputsOf(workspace)
    const loss = this.#loss(outputs, targets, workspace.deltas[0])
    if (samples.classes === undefined) return { loss, correct: 0, counted: 0 }
    return { loss, correct: countRight(outputs, targets, samples.classes), counted: numbers.length }
  }

  #open(parameters: Float32Array, rows: number, hasInputGradient = false): BatchBuffers {
    const flat = this.#length
    invariant(parameters.length === flat, () => `found ${parameters.length} parameters, expected ${flat}`)
    const widths = [this.#layers[0].inputs, ...this.#layers.map(({ units }) => units)]
    // The gradient with respect to the inputs is needed only where another stage gave them.
    const widest = Math.max(...(hasInputGradient ? widths : widths.slice(1)))
    const lengths = [flat, flat, rows * widest, rows * widest, ...widths.map((width) => rows * width)]
    const [parameterCopy, gradient, first, second, ...values] = this.#products.scratch.arrays(lengths)
    parameterCopy.set(parameters)
    return { parameters: parameterCopy, gradient, deltas: [first, second], values }
  }

  /** Fills the values of all layers. Returns the targets. */
  #forwardOf(workspace: BatchBuffers, samples: Samples, numbers: Uint32Array): Float32Array {
    const { targets, targetShape } = samples
    gatherInputs(samples, numbers, workspace.values[0])
    this.#forward(workspace, numbers.length)
    return gatherRows(targets, sizeOf(targetShape), numbers)
  }

  /** Fills the values of all layers from the inputs, which are there. */
  #forward({ parameters, values }: BatchBuffers, rows: number): void {
    for (const [index, { inputs: terms, units, hasBias, kernel, bias, steps }] of this.#layers.entries()) {
      const out = values[index + 1]
      this.#products.multiply({
        left: leftFactor(values[index].byteOffset, rows, terms),
        right: rightFactor(parameters.byteOffset + 4 * kernel, terms, units),
        rows,
        terms,
        columns: units,
        out: out.byteOffset
      })
      const [min, max] = steps.bounds
      const finish = { bias: hasBias ? parameters.byteOffset + 4 * bias : 0, min, max }
      this.#products.finish(out.byteOffset, rows, units, finish)
      steps.apply?.(out)
    }
  }

  /**
   * Computes the gradient of all parameters from that with respect to the last layer's outputs, which is in the first
   * of the deltas. Returns that with respect to the inputs, if it is asked for.
   */
  #backward(
    { parameters, gradient, values, deltas }: BatchBuffers,
    rows: number,
    hasInputGradient = false
  ): Float32Array {
    let [current, next] = deltas
    for (let index = this.#layers.length - 1; index >= 0; index--) {
      const { inputs, units, hasBias, kernel, bias, steps } = this.#layers[index]
      const delta = current.subarray(0, rows * units)
      steps.derive?.(values[index + 1], delta)
      if (hasBias) addRows(delta, gradient.subarray(bias, bias + units))
      this.#products.multiply({
        left: leftFactor(values[index].byteOffset, inputs, rows, true),
        right: rightFactor(delta.byteOffset, rows, units),
        rows: inputs,
        terms: rows,
        columns: units,
        out: gradient.byteOffset + 4 * kernel
      })
      if (index === 0 && !hasInputGradient) break
      this.#products.multiply({
        left: leftFactor(delta.byteOffset, rows, units),
        right: rightFactor(parameters.byteOffset + 4 * kernel, units, inputs, true),
        rows,
        terms: units,
        columns: inputs,
        out: next.byteOffset
      })
      ;[current, next] = [next, current]
    }
    return current
  }
}

function placed(layers: readonly DenseLayer[]): readonly PlacedLayer[] {
  let end = 0
  return layers.map((layer) => {
    const kernel = end
    const bias = kernel + layer.inputs * layer.units
    end = bias + (layer.hasBias ? layer.units : 0)
    return { ...layer, kernel, bias, steps: activations[layer.activation === 'softmax' ? 'linear' : layer.activation] }
  })
}

function outputsOf({ values }: BatchBuffers): Float32Array {
  return values[values.length - 1]
}

/** Writes the sum of the rows to `sums`, in float32, row by row. */
function addRows(rows: Float32Array, sums: Float32Array): void {
  sums.fill(0)
  for (let start = 0; start < rows.length; start += sums.length) {
    for (let column = 0; column < sums.length; column++) sums[column] += rows[start + column]
  }
}

function countRight(outputs: Float32Array, targets: Float32Array, classes: number): number {
  let correct = 0
  for (const [row, target] of targets.entries()) {
    let best = row * classes
    for (let place = best + 1; place < (row + 1) * classes; place++) if (outputs[place] > outputs[best]) best = place
    if (best === row * classes + target) correct++
  }
  return correct
}
