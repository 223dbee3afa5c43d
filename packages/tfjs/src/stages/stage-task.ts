import {
  invariant,
  InvariantError,
  type Random,
  type StageGradient,
  type StagePass,
  type StageTask,
  type StageWorks,
  type Task,
  type TaskStages,
  type Work
} from '@murmuration/core'
import { createRandom } from '@murmuration/random'
import { lengthOf, sizeOf } from '@murmuration/vectors'
import type { Tensor } from '@tensorflow/tfjs-core'
import { onBackend } from '../backend.js'
import { gatherInputs, gatherRows } from '../batches.js'
import { buildingBackend, type Unread } from '../compute.js'
import { type DenseNetwork, denseNetworkOf } from '../dense/network.js'
import { drawingFrom } from '../draws.js'
import { core } from '#tfjs/packages.js'
import { tensorflow as tf } from '../tensorflow.js'
import type { TfjsTaskParts } from '../task-parts.js'
import { type LayerRange, ModelWeights, schemaOf } from '../weights.js'
import { type GraphPart, LayerRun, partsOfModel } from './graph.js'

/** A task of the whole model, and how its steps are computed. */
interface WholeTask {
  readonly task: Task
  readonly parts: TfjsTaskParts
  compute<Result>(steps: () => Unread<Result>): Promise<Result>
}

/** The stages of a model. */
export function stagesOf(whole: WholeTask): TaskStages {
  const { model } = whole.parts
  const graph = partsOfModel(model)
  const parts = graph.map(({ output: _, ...part }) => part)
  const of = (from: number, to: number) => {
    invariant(from >= 0 && from < to && to <= graph.length, `parts ${from} to ${to} of ${graph.length}`)
    const end = graph[to]?.layer ?? model.layers.length
    const range = { from: graph[from].layer, to: end, isFirst: from === 0, isLast: to === graph.length }
    const build = () => stageTask(whole, new LayerStage(whole, { ...range, graph: graph.slice(0, to), begin: from }))
    return onBackend(buildingBackend(whole.parts.backend.name), build)
  }
  return { parts, of }
}

/** What is said of the whole model holds for each of its stages: peers compare it. */
function stageTask({ task }: WholeTask, stage: LayerStage): StageTask {
  const { samples, about, fingerprints, signature, constantAnswer, mustAnswerBeforeEnd } = task
  const together = (what: string) => (): Work<never> => {
    throw new InvariantError(`a stage computes no ${what} alone; the peers of a line do`)
  }
  return {
    ...{ samples, about, fingerprints, signature, constantAnswer, mustAnswerBeforeEnd },
    schema: stage.schema,
    initialise: (seed) => stage.initialise(seed),
    gradient: together('gradient'),
    evaluate: together('evaluation'),
    stage
  }
}

/** The layers of a stage, and the parts of the model up to its end. */
interface StageRange {
  readonly from: number
  readonly to: number
  readonly isFirst: boolean
  readonly isLast: boolean
  readonly graph: readonly GraphPart[]
  /** The first of the parts. */
  readonly begin: number
}

/** The passes of a run of layers. */
class LayerStage implements StageWorks {
  readonly inputs: number
  readonly outputs: number
  readonly targets: number
  readonly isFirst: boolean
  readonly isLast: boolean
  readonly #whole: WholeTask
  readonly #range: StageRange
  readonly #weights: ModelWeights
  readonly #run: LayerRun
  readonly #network: DenseNetwork | undefined
  readonly #inputShape: readonly number[]
  readonly #vector: Float32Array
  /** Of the multiplications of the model. A forward pass is a third of a gradient, and is computed again. */
  readonly #share: number

