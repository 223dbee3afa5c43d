import {
  exp,
  type Evaluation,
  type Gradient,
  InputError,
  InvariantError,
  invariant,
  type ModelSignature,
  type Schema,
  type Task,
  type TaskStages,
  type Work
} from '@murmuration/core'
import { createRandom } from '@murmuration/random'
import { blame } from '@murmuration/tasks/user-code'
import { constantAnswerOn, fingerprintsOf, signatureOf } from '@murmuration/data'
import { lengthOf } from '@murmuration/vectors'
import type { Scalar, Tensor } from '@tensorflow/tfjs-core'
import { type Batch, TensorBatches } from './batches.js'
import { compute, type Unread } from './compute.js'
import { type ChunkEvaluation, type DenseNetwork, denseNetworkOf } from './dense/network.js'
import { dilateFilters } from './dilation.js'
import { drawByLayer, drawingFrom } from './draws.js'
import { generated } from './gpt/generate.js'
import { countRight, endsInSoftmax } from './loss.js'
import { tensorflow as tf } from './tensorflow.js'
import { freezeNormalisation } from './normalisation.js'
import { stagesOf } from './stages/stage-task.js'
import type { TfjsTaskParts } from './task-parts.js'
import { ModelWeights, refuseConstraints } from './weights.js'

/** Samples that are evaluated at a time. */
const chunkLength = 512
/** Characters of texts that are evaluated at a time. */
const chunkCharacters = 8192

/** The characters of a generated text for people to read. */
const shownLength = 160
/** Its temperature, which slightly favours probable characters. */
const shownTemperature = 0.8

/** A task over a built model and samples in memory. */
export class TfjsTask implements Task {
  readonly schema: Schema
  readonly samples: number
  readonly about: Readonly<Record<string, string>>
  readonly fingerprints: Readonly<Record<string, string>>
  readonly signature: ModelSignature
  readonly constantAnswer: Task['constantAnswer']
  /** Dawn ends the process when a call from its code into JavaScript is cut off. */
  readonly mustAnswerBeforeEnd: boolean
  readonly generate?: NonNullable<Task['generate']>
  readonly #parts: TfjsTaskParts
  readonly stages: TaskStages
  readonly #weights: ModelWeights
  readonly #train: TensorBatches
  readonly #test: TensorBatches
  readonly #vector: Float32Array
  /** Computes instead of TensorFlow.js, for the models that it supports. */
  readonly #network: DenseNetwork | undefined

