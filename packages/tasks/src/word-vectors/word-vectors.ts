import { pow, type Evaluation, InputError, type Schema } from '@murmuration/core'
import type { WordText } from '@murmuration/data'
import { CounterRandom, createRandom } from '@murmuration/random'
import { sigmoid, softplus } from '../logistic-loss.js'
import type { KeySet, RowsLoss } from '../rows-model.js'
import { AliasTable } from './alias-table.js'

/** The settings of the model and its loss. */
export interface WordVectorsSettings {
  readonly rank: number
  /** The maximum number of context words on each side. */
  readonly window: number
  readonly negatives: number
  /** t: occurrences of words that are a larger fraction of the text are omitted at random; 0 for none. */
  readonly subsample: number
  readonly seed: number
}

/** Negatives are drawn with probabilities proportional to the words' frequency to this power. */
const power = 0.75
/** The round that seeds the draws of the test, which are always the same. */
const testRound = 0xffffffff

/**
 * Skip-gram with negative sampling (Mikolov, Sutskever, Chen, Corrado and Dean, NIPS 2013, equation 4). A sample is a
 * word w of the text. Its loss is the sum over its context words c of −log σ(u_c · v_w) − Σ_i log σ(−u_i · v_w), over
 * `negatives` words i, drawn by their frequency to the power of ¾; one that is c is omitted. The context is b words to
 * each side in the sentence, with b drawn from 1 to `window`. An occurrence of a word with frequency f is omitted with
 * probability 1 − √(t / f) (equation 5): as w its loss is then 0, and as a context word a farther word replaces it. All
 * draws depend on seed, place in the text and round.
 *
 * Row w of the parameters is v_w; row words + c is u_c. Sums of a word run in float64. The text after the first `train`
 * words is for testing.
 */
export class WordVectors implements RowsLoss {
  readonly schema: Schema
  readonly about: string
  readonly count: number
  readonly width: number
  readonly testSamples: number
  readonly #text: WordText
  readonly #train: number
  readonly #settings: WordVectorsSettings
  /** Pairs of words that mean the same. */
  readonly #synonyms: readonly (readonly [number, number])[]
  readonly #draws: CounterRandom
  readonly #subsampling: CounterRandom
  /** An occurrence of a word is kept if a draw is below this. */
  readonly #kept: Float64Array
  readonly #noise: AliasTable
  /** Buffers for a sample: its context words, each followed by its negatives, as keys of rows. */
  readonly #targets: Uint32Array
  readonly #wordGradient: Float64Array

