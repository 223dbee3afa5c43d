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
import { blame } from '@murmuration/tasks'
import { fingerprintsOf, type LocalData, signatureOf } from '@murmuration/data'
import { lengthOf } from '@murmuration/vectors'
import type { Scalar, Tensor } from '@tensorflow/tfjs-core'
import type { LayersModel } from '@tensorflow/tfjs-layers'
import { type Backend, useBackend } from './backend.js'
import { type Batch, Batches } from './batches.js'
import { spreadDilatedFilters } from './dilation.js'
import { drawingFrom } from './draws.js'
import { generated } from './gpt/generate.js'
import { countRight, endsInSoftmax, type Loss } from './loss.js'
import { tensorflow as tf } from './tensorflow.js'
import { freezeNormalisation } from './normalisation.js'
import { ModelWeights } from './weights.js'

/** What a {@link TfjsTask} is made of. */
export interface TfjsTaskParts {
  readonly backend: Backend
  readonly localData: LocalData
  readonly model: LayersModel
  readonly loss: Loss
  /** Whether the model's own weights are what to start from. */
  readonly keepWeights: boolean
  /** What the model draws in its steps, such as dropout, comes from its streams by round. */
  readonly random: Random
  /** The path of the user's module that made the model, if any. */
  readonly userModule?: string
  /** Whether it is a text that is learned, by cross-entropy. */
  readonly isLanguageModel: boolean
  readonly about: Readonly<Record<string, string>>
}

/** Samples that are evaluated at a time; of texts as many as have so many characters. */
const [chunkLength, chunkCharacters] = [512, 8192]

/** A text that is generated for people to look at: so many characters, a little likelier than the model's own. */
const [shownLength, shownTemperature] = [160, 0.8]

/** A task over a model that is already built and samples that are already there. */
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

  constructor(parts: TfjsTaskParts) {
    this.#parts = parts
    this.#weights = new ModelWeights(parts.model)
    this.#train = new Batches(parts.localData.train)
    this.#test = new Batches(parts.localData.test)
    freezeNormalisation(parts.model)
    spreadDilatedFilters(parts.model)
    this.schema = this.#weights.schema
    this.samples = parts.localData.train.count
    this.about = parts.about
    this.fingerprints = fingerprintsOf(parts.localData)
    this.signature = signatureOf(parts.localData.train)
    this.#vector = new Float32Array(lengthOf(this.schema))
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
    invariant(batch.length > 0, 'the gradient over a batch of no samples was asked for')
    return {
      kind: 'gradient',
      samples: batch.length,
      run: () =>
        this.#compute(() =>
          drawingFrom(this.#parts.random.stream(`round ${round}`), () => this.#gradient(parameters, batch))
        )
    }
  }

  evaluate(parameters: Float32Array): Work<Evaluation> {
    const samples = this.#parts.localData.test.count
    return { kind: 'evaluate', samples, run: () => this.#compute(() => this.#evaluate(parameters)) }
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
    const how = { length: shownLength, temperature: shownTemperature, random: createRandom(seed, 'text') }
    const numbers = generated(beginning, { context: inputShape[0], probabilitiesOf }, how)
    return Array.from(numbers, (number) => classNames[number]).join('')
  }

  /** What happens from here on happens in one turn, and no tensor outlives it. */
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

  /** The loss and what the layers' regularisers add to it; the evaluation leaves those out. */
  #penalised(inputs: Tensor, targets: Tensor): Scalar {
    const { loss, model } = this.#parts
    const data = loss(this.#apply(inputs, true), targets)
    return model.calculateLosses().reduce((sum, penalty) => tf.add(sum, penalty), data)
  }

  #evaluate(parameters: Float32Array): Evaluation {
    const { count, classes, inputShape } = this.#parts.localData.test
    const { isLanguageModel } = this.#parts
    const length = isLanguageModel ? Math.ceil(chunkCharacters / inputShape[0]) : chunkLength
    this.#weights.load(parameters)
    let [loss, right, counted] = [0, 0, 0]
    for (let start = 0; start < count; start += length) {
      const end = Math.min(start + length, count)
      const chunk = tf.tidy(() => this.#evaluateChunk(this.#test.range(start, end)))
      loss += (end - start) * chunk.loss
      right += chunk.right
      counted += chunk.counted
    }
    const mean = loss / count
    const perplexity = isLanguageModel ? { perplexity: Math.exp(mean) } : {}
    return counted > 0 && classes !== undefined
      ? { loss: mean, accuracy: right / counted, ...perplexity }
      : { loss: mean, ...perplexity }
  }

  #evaluateChunk({ inputs, targets }: Batch): { loss: number; right: number; counted: number } {
    const outputs = this.#apply(inputs, false)
    const loss = this.#parts.loss(outputs, targets).dataSync()[0]
    const { classes } = this.#parts.localData.test
    // A loss of the user's own may go with outputs that are no numbers per class.
    const tells = classes !== undefined && outputs.shape.at(-1) === classes && outputs.size === targets.size * classes
    return tells ? { loss, right: countRight(outputs, targets), counted: targets.size } : { loss, right: 0, counted: 0 }
  }

  #apply(inputs: Tensor, training: boolean): Tensor {
    const outputs = this.#parts.model.apply(inputs, { training })
    invariant(outputs instanceof tf.Tensor, 'a model with one output gave something else than one tensor')
    return outputs
  }
}

function isKnown(error: unknown): boolean {
  return error instanceof InputError || error instanceof InvariantError
}
