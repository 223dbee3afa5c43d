import {
  type Evaluation,
  type Gradient,
  InputError,
  InvariantError,
  invariant,
  type ModelSignature,
  type Random,
  type Schema,
  type Task,
  type Work
} from '@murmuration/core'
import { createRandom } from '@murmuration/random'
import { blame } from '@murmuration/tasks/user-code'
import { fingerprintsOf, signatureOf } from '@murmuration/data'
import { lengthOf } from '@murmuration/vectors'
import type { Scalar, Tensor } from '@tensorflow/tfjs-core'
import { useBackend } from './backend.js'
import { type Batch, Batches } from './batches.js'
import { type ChunkEvaluation, type DenseNetwork, denseNetworkOf, type NetworkParts } from './dense/network.js'
import { dilateFilters } from './dilation.js'
import { drawingFrom } from './draws.js'
import { generated } from './gpt/generate.js'
import { countRight, endsInSoftmax, type Loss } from './loss.js'
import { tensorflow as tf } from './tensorflow.js'
import { freezeNormalisation } from './normalisation.js'
import { ModelWeights } from './weights.js'

/** The parts of a {@link TfjsTask}. */
export interface TfjsTaskParts extends NetworkParts {
  readonly loss: Loss
  /** Whether to start from the model's own weights. */
  readonly keepWeights: boolean
  /** The draws of the model's steps, such as dropout, come from its streams by round. */
  readonly random: Random
  /** The path of the user's module that made the model, if any. */
  readonly userModule?: string
  /** Whether a text is learned, by cross-entropy. */
  readonly isLanguageModel: boolean
  readonly about: Readonly<Record<string, string>>
}

/** Samples that are evaluated at a time; for texts, as many as have this number of characters together. */
const [chunkLength, chunkCharacters] = [512, 8192]

/** A generated text for people to read: its number of characters, and a temperature that slightly favours probable ones. */
const [shownLength, shownTemperature] = [160, 0.8]

/** A task over a built model and samples in memory. */
export class TfjsTask implements Task {
  readonly schema: Schema
  readonly samples: number
  readonly about: Readonly<Record<string, string>>
  readonly fingerprints: Readonly<Record<string, string>>
  readonly signature: ModelSignature
  readonly generate?: NonNullable<Task['generate']>
  readonly #parts: TfjsTaskParts
  readonly #weights: ModelWeights
  readonly #train: Batches
  readonly #test: Batches
  readonly #vector: Float32Array
  /** Computes instead of TensorFlow.js, for the models that it supports. */
  readonly #network: DenseNetwork | undefined

  constructor(parts: TfjsTaskParts) {
    this.#parts = parts
    this.#weights = new ModelWeights(parts.model)
    this.#train = new Batches(parts.localData.train)
    this.#test = new Batches(parts.localData.test)
    freezeNormalisation(parts.model)
    dilateFilters(parts.model)
    this.schema = this.#weights.schema
    this.samples = parts.localData.train.count
    this.about = parts.about
    this.fingerprints = fingerprintsOf(parts.localData)
    this.signature = signatureOf(parts.localData.train)
    this.#vector = new Float32Array(lengthOf(this.schema))
    this.#network = denseNetworkOf(parts, this.schema)
    if (parts.isLanguageModel) {
      this.generate = (parameters, seed) => ({
        kind: 'generate',
        samples: 1,
        run: () => this.#compute(() => this.#generate(parameters, seed))
      })
    }
  }

  initialise(seed: number): Work<Float32Array> {
    const run = () => this.#weights.initial(createRandom(seed, 'weights'), this.#parts.keepWeights)
    return { kind: 'initialise', samples: 0, run: async () => run() }
  }

