import { exp, pow, type Evaluation, InputError, type Schema } from '@murmuration/core'
import type { SplitTriples } from '@murmuration/data'
import { CounterRandom, createRandom } from '@murmuration/random'
import { sigmoid, softplus } from '../logistic-loss.js'
import { checkedPenalty } from '../penalty.js'
import type { KeySet, RowsLoss } from '../rows-model.js'
import { ranked } from './ranking.js'
import { type Scoring, type ScoringName, scoreOf, scorings } from './scoring.js'

/** The settings of the model and its loss. */
export interface KnowledgeGraphSettings {
  readonly scoring: ScoringName
  readonly rank: number
  readonly negatives: number
  /** α: how much more negatives with a high score count; 0 for equal weights. */
  readonly adversarial: number
  readonly l2: number
  readonly n3: number
  readonly seed: number
}

/**
 * Standard deviation of the initial numbers, times the fourth root of the rank. From a start much nearer to 0, where
 * the gradient is 0, descent takes many epochs to leave.
 */
const startDeviation = 0.5

/**
 * Knowledge graph embeddings with negative sampling. The loss of a triple with score s is −log σ(s) − Σ_i p_i log
 * σ(−s_i), over `negatives` triples in which any entity replaces the head or the tail, with equal probability (Bordes
 * et al., NIPS 2013). p_i is e^(α s_i) / Σ_j e^(α s_j), through which no gradient flows (self-adversarial negative
 * sampling: Sun et al., ICLR 2019, equations 5 and 6, with the score in place of γ − d); with α = 0 it is 1 /
 * negatives. Draws depend on seed, triple and round. A negative that happens to be true is not omitted.
 *
 * Penalties apply to the triple's own h, r and t: l2 ‖·‖² (Trouillon et al., ICML 2016), and n3 Σ |·|³, for complex
 * numbers of the modulus (Lacroix, Usunier and Obozinski, ICML 2018, without the factor of one third).
 *
 * Row e of the parameters is entity e; the rows of the relations follow. Sums of a triple run in float64.
 */
export class KnowledgeGraph implements RowsLoss {
  readonly schema: Schema
  readonly about: string
  readonly count: number
  readonly width: number
  readonly testSamples: number
  readonly #graph: SplitTriples
  readonly #scoring: Scoring
  readonly #settings: KnowledgeGraphSettings
  readonly #draws: CounterRandom
  /**
   * Buffers for one triple: the queries of (h, r, ?) and (?, r, t), and the gradients by them; for each negative its
   * entity, score and weight.
   */
  readonly #queries: readonly [Float64Array, Float64Array]
  readonly #queryGradients: readonly [Float64Array, Float64Array]
  readonly #drawn: Uint32Array
  readonly #scores: Float64Array
  readonly #weights: Float64Array

  /** Throws an {@link InputError} for no triples, or impossible penalties. */
  constructor(graph: SplitTriples, settings: KnowledgeGraphSettings) {
    const { scoring, rank, negatives, adversarial, l2, n3, seed } = settings
    const { entities, relations, train, test } = graph
    if (train.head.length === 0 || test.head.length === 0)
      throw new InputError(
        `found ${train.head.length} triples to train and ${test.head.length} to test, expected some of both`
      )
    checkedPenalty(l2)
    checkedPenalty(n3)
    this.#graph = graph
    this.#settings = settings
    this.#scoring = scorings[scoring](rank)
    const { title, width, relationRows } = this.#scoring
    this.width = width
    this.count = entities + relations * relationRows
    this.testSamples = test.head.length
    this.schema = [
      { name: 'entities', shape: [entities, width] },
      { name: 'relations', shape: [relations, relationRows * width] }
    ]
    const weighed = adversarial > 0 ? `self-adversarial with α = ${adversarial}` : 'uniform'
    this.about = `${title}, ${entities} entities, ${relations} relations, rank ${rank}, ${negatives} negatives, ${weighed}`
    this.#draws = new CounterRandom(createRandom(seed, 'negative samples').integer(2 ** 32))
    this.#queries = [new Float64Array(width), new Float64Array(width)]
    this.#queryGradients = [new Float64Array(width), new Float64Array(width)]
    this.#drawn = new Uint32Array(negatives)
    this.#scores = new Float64Array(negatives)
    this.#weights = new Float64Array(negatives)
  }

