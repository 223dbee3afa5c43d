import { pow } from '@murmuration/core'
import { createRandom, normals } from '@murmuration/random'
import type { Ratings } from './files/ratings.js'
import { cumulated, firstAbove } from './zipf.js'

/** The parameters of random ratings. */
export interface RatingsOptions {
  readonly users: number
  readonly items: number
  readonly ratings: number
  /** The number of factors of the users and items. */
  readonly rank: number
  /** Standard deviation of the noise that is added to each rating. */
  readonly noise: number
  /** s: item k, 1, 2, …, is rated with a probability proportional to k^−s (Zipf's law); 0 for equal probabilities. */
  readonly zipf: number
  readonly seed: number
}

/**
 * Ratings with known factors: `3.5 + b_u + b_i + p_u · q_i + noise`, with normal biases of standard deviation 0.3, and
 * normal factors whose product has standard deviation 1. All users are equally probable. The smallest mean square error
 * of any model is `noise²`.
 */
export function drawRatings({ users, items, ratings, rank, noise, zipf, seed }: RatingsOptions): Ratings {
  const random = createRandom(seed, 'ratings')
  const factors = (count: number, purpose: string) =>
    normals(count * rank, random.stream(purpose)).map((value) => value * pow(rank, -0.25))
  const biases = (count: number, purpose: string) => normals(count, random.stream(purpose)).map((value) => value * 0.3)
  const p = factors(users, 'users')
  const q = factors(items, 'items')
  const ofUser = biases(users, 'user biases')
  const ofItem = biases(items, 'item biases')
  const itemUpTo = cumulated(items, zipf)
  const pairs = random.stream('pairs')
  const noises = random.stream('noise')
  const drawn = { user: new Uint32Array(ratings), item: new Uint32Array(ratings), value: new Float32Array(ratings) }
  for (let n = 0; n < ratings; n++) {
    const user = pairs.integer(users)
    const item = firstAbove(itemUpTo, pairs.uniform() * itemUpTo[items - 1])
    let value = 3.5 + ofUser[user] + ofItem[item] + noise * noises.normal()
    for (let k = 0; k < rank; k++) value += p[user * rank + k] * q[item * rank + k]
    drawn.user[n] = user
    drawn.item[n] = item
    drawn.value[n] = value
  }
  return { users, items, ...drawn }
}
