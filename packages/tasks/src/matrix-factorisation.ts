import { type Evaluation, InputError, type Schema } from '@murmuration/core'
import type { Ratings } from '@murmuration/data'
import { createRandom } from '@murmuration/random'
import { checkedPenalty } from './penalty.js'
import type { KeySet, RowsLoss } from './rows-model.js'

/** Standard deviation of the initial factors. */
const startDeviation = 0.1

/**
 * Matrix factorisation with biases (Koren et al., Computer 42(8), 2009, eq. 4 and 5). A rating r of user u for item i
 * is predicted as μ + b_u + b_i + p_u · q_i, with μ the mean of all ratings; its loss is (prediction − r)² + l2
 * (‖p_u‖² + ‖q_i‖² + b_u² + b_i²), averaged over a batch. A batch contains only the penalties of its own users and
 * items, so that it touches no other rows.
 *
 * Row u of the parameters is p_u and b_u; row users + i is q_i and b_i. Both have rank + 1 numbers. Sums run in
 * float64.
 */
export class MatrixFactorisation implements RowsLoss {
  readonly schema: Schema
  readonly about: string
  readonly count: number
  readonly width: number
  readonly testSamples: number
  readonly #train: Ratings
  readonly #test: Ratings
  readonly #l2: number
  readonly #mean: number

  /** Throws an {@link InputError} for no ratings, or an impossible `l2`. */
  constructor(train: Ratings, test: Ratings, rank: number, l2: number) {
    if (train.value.length === 0 || test.value.length === 0)
      throw new InputError(
        `found ${train.value.length} ratings to train and ${test.value.length} to test, expected some of both`
      )
    const { users, items } = train
    this.width = rank + 1
    this.#train = train
    this.#test = test
    this.#l2 = checkedPenalty(l2)
    this.count = users + items
    this.testSamples = test.value.length
    this.schema = [
      { name: 'users', shape: [users, this.width] },
      { name: 'items', shape: [items, this.width] }
    ]
    this.about = `matrix factorisation, ${users} users, ${items} items, rank ${rank}, l2 ${l2}`
    this.#mean = train.value.reduce((sum, value) => sum + value, 0) / train.value.length
  }

  /** Normal factors, biases of 0. */
  initialise(seed: number): Float32Array {
    const random = createRandom(seed, 'matrix-factorisation')
    const rank = this.width - 1
    return Float32Array.from({ length: this.count * this.width }, (_, at) =>
      at % this.width === rank ? 0 : startDeviation * random.normal()
    )
  }

  addKeys(sample: number, _: number, keys: KeySet): void {
    const { user, item, users } = this.#train
    keys.add(user[sample])
    keys.add(users + item[sample])
  }

  /** The mean square error on the test ratings. */
  evaluate(parameters: Float32Array): Evaluation {
    const { user, item, value } = this.#test
    const users = this.#train.users
    let loss = 0
    for (let n = 0; n < value.length; n++) {
      const error = this.#predict(parameters, user[n] * this.width, (users + item[n]) * this.width) - value[n]
      loss += error * error
    }
    return { loss: loss / value.length }
  }

  /** The block of the sample's item. In drawn ratings popular items have neighbouring numbers; a hash spreads them. */
  blockOf(sample: number, blocks: number): number {
    return Math.floor(((Math.imul(this.#train.item[sample] + 1, 0x9e3779b1) >>> 0) / 2 ** 32) * blocks)
  }

  addGradient(
    rows: Float32Array,
    offsets: Uint32Array,
    sample: number,
    _: number,
    weight: number,
    out: Float32Array
  ): number {
    const { user, item, users } = this.#train
    const u = offsets[user[sample]]
    const i = offsets[users + item[sample]]
    const l2 = this.#l2
    const error = this.#predict(rows, u, i) - this.#train.value[sample]
    const rank = this.width - 1
    let square = 0
    for (let k = 0; k < rank; k++) {
      const p = rows[u + k]
      const q = rows[i + k]
      out[u + k] += 2 * weight * (error * q + l2 * p)
      out[i + k] += 2 * weight * (error * p + l2 * q)
      square += p * p + q * q
    }
    const ofUser = rows[u + rank]
    const ofItem = rows[i + rank]
    out[u + rank] += 2 * weight * (error + l2 * ofUser)
    out[i + rank] += 2 * weight * (error + l2 * ofItem)
    return error * error + l2 * (square + ofUser * ofUser + ofItem * ofItem)
  }

  #predict(rows: Float32Array, u: number, i: number): number {
    const rank = this.width - 1
    let sum = this.#mean + rows[u + rank] + rows[i + rank]
    for (let k = 0; k < rank; k++) sum += rows[u + k] * rows[i + k]
    return sum
  }
}