  /** Normal numbers. */
  initialise(seed: number): Float32Array {
    const random = createRandom(seed, 'knowledge-graph')
    const deviation = startDeviation / pow(this.#settings.rank, 0.25)
    return Float32Array.from({ length: this.count * this.width }, () => deviation * random.normal())
  }

  addKeys(sample: number, round: number, keys: KeySet): void {
    const { head, relation, tail } = this.#graph.train
    keys.add(head[sample])
    keys.add(tail[sample])
    const first = this.#relationKey(relation[sample])
    const { relationRows } = this.#scoring
    for (let row = 0; row < relationRows; row++) keys.add(first + row)
    this.#draw(sample, round)
    for (const drawn of this.#drawn) keys.add(drawn >>> 1)
  }

  addGradient(
    rows: Float32Array,
    offsets: Uint32Array,
    sample: number,
    round: number,
    weight: number,
    out: Float32Array
  ): number {
    const { head, relation, tail } = this.#graph.train
    const h = offsets[head[sample]]
    const t = offsets[tail[sample]]
    const r = offsets[this.#relationKey(relation[sample])]
    const scoring = this.#scoring
    const queries = this.#queries
    const queryGradients = this.#queryGradients
    scoring.tailQuery(rows, h, r, queries[0])
    scoring.headQuery(rows, r, t, queries[1])
    queryGradients[0].fill(0)
    queryGradients[1].fill(0)
    const score = scoreOf(queries[0], rows, t)
    this.#addScoreGradient(rows, 0, t, -sigmoid(-score), weight, out)
    this.#draw(sample, round)
    let loss = softplus(-score) + this.#weighNegatives(rows, offsets)
    for (let n = 0; n < this.#drawn.length; n++) {
      const derivative = this.#weights[n] * sigmoid(this.#scores[n])
      this.#addScoreGradient(rows, this.#drawn[n] & 1, offsets[this.#drawn[n] >>> 1], derivative, weight, out)
    }
    scoring.addTailGradient(rows, h, r, queryGradients[0], weight, out)
    scoring.addHeadGradient(rows, r, t, queryGradients[1], weight, out)
    const { width, relationRows } = scoring
    for (const [at, length] of [
      [h, width],
      [r, width * relationRows],
      [t, width]
    ] as const)
      loss += this.#addPenalty(rows, at, length, weight, out)
    return loss
  }

  /**
   * The training loss as the mean over all negatives and without penalties; filtered MRR and hits@k of the test
   * triples.
   */
  evaluate(parameters: Float32Array): Evaluation {
    const relationAt = (relation: number) => this.#relationKey(relation) * this.width
    return ranked(this.#graph, this.#scoring, relationAt, parameters)
  }

  #relationKey(relation: number): number {
    return this.#graph.entities + relation * this.#scoring.relationRows
  }

  /** Draws the negatives of a triple: twice the entity, plus 1 where it replaces the head. */
  #draw(sample: number, round: number): void {
    const draws = this.#draws.at(sample, round)
    for (let n = 0; n < this.#drawn.length; n++) this.#drawn[n] = draws.below(2 * this.#graph.entities)
  }

  /** Scores the drawn negatives, and gives each its weight p_i; returns their loss. */
  #weighNegatives(rows: Float32Array, offsets: Uint32Array): number {
    const scores = this.#scores
    const weights = this.#weights
    const drawn = this.#drawn
    const alpha = this.#settings.adversarial
    let highest = Number.NEGATIVE_INFINITY
    for (let n = 0; n < drawn.length; n++) {
      scores[n] = scoreOf(this.#queries[drawn[n] & 1], rows, offsets[drawn[n] >>> 1])
      highest = Math.max(highest, scores[n])
    }
    let sum = 0
    let loss = 0
    for (let n = 0; n < drawn.length; n++) sum += weights[n] = exp(alpha * (scores[n] - highest))
    for (let n = 0; n < drawn.length; n++) loss += (weights[n] /= sum) * softplus(scores[n])
    return loss
  }

  /**
   * With the `derivative` by an entity's score for a query: adds to the gradient of the entity, and to the gradient by
   * the query.
   */
  #addScoreGradient(
    rows: Float32Array,
    side: number,
    entity: number,
    derivative: number,
    weight: number,
    out: Float32Array
  ): void {
    const query = this.#queries[side]
    const queryGradient = this.#queryGradients[side]
    const width = this.width
    for (let k = 0; k < width; k++) {
      queryGradient[k] += derivative * rows[entity + k]
      out[entity + k] += weight * derivative * query[k]
    }
  }

  #addPenalty(rows: Float32Array, at: number, length: number, weight: number, out: Float32Array): number {
    const { l2, n3, rank } = this.#settings
    let loss = 0
    if (l2 > 0)
      for (let k = at; k < at + length; k++) {
        loss += l2 * rows[k] * rows[k]
        out[k] += 2 * weight * l2 * rows[k]
      }
    if (n3 > 0)
      for (let re = at, im = at + rank; re < at + rank; re++, im++) {
        const modulus = Math.sqrt(rows[re] * rows[re] + rows[im] * rows[im])
        loss += n3 * modulus * modulus * modulus
        out[re] += 3 * weight * n3 * modulus * rows[re]
        out[im] += 3 * weight * n3 * modulus * rows[im]
      }
    return loss
  }
}