  gradient(parameters: Float32Array, batch: Uint32Array, round = 0): Work<Gradient> {
    invariant(batch.length > 0, 'found an empty batch, expected at least one sample for a gradient')
    const { random, localData } = this.#parts
    const [network, vector] = [this.#network, this.#vector]
    const run = network
      ? async () => ({ loss: network.gradient(parameters, localData.train, batch, vector), vector })
      : () => this.#compute(() => drawingFrom(random.stream(`round ${round}`), () => this.#gradient(parameters, batch)))
    return { kind: 'gradient', samples: batch.length, run }
  }

  evaluate(parameters: Float32Array): Work<Evaluation> {
    const { test } = this.#parts.localData
    const network = this.#network
    const run = network
      ? async () => this.#evaluate((start, end) => network.evaluate(parameters, test, numbersFrom(start, end)))
      : () => this.#compute(() => this.#evaluateTensors(parameters))
    return { kind: 'evaluate', samples: test.count, run }
  }

  #generate(parameters: Float32Array, seed: number): string {
    const { classNames = [], inputShape } = this.signature
    this.#weights.load(parameters)
    const probabilitiesOf = (window: Float32Array) =>
      tf.tidy(() => {
        const outputs = this.#apply(tf.tensor(window, [1, ...inputShape]), false)
        return (endsInSoftmax(this.#parts.model) ? outputs : tf.softmax(outputs)).dataSync<'float32'>()
      })
    const beginning = [Math.max(0, classNames.indexOf('\n'))]
    const options = { length: shownLength, temperature: shownTemperature, random: createRandom(seed, 'text') }
    const numbers = generated(beginning, { context: inputShape[0], probabilitiesOf }, options)
    return Array.from(numbers, (number) => classNames[number]).join('')
  }

  /** From here on everything runs in one turn of the event loop, and no tensor outlives it. */
  async #compute<Result>(compute: () => Result): Promise<Result> {
    await useBackend(this.#parts.backend.name)
    tf.engine().startScope()
    try {
      return compute()
    } catch (error) {
      const { userModule } = this.#parts
      throw userModule === undefined || isKnown(error) ? error : blame(userModule, 'a step', error)
    } finally {
      tf.engine().endScope()
    }
  }

  #gradient(parameters: Float32Array, batch: Uint32Array): Gradient {
    this.#weights.load(parameters)
    const { inputs, targets } = this.#train.gather(batch)
    return { loss: this.#weights.gradient(() => this.#penalised(inputs, targets), this.#vector), vector: this.#vector }
  }

  /** The loss plus the terms of the layers' regularisers; the evaluation omits those. */
  #penalised(inputs: Tensor, targets: Tensor): Scalar {
    const { loss, model } = this.#parts
    const data = loss(this.#apply(inputs, true), targets)
    return model.calculateLosses().reduce((sum, penalty) => tf.add(sum, penalty), data)
  }

  #evaluateTensors(parameters: Float32Array): Evaluation {
    this.#weights.load(parameters)
    return this.#evaluate((start, end) => tf.tidy(() => ({ ...this.#evaluateChunk(this.#test.range(start, end)) })))
  }

  /** Evaluates all test samples, chunk by chunk. */
  #evaluate(evaluateChunk: (start: number, end: number) => ChunkEvaluation): Evaluation {
    const { count, classes, inputShape } = this.#parts.localData.test
    const { isLanguageModel } = this.#parts
    const length = isLanguageModel ? Math.ceil(chunkCharacters / inputShape[0]) : chunkLength
    let [loss, correct, counted] = [0, 0, 0]
    for (let start = 0; start < count; start += length) {
      const end = Math.min(start + length, count)
      const chunk = evaluateChunk(start, end)
      loss += (end - start) * chunk.loss
      correct += chunk.correct
      counted += chunk.counted
    }
    const mean = loss / count
    const perplexity = isLanguageModel ? { perplexity: Math.exp(mean) } : {}
    return counted > 0 && classes !== undefined
      ? { loss: mean, accuracy: correct / counted, ...perplexity }
      : { loss: mean, ...perplexity }
  }

  #evaluateChunk({ inputs, targets }: Batch): ChunkEvaluation {
    const outputs = this.#apply(inputs, false)
    const loss = this.#parts.loss(outputs, targets).dataSync()[0]
    const { classes } = this.#parts.localData.test
    // With a user's own loss, the outputs may not be one number per class.
    const reportsAccuracy =
      classes !== undefined && outputs.shape.at(-1) === classes && outputs.size === targets.size * classes
    return reportsAccuracy
      ? { loss, correct: countRight(outputs, targets), counted: targets.size }
      : { loss, correct: 0, counted: 0 }
  }

  #apply(inputs: Tensor, training: boolean): Tensor {
    const outputs = this.#parts.model.apply(inputs, { training })
    invariant(outputs instanceof tf.Tensor, 'a model with one output did not return one tensor')
    return outputs
  }
}

function numbersFrom(start: number, end: number): Uint32Array {
  return Uint32Array.from({ length: end - start }, (_, index) => start + index)
}

function isKnown(error: unknown): boolean {
  return error instanceof InputError || error instanceof InvariantError
}