  constructor(parts: TfjsTaskParts) {
    this.#parts = parts
    refuseConstraints(parts.model)
    this.#train = new TensorBatches(parts.localData.train)
    this.#test = new TensorBatches(parts.localData.test)
    freezeNormalisation(parts.model)
    dilateFilters(parts.model)
    this.#weights = new ModelWeights(parts.model, parts)
    this.schema = this.#weights.schema
    this.samples = parts.localData.train.count
    this.about = parts.about
    this.fingerprints = fingerprintsOf(parts.localData)
    this.signature = signatureOf(parts.localData.train)
    const { test } = parts.localData
    this.constantAnswer = parts.hasOwnLoss && test.classes === undefined ? undefined : constantAnswerOn(test)
    this.mustAnswerBeforeEnd = parts.backend.name === 'webgpu'
    this.#vector = new Float32Array(lengthOf(this.schema))
    this.#network = denseNetworkOf(parts, this.schema)
    this.stages = stagesOf({ task: this, parts, compute: (steps) => this.#compute(steps) })
    // A model that a network computes draws nothing.
    if (this.#network === undefined) drawByLayer(parts.model)
    if (parts.isLanguageModel) {
      this.generate = (parameters, seed) => ({
        kind: 'generate',
        samples: 1,
        run: () => this.#generate(parameters, seed)
      })
    }
  }

  initialise(seed: number): Work<Float32Array> {
    const run = () => this.#weights.initial(createRandom(seed, 'weights'))
    return { kind: 'initialise', samples: 0, run: async () => run() }
  }

  gradient(parameters: Float32Array, batch: Uint32Array, round = 0): Work<Gradient> {
    invariant(batch.length > 0, 'found an empty batch, expected at least one sample for a gradient')
    const { random, localData } = this.#parts
    const network = this.#network
    const vector = this.#vector
    const run = network
      ? async () => ({ loss: network.gradient(parameters, localData.train, batch, vector), vector })
      : () => this.#compute(() => drawingFrom(random.stream(`round ${round}`), () => this.#gradient(parameters, batch)))
    return { kind: 'gradient', samples: batch.length, run }
  }

  evaluate(parameters: Float32Array): Work<Evaluation> {
    const { test } = this.#parts.localData
    const network = this.#network
    const run = network
      ? async () => this.#mean((start, end) => network.evaluate(parameters, test, numbersFrom(start, end)))
      : () => this.#compute(() => this.#evaluate(parameters))
    return { kind: 'evaluate', samples: test.count, run }
  }

  async #generate(parameters: Float32Array, seed: number): Promise<string> {
    const { classNames = [], inputShape } = this.signature
    const probabilitiesOf = (window: Float32Array) => this.#compute(() => this.#probabilities(parameters, window))
    const beginning = [Math.max(0, classNames.indexOf('\n'))]
    const options = { length: shownLength, temperature: shownTemperature, random: createRandom(seed, 'text') }
    let text = ''
    for await (const number of generated(beginning, { context: inputShape[0], probabilitiesOf }, options))
      text += classNames[number]
    return text
  }

  #probabilities(parameters: Float32Array, window: Float32Array): Unread<Float32Array> {
    this.#weights.load(parameters)
    const outputs = this.#apply(tf.tensor(window, [1, ...this.signature.inputShape]), false)
    const probabilities = endsInSoftmax(this.#parts.model) ? outputs : tf.softmax(outputs)
    return { tensors: [probabilities], result: ([values]) => values.slice() }
  }

  /** No tensor outlives it. Other works may run before it ends, so each loads its own weights. */
  async #compute<Result>(steps: () => Unread<Result>): Promise<Result> {
    try {
      return await compute(this.#parts.backend.name, steps)
    } catch (error) {
      const { userModule } = this.#parts
      throw userModule === undefined || isKnown(error) ? error : blame(userModule, 'a step', error)
    }
  }

  #gradient(parameters: Float32Array, batch: Uint32Array): Unread<Gradient> {
    this.#weights.load(parameters)
    const { inputs, targets } = this.#train.gather(batch)
    const vector = this.#vector
    const { tensors, result } = this.#weights.gradient(() => this.#penalised(inputs, targets), vector)
    return { tensors, result: (values) => ({ loss: result(values), vector }) }
  }

  /** The loss plus the terms of the layers' regularisers; the evaluation omits those. */
  #penalised(inputs: Tensor, targets: Tensor): Scalar {
    const { loss, model } = this.#parts
    const data = loss(this.#apply(inputs, true), targets)
    return model.calculateLosses().reduce((sum, penalty) => tf.add(sum, penalty), data)
  }

  #evaluate(parameters: Float32Array): Unread<Evaluation> {
    this.#weights.load(parameters)
    const chunks = chunksOf(this.#parts).map(([start, end]) =>
      tf.tidy(() => ({ ...this.#evaluateChunk(this.#test.range(start, end)) }))
    )
    const result = (values: readonly Float32Array[]) =>
      this.#mean((_start, _end, chunk) => {
        const [[loss], [correct]] = values.slice(2 * chunk)
        return { loss, correct, counted: chunks[chunk].counted }
      })
    return { tensors: chunks.flatMap(({ loss, correct }) => [loss, correct]), result }
  }

  /** The mean over all test samples, chunk by chunk. */
  #mean(evaluateChunk: (start: number, end: number, chunk: number) => ChunkEvaluation): Evaluation {
    const { count, classes } = this.#parts.localData.test
    let loss = 0
    let correct = 0
    let counted = 0
    for (const [index, [start, end]] of chunksOf(this.#parts).entries()) {
      const chunk = evaluateChunk(start, end, index)
      loss += (end - start) * chunk.loss
      correct += chunk.correct
      counted += chunk.counted
    }
    const mean = loss / count
    const perplexity = this.#parts.isLanguageModel ? { perplexity: exp(mean) } : {}
    return counted > 0 && classes !== undefined
      ? { loss: mean, accuracy: correct / counted, ...perplexity }
      : { loss: mean, ...perplexity }
  }

  #evaluateChunk({ inputs, targets }: Batch) {
    const outputs = this.#apply(inputs, false)
    const loss = this.#parts.loss(outputs, targets)
    const { classes } = this.#parts.localData.test
    // With a user's own loss, the outputs may not be one number per class.
    const reportsAccuracy =
      classes !== undefined && outputs.shape.at(-1) === classes && outputs.size === targets.size * classes
    return reportsAccuracy
      ? { loss, correct: countRight(outputs, targets), counted: targets.size }
      : { loss, correct: tf.scalar(0), counted: 0 }
  }

  #apply(inputs: Tensor, training: boolean): Tensor {
    const outputs = this.#parts.model.apply(inputs, { training })
    invariant(outputs instanceof tf.Tensor, 'a model with one output did not return one tensor')
    return outputs
  }
}

/** The beginnings and ends of the test samples that are evaluated at a time. */
function chunksOf({ localData, isLanguageModel }: TfjsTaskParts): (readonly [number, number])[] {
  const { count, inputShape } = localData.test
  const length = isLanguageModel ? Math.ceil(chunkCharacters / inputShape[0]) : chunkLength
  return Array.from({ length: Math.ceil(count / length) }, (_, chunk) => [
    chunk * length,
    Math.min((chunk + 1) * length, count)
  ])
}

function numbersFrom(start: number, end: number): Uint32Array {
  return Uint32Array.from({ length: end - start }, (_, index) => start + index)
}

function isKnown(error: unknown): boolean {
  return error instanceof InputError || error instanceof InvariantError
}
