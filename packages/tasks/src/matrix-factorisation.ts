import { type Evaluation, InputError, type Schema, type TaskRows, type Work } from '@murmuration/core'
import type { Ratings } from '@murmuration/data'
import { createRandom } from '@murmuration/random'
import { checkedPenalty } from './penalty.js'
import type { Model } from './shard-task.js'

/** Standard deviation of the factors at the start. */
const startDeviation = 0.1

/**
 * Matrix factorisation with biases (Koren et al., Computer 42(8), 2009, eq. 4 and 5). A rating r of user u for item i is predicted as
 * μ + b_u + b_i + p_u · q_i, with μ the mean of all ratings; the loss of one is (prediction − r)² + l2 (‖p_u‖² + ‖q_i‖² + b_u² + b_i²), with
 * the mean over a batch. Of the penalty a batch has only the terms of its own users and items, so that it touches no other rows.
 *
 * Row u of the parameters is p_u and b_u; row users + i is q_i and b_i. Both have rank + 1 numbers. Sums run in float64.
 */
export class MatrixFactorisation implements Model {
  readonly schema: Schema
  readonly about: string
  readonly length: number
  readonly testSamples: number
  readonly width: number
  readonly #train: Ratings
  readonly #test: Ratings
  readonly #l2: number
  readonly #mean: number
  /** Of each key its place among those of a batch. */
  readonly #places: Uint32Array

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
    this.length = (users + items) * this.width
    this.testSamples = test.value.length
    this.schema = [
      { name: 'users', shape: [users, this.width] },
      { name: 'items', shape: [items, this.width] }
    ]
    this.about = `matrix factorisation, ${users} users, ${items} items, rank ${rank}, l2 ${l2}`
    this.#mean = train.value.reduce((sum, value) => sum + value, 0) / train.value.length
    this.#places = new Uint32Array(users + items)
  }

  /** Normal factors, biases of 0. */
  initialise(seed: number): Float32Array {
    const random = createRandom(seed, 'matrix-factorisation')
    const rank = this.width - 1
    return Float32Array.from({ length: this.length }, (_, at) =>
      at % this.width === rank ? 0 : startDeviation * random.normal()
    )
  }

  gradient(parameters: Float32Array, first: number, batch: Uint32Array, out: Float32Array): number {
    const { user, item, users } = this.#train
    out.fill(0)
    let loss = 0
    for (const sample of batch) {
      const n = first + sample
      loss += this.#addGradient(
        parameters,
        n,
        user[n] * this.width,
        (users + item[n]) * this.width,
        1 / batch.length,
        out
      )
    }
    return loss / batch.length
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

  rows(first: number): TaskRows {
    const { users, items, item } = this.#train
    return {
      count: users + items,
      width: this.width,
      keysOf: (batch) => this.#keysOf(first, batch),
      gradient: (rows, keys, batch, out): Work<number> => ({
        kind: 'gradient',
        samples: batch.length,
        run: () => this.#gradientOfRows(rows, keys, first, batch, out)
      }),
      // Popular items have neighbouring numbers in drawn ratings; a hash spreads them.
      blockOf: (sample, blocks) =>
        Math.floor(((Math.imul(item[first + sample] + 1, 0x9e3779b1) >>> 0) / 2 ** 32) * blocks)
    }
  }

  #keysOf(first: number, batch: Uint32Array): Uint32Array {
    const { user, item, users } = this.#train
    const all = new Uint32Array(2 * batch.length)
    for (let b = 0; b < batch.length; b++) {
      all[2 * b] = user[first + batch[b]]
      all[2 * b + 1] = users + item[first + batch[b]]
    }
    all.sort()
    let count = 0
    for (let k = 0; k < all.length; k++) if (k === 0 || all[k] !== all[k - 1]) all[count++] = all[k]
    return all.slice(0, count)
  }

  #gradientOfRows(rows: Float32Array, keys: Uint32Array, first: number, batch: Uint32Array, out: Float32Array): number {
    const { user, item, users } = this.#train
    const places = this.#places
    for (let k = 0; k < keys.length; k++) places[keys[k]] = k
    out.fill(0)
    let loss = 0
    for (const sample of batch) {
      const n = first + sample
      const [u, i] = [places[user[n]] * this.width, places[users + item[n]] * this.width]
      loss += this.#addGradient(rows, n, u, i, 1 / batch.length, out)
    }
    return loss / batch.length
  }

  /** Adds `weight` times the gradient of rating n, whose rows begin at u and i, to `out`; returns its loss. */
  #addGradient(rows: Float32Array, n: number, u: number, i: number, weight: number, out: Float32Array): number {
    const l2 = this.#l2
    const error = this.#predict(rows, u, i) - this.#train.value[n]
    const rank = this.width - 1
    let square = 0
    for (let k = 0; k < rank; k++) {
      const [p, q] = [rows[u + k], rows[i + k]]
      out[u + k] += 2 * weight * (error * q + l2 * p)
      out[i + k] += 2 * weight * (error * p + l2 * q)
      square += p * p + q * q
    }
    const [ofUser, ofItem] = [rows[u + rank], rows[i + rank]]
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
