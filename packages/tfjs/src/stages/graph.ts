/** A model as the order in which its tensors are computed, and where one tensor alone passes. */
import type { TaskPart } from '@murmuration/core'
import { sizeOf } from '@murmuration/vectors'
import type { Tensor } from '@tensorflow/tfjs-core'
import type { LayersModel, SymbolicTensor } from '@tensorflow/tfjs-layers'
import { schemaOf, partsOf } from '../weights.js'
import type { Layer, LayerRange } from '../weights.js'

/** A tensor of the model, and the layer that computes it. */
interface GraphStep {
  readonly output: SymbolicTensor
  /** The number of its layer. */
  readonly place: number
}

/** A part of a model, and the tensor that it hands on. */
export interface GraphPart extends TaskPart {
  readonly output: SymbolicTensor
}

/** The steps of a model from its input to its output, in the order of TensorFlow.js. */
function stepsOf(model: LayersModel): readonly GraphStep[] {
  const steps: GraphStep[] = []
  const seen = new Set<SymbolicTensor>([model.inputs[0]])
  const visit = (output: SymbolicTensor) => {
    if (seen.has(output)) return
    seen.add(output)
    for (const input of [...output.inputs].reverse()) visit(input)
    steps.push({ output, place: model.layers.indexOf(output.sourceLayer) })
  }
  visit(model.outputs[0])
  return steps
}

/**
 * The parts of a model: runs of layers with weights of their own to train, cut wherever one tensor alone passes and no
 * mask goes along with it.
 */
export function partsOfModel(model: LayersModel): readonly GraphPart[] {
  const steps = stepsOf(model)
  const isKnown = steps.every(({ place }) => place >= 0)
  const weighted = model.layers.flatMap(({ trainableWeights }, place) => (trainableWeights.length > 0 ? [place] : []))
  const cuts = isKnown ? weighted.slice(1).flatMap((place) => cutAt(model, steps, place)) : []
  const starts = [{ place: 0, passing: model.inputs[0] }, ...cuts]
  return starts.map(({ place }, index) => {
    const next = starts[index + 1] ?? { place: model.layers.length, passing: model.outputs[0] }
    const range = { from: place, to: next.place }
    return { layer: place, ...costOf(model, range), output: next.passing, outputs: numbersOf(next.passing) ?? 0 }
  })
}

/** The tensor that passes to the layers from `place` on, if it is one alone; at most one element. */
function cutAt(
  model: LayersModel,
  steps: readonly GraphStep[],
  place: number
): { place: number; passing: SymbolicTensor }[] {
  const before = new Set([model.inputs[0], ...steps.filter((step) => step.place < place).map(({ output }) => output)])
  const later = steps.filter((step) => step.place >= place)
  const passing = new Set(later.flatMap(({ output }) => output.inputs).filter((input) => before.has(input)))
  const runsBack = steps.some((step) => step.place < place && step.output.inputs.some((input) => !before.has(input)))
  const [only] = passing
  const isOne = passing.size === 1 && only !== model.inputs[0] && numbersOf(only) !== undefined
  if (!isOne || runsBack || before.has(model.outputs[0])) return []
  return model.layers.slice(0, place).some(makesMask) ? [] : [{ place, passing: only }]
}

function makesMask(layer: Layer): boolean {
  return partsOf(layer).some(
    (part) => part.layer.getClassName() === 'Masking' || part.layer.getConfig().maskZero === true
  )
}

/** How many numbers a tensor has for a sample; undefined where that is not known. */
function numbersOf({ shape }: SymbolicTensor): number | undefined {
  const extents = shape.slice(1)
  return extents.every((extent) => extent !== null) ? sizeOf(extents) : undefined
}

/**
 * A matrix is multiplied with each position of the output, which is right for dense layers, convolutions and attention.
 */
function costOf(model: LayersModel, range: LayerRange): Pick<TaskPart, 'parameters' | 'operations' | 'mixesSamples'> {
  const layers = model.layers.slice(range.from, range.to)
  const parametersOf = ({ weights }: Layer) => weights.reduce((sum, { shape }) => sum + sizeOf(shape.map(Number)), 0)
  const operationsOf = (layer: Layer) =>
    layer.getClassName() === 'Embedding' ? 0 : parametersOf(layer) * positionsOf(layer)
  return {
    parameters: layers.reduce((sum, layer) => sum + parametersOf(layer), 0),
    operations: layers.reduce((sum, layer) => sum + operationsOf(layer), 0),
    mixesSamples: schemaOf(model, range).some(({ kind }) => kind === 'statistic')
  }
}

/** The positions of a layer's output: its numbers but for the last axis. */
function positionsOf(layer: Layer): number {
  const shape = [layer.outputShape].flat().slice(1, -1)
  return sizeOf(shape.map((extent) => Number(extent ?? 1)))
}

/** A run of a model's layers as a function of tensors. */
export class LayerRun {
  readonly #input: SymbolicTensor
  readonly #output: SymbolicTensor
  readonly #steps: readonly GraphStep[]

  constructor(model: LayersModel, range: LayerRange, input: SymbolicTensor, output: SymbolicTensor) {
    this.#input = input
    this.#output = output
    this.#steps = stepsOf(model).filter(({ place }) => place >= range.from && place < range.to)
  }

  /** In training, as TensorFlow.js runs a model: a mask, once there is one, goes along with all later layers. */
  apply(input: Tensor, training: boolean): Tensor {
    const values = new Map([[this.#input, input]])
    const masks = new Map<SymbolicTensor, Tensor | null>()
    const options: { training: boolean; mask?: Tensor | null } = { training }
    for (const { output } of this.#steps) {
      const layer = output.sourceLayer
      const inputs = output.inputs.map((each) => values.get(each) as Tensor)
      const inputMasks = output.inputs.map((each) => masks.get(each) ?? null)
      if (inputMasks.some((mask) => mask !== null)) [options.mask] = inputMasks
      const outputs = [layer.apply(inputs, options)].flat() as Tensor[]
      values.set(output, outputs[output.outputTensorIndex ?? 0])
      if (layer.supportsMasking) masks.set(output, maskOf(layer, inputs, inputMasks))
    }
    return values.get(this.#output) as Tensor
  }
}

function maskOf(layer: Layer, inputs: Tensor[], masks: (Tensor | null)[]): Tensor | null {
  const mask = layer.computeMask(inputs, masks as Tensor[]) as Tensor | Tensor[] | null
  return Array.isArray(mask) ? (mask[0] ?? null) : mask
}