  /** Throws an {@link InputError} for a text without words to train or to test. */
  constructor(
    text: WordText,
    train: number,
    synonyms: readonly (readonly [number, number])[],
    settings: WordVectorsSettings
  ) {
    const { rank, window, negatives, subsample, seed } = settings
    const { words, word } = text
    if (train < 1 || train >= word.length)
      throw new InputError(`found ${train} words to train and ${word.length - train} to test, expected some of both`)
    this.#text = text
    this.#train = train
    this.#synonyms = synonyms
    this.#settings = settings
    this.width = rank
    this.count = 2 * words
    this.testSamples = word.length - train
    this.schema = [
      { name: 'words', shape: [words, rank] },
      { name: 'company', shape: [words, rank] }
    ]
    this.about = `skip-gram, ${words} words, rank ${rank}, window ${window}, ${negatives} negatives, t ${subsample}`
    const counts = new Array<number>(words).fill(0)
    for (const index of word.subarray(0, train)) counts[index]++
    this.#kept = Float64Array.from(counts, (count) =>
      subsample === 0 || count === 0 ? 2 ** 32 : 2 ** 32 * Math.sqrt((subsample * train) / count)
    )
    this.#noise = new AliasTable(counts.map((count) => pow(count, power)))
    this.#draws = new CounterRandom(createRandom(seed, 'company').integer(2 ** 32))
    this.#subsampling = new CounterRandom(createRandom(seed, 'subsampling').integer(2 ** 32))
    this.#targets = new Uint32Array(2 * window * (1 + negatives))
    this.#wordGradient = new Float64Array(rank)
  }

  /** Word vectors evenly between ±½ / rank, context vectors 0, as in word2vec. */
  initialise(seed: number): Float32Array {
    const random = createRandom(seed, 'word-vectors')
    const half = (this.count * this.width) / 2
    return Float32Array.from({ length: 2 * half }, (_, at) => (at < half ? (random.uniform() - 0.5) / this.width : 0))
  }

  addKeys(sample: number, round: number, keys: KeySet): void {
    const count = this.#draw(sample, round)
    if (count > 0) keys.add(this.#text.word[sample])
    for (let n = 0; n < count; n++) keys.add(this.#targets[n])
  }

  addGradient(
    rows: Float32Array,
    offsets: Uint32Array,
    sample: number,
    round: number,
    weight: number,
    out: Float32Array
  ): number {
    const count = this.#draw(sample, round)
    if (count === 0) return 0
    const targets = this.#targets
    const wordGradient = this.#wordGradient
    const rank = this.width
    const group = 1 + this.#settings.negatives
    const v = offsets[this.#text.word[sample]]
    wordGradient.fill(0)
    let loss = 0
    for (let n = 0; n < count; n++) {
      const isCompany = n % group === 0
      if (!isCompany && targets[n] === targets[n - (n % group)]) continue
      const u = offsets[targets[n]]
      const score = dot(rows, u, v, rank)
      loss += softplus(isCompany ? -score : score)
      const derivative = sigmoid(score) - (isCompany ? 1 : 0)
      for (let k = 0, at = weight * derivative; k < rank; k++) {
        wordGradient[k] += derivative * rows[u + k]
        out[u + k] += at * rows[v + k]
      }
    }
    for (let k = 0; k < rank; k++) out[v + k] += weight * wordGradient[k]
    return loss
  }

  /**
   * The mean loss of the test words; as accuracy the fraction of the synonyms whose nearest vector, by the cosine, is
   * that of their synonym.
   */
  evaluate(parameters: Float32Array): Evaluation {
    const { word } = this.#text
    let loss = 0
    for (let sample = this.#train; sample < word.length; sample++) loss += this.#lossOf(parameters, sample)
    return { loss: loss / this.testSamples, ...this.#synonymAccuracy(parameters) }
  }

  #lossOf(parameters: Float32Array, sample: number): number {
    const count = this.#draw(sample, testRound)
    const rank = this.width
    const group = 1 + this.#settings.negatives
    const v = this.#text.word[sample] * rank
    let loss = 0
    for (let n = 0; n < count; n++) {
      const isCompany = n % group === 0
      if (!isCompany && this.#targets[n] === this.#targets[n - (n % group)]) continue
      const score = dot(parameters, this.#targets[n] * rank, v, rank)
      loss += softplus(isCompany ? -score : score)
    }
    return loss
  }

  #synonymAccuracy(parameters: Float32Array): Pick<Evaluation, 'accuracy'> {
    if (this.#synonyms.length === 0) return {}
    const { words } = this.#text
    const rank = this.width
    const lengths = Float64Array.from({ length: words }, (_, w) => Math.sqrt(dot(parameters, w * rank, w * rank, rank)))
    const nearest = (word: number) => {
      let best = -1
      let maxCosine = Number.NEGATIVE_INFINITY
      for (let w = 0; w < words; w++) {
        const cosine =
          w === word ? Number.NaN : dot(parameters, w * rank, word * rank, rank) / (lengths[w] * lengths[word])
        if (cosine > maxCosine) {
          best = w
          maxCosine = cosine
        }
      }
      return best
    }
    const right = this.#synonyms.filter(([left, other]) => nearest(left) === other).length
    return { accuracy: right / this.#synonyms.length }
  }

  /** Draws the context words of a position in the text, and negatives for each; returns the number of targets. */
  #draw(sample: number, round: number): number {
    if (!this.#isKept(sample, round)) return 0
    const { window } = this.#settings
    const draws = this.#draws.at(sample, round)
    const maxWords = 1 + draws.below(window)
    const [from, to] = sample < this.#train ? [0, this.#train] : [this.#train, this.#text.word.length]
    let count = 0
    for (const step of [-1, 1])
      for (
        let position = sample + step, found = 0;
        found < maxWords && position >= from && position < to;
        position += step
      ) {
        if (this.#text.sentence[position] !== this.#text.sentence[sample]) break
        if (!this.#isKept(position, round)) continue
        found++
        count = this.#addTargets(this.#text.word[position], draws, count)
      }
    return count
  }

  #isKept(position: number, round: number): boolean {
    return this.#subsampling.at(position, round).next() < this.#kept[this.#text.word[position]]
  }

  #addTargets(company: number, draws: CounterRandom, count: number): number {
    const { words } = this.#text
    const end = count + 1 + this.#settings.negatives
    this.#targets[count] = words + company
    for (let n = count + 1; n < end; n++)
      this.#targets[n] = words + this.#noise.draw(draws.below(words), draws.next() / 2 ** 32)
    return end
  }
}

function dot(numbers: Float32Array, left: number, right: number, length: number): number {
  let sum = 0
  for (let k = 0; k < length; k++) sum += numbers[left + k] * numbers[right + k]
  return sum
}