  constructor(whole: WholeTask, range: StageRange) {
    const { model, keepWeights, localData } = whole.parts
    const { graph, begin } = range
    const input = begin === 0 ? model.inputs[0] : graph[begin - 1].output
    const { output } = graph[graph.length - 1]
    this.#whole = whole
    this.#range = range
    this.isFirst = range.isFirst
    this.isLast = range.isLast
    this.#inputShape = begin === 0 ? localData.train.inputShape : input.shape.slice(1).map(Number)
    const operationsOf = (parts: readonly GraphPart[]) => parts.reduce((sum, part) => sum + part.operations, 0)
    this.#share = operationsOf(graph.slice(begin)) / Math.max(1, operationsOf(partsOfModel(model)))
    this.inputs = sizeOf(this.#inputShape)
    this.outputs = graph[graph.length - 1].outputs
    this.targets = sizeOf(localData.train.targetShape)
    this.#run = new LayerRun(model, range, input, output)
    this.#network = denseNetworkOf(whole.parts, schemaOf(model), range)
    this.#weights = new ModelWeights(model, { keepWeights, range })
    this.#vector = new Float32Array(lengthOf(this.#weights.schema))
  }

  get schema() {
    return this.#weights.schema
  }

  initialise(seed: number): Work<Float32Array> {
    const run = async () => this.#weights.initial(createRandom(seed, 'weights'))
    return { kind: 'initialise', samples: 0, run }
  }

  take(samples: Uint32Array): Work<Float32Array> {
    const { train } = this.#whole.parts.localData
    const run = () => {
      const microBatch = new Float32Array(samples.length * (this.inputs + this.targets))
      microBatch.set(gatherInputs(train, samples))
      microBatch.set(gatherRows(train.targets, this.targets, samples), samples.length * this.inputs)
      return microBatch
    }
    return { kind: 'take', samples: samples.length, run }
  }

  forward(parameters: Float32Array, microBatch: Float32Array, pass: StagePass): Work<Float32Array> {
    invariant(!this.isLast, 'the last stage hands nothing on')
    const { rows, inputs, targets } = split(microBatch, this)
    const joined = (outputs: Float32Array) => {
      const next = new Float32Array(rows * (this.outputs + this.targets))
      next.set(outputs)
      next.set(targets, rows * this.outputs)
      return next
    }
    const network = this.#network
    const steps = () => {
      this.#weights.load(parameters, pass.step)
      const outputs = drawing(this.#whole.parts.random, pass, () =>
        this.#run.apply(tf.tensor(inputs, [rows, ...this.#inputShape]), true)
      )
      return { tensors: [outputs], result: ([values]: readonly Float32Array[]) => joined(values) }
    }
    const run = network
      ? async () => joined(network.outputs(parameters, inputs))
      : async () => this.#whole.compute(steps)
    return { kind: 'forward', samples: rows, share: this.#share / 3, run }
  }

  backward(
    parameters: Float32Array,
    microBatch: Float32Array,
    pass: StagePass,
    outputs?: Float32Array
  ): Work<StageGradient> {
    const { rows, inputs, targets } = split(microBatch, this)
    const network = this.#network
    const vector = this.#vector
    const run = async () => {
      if (network === undefined)
        return this.#whole.compute(() => this.#derive(parameters, { rows, inputs, targets, outputs }, pass))
      const at = this.isLast ? { targets } : { outputs: outputs as Float32Array }
      const inputGradient = this.isFirst ? undefined : new Float32Array(inputs.length)
      const loss = network.stageGradient(parameters, inputs, at, vector, inputGradient)
      return { loss, vector, inputs: inputGradient ?? none }
    }
    return { kind: 'backward', samples: rows, share: this.#share, run }
  }

  /**
   * The gradients of the parameters and of the inputs, as those of the whole model are computed: what its layers'
   * penalties give comes first.
   */
  #derive(parameters: Float32Array, given: MicroBatchRows, pass: StagePass): Unread<StageGradient> {
    this.#weights.load(parameters, pass.step)
    const { trained } = this.#weights
    const input = tf.tensor(given.inputs, [given.rows, ...this.#inputShape])
    const from = this.isFirst ? [] : [input]
    const forward = () => {
      const outputs = this.#run.apply(input, true)
      return this.isLast ? lossOf(this.#whole.parts, this.#range, outputs, given) : outputs
    }
    const dy = this.isLast
      ? undefined
      : tf.tensor(given.outputs as Float32Array, [given.rows, ...shapeOf(this.#range.graph)])
    const xs = [...from, ...trained]
    const { value, grads } = drawing(this.#whole.parts.random, pass, () => gradientsOf(forward, xs, dy))
    const penalties = this.isLast ? undefined : penaltiesOf(this.#whole.parts, this.#range, trained)
    const found = grads.slice(from.length).map((grad, index) => added(penalties?.grads[index], grad))
    const named = Object.fromEntries(trained.map(({ name }, index) => [name, found[index] ?? undefined]))
    const vector = this.#vector
    const { tensors, result } = this.#weights.packed(named, vector)
    const loss = this.isLast ? value : (penalties?.value ?? tf.scalar(0))
    const inputGradient = from.length === 0 ? tf.tensor1d([]) : (grads[0] ?? tf.zerosLike(input))
    return {
      tensors: [loss, inputGradient, ...tensors],
      result: ([[lossValue], inputValues, ...values]) => {
        result(values)
        return { loss: lossValue, vector, inputs: from.length === 0 ? none : inputValues.slice() }
      }
    }
  }
}

/** The first micro-batch draws what the whole batch would. */
function drawing<Result>(random: Random, { round, microBatch }: StagePass, compute: () => Result): Result {
  const micro = microBatch === 0 ? '' : ` micro-batch ${microBatch}`
  return drawingFrom(random.stream(`round ${round}${micro}`), compute)
}

/** The parts of a micro-batch. */
function split(microBatch: Float32Array, { inputs, targets }: Pick<StageWorks, 'inputs' | 'targets'>) {
  const rows = microBatch.length / (inputs + targets)
  return { rows, inputs: microBatch.subarray(0, rows * inputs), targets: microBatch.subarray(rows * inputs) }
}

/** The shape of a sample's output at the end of some parts. */
function shapeOf(graph: readonly GraphPart[]): readonly number[] {
  return graph[graph.length - 1].output.shape.slice(1).map(Number)
}

/** With the penalties of the stage's layers. */
function lossOf(parts: TfjsTaskParts, range: LayerRange, outputs: Tensor, { targets, rows }: MicroBatchRows) {
  const { targetShape, classes } = parts.localData.train
  const shape = [rows, ...targetShape]
  const values = classes === undefined ? tf.tensor(targets, shape) : tf.tensor(Int32Array.from(targets), shape, 'int32')
  return lossesOf(parts, range).reduce((sum, penalty) => tf.add(sum, penalty), parts.loss(outputs, values))
}

function lossesOf({ model }: TfjsTaskParts, { from, to }: LayerRange) {
  return model.layers.slice(from, to).flatMap((layer) => layer.calculateLosses())
}

/** The sum of the layers' penalties and its gradients; undefined where there are none. */
function penaltiesOf(parts: TfjsTaskParts, range: LayerRange, trained: Tensor[]): Derived | undefined {
  if (parts.model.layers.slice(range.from, range.to).every(({ losses }) => losses.length === 0)) return undefined
  return gradientsOf(() => lossesOf(parts, range).reduce((left, right) => tf.add(left, right)), trained)
}

/** What a micro-batch is made of, and the gradient at its end. */
interface MicroBatchRows {
  readonly rows: number
  readonly inputs: Float32Array
  readonly targets: Float32Array
  readonly outputs: Float32Array | undefined
}

interface Derived {
  readonly value: Tensor
  readonly grads: readonly (Tensor | null | undefined)[]
}

const none = new Float32Array(0)

/** The gradients of `forward` with respect to `xs`, of which one that it does not depend on has none. */
function gradientsOf(forward: () => Tensor, xs: Tensor[], dy?: Tensor): Derived {
  if (xs.length === 0) return { value: forward(), grads: [] }
  return core.engine().gradients(forward, xs, dy, true)
}

function added(left: Tensor | null | undefined, right: Tensor | null | undefined): Tensor | null | undefined {
  return left && right ? tf.add(left, right) : (left ?? right)
}
