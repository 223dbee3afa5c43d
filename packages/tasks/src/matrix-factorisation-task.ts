import { InputError, type Task } from '@murmuration/core'
import { drawRatings, type Ratings, readRatings } from '@murmuration/data'
import { createRandom } from '@murmuration/random'
import { hashVector } from '@murmuration/vectors'
import { MatrixFactorisation } from './matrix-factorisation.js'
import { ShardTask } from './shard-task.js'
import { taskSetOf, type TaskSet } from './task-set.js'

/** Options of {@link createMatrixFactorisationTask}. JSON. */
export interface MatrixFactorisationOptions {
  readonly peers: readonly string[]
  /** Whose ratings; those of all peers when absent. */
  readonly self?: string | undefined
  readonly seed: number
  /** A file of ratings as MovieLens has them; they are drawn when absent. */
  readonly file?: string | undefined
  /** Of drawn ratings. */
  readonly users: number
  readonly items: number
  readonly ratings: number
  readonly noise: number
  readonly zipf: number
  /** Factors of each user and item: of the model, and of drawn ratings. */
  readonly rank: number
  readonly l2: number
}

/** The fraction of the ratings that is held back to test. */
const testFraction = 0.1

/** The module that builds this task in a worker thread. */
export const matrixFactorisationModule = new URL('./matrix-factorisation-task.js', import.meta.url).href

/** What a worker thread calls: {@link createMatrixFactorisationTask}. */
export const createTask = createMatrixFactorisationTask

/** Matrix factorisation of one peer's ratings. Each peer has the ratings of as many users as the others. Throws an {@link InputError} for a file that is not one of ratings. */
export async function createMatrixFactorisationTask(options: MatrixFactorisationOptions): Promise<Task> {
  const { peers, self } = options
  const { model, sizes, fingerprints } = await modelOf(options)
  const place = self === undefined ? 0 : peers.indexOf(self)
  if (place < 0) throw new InputError(`"${self}" is not among the ${peers.length} peers of the task`)
  const sum = (some: readonly number[]) => some.reduce((all, size) => all + size, 0)
  const samples = self === undefined ? sum(sizes) : sizes[place]
  return new ShardTask(model, sum(sizes.slice(0, place)), samples, () => factsOf(options, model, samples), {
    fingerprints
  })
}

/** The same for all peers at once. `self` is left aside. */
export async function createMatrixFactorisationTaskSet(options: MatrixFactorisationOptions): Promise<TaskSet> {
  const { model, sizes } = await modelOf(options)
  const all = sizes.reduce((sum, size) => sum + size, 0)
  return taskSetOf({
    model,
    peers: options.peers,
    shardSizes: sizes,
    about: (_, samples = all) => factsOf(options, model, samples)
  })
}

async function modelOf(options: MatrixFactorisationOptions) {
  const { file, peers, seed, rank, l2 } = options
  const all = file === undefined ? drawRatings(options) : await readRatings(file)
  const random = createRandom(seed, 'test ratings')
  const isTest = Array.from(all.value, () => random.uniform() < testFraction)
  const peerOf = (n: number) => Math.floor((all.user[n] * peers.length) / all.users)
  const train = [...isTest.keys()]
    .filter((n) => !isTest[n])
    .sort((left, right) => peerOf(left) - peerOf(right) || left - right)
  const test = [...isTest.keys()].filter((n) => isTest[n])
  const sizes = peers.map(() => 0)
  for (const n of train) sizes[peerOf(n)]++
  const without = peers.filter((_, place) => sizes[place] === 0)
  if (without.length > 0)
    throw new InputError(
      `${without.join(', ')} would have no ratings: found ${all.users} users and ${train.length} ratings for ${peers.length} peers; give more of both`
    )
  const ratings = some(all, train)
  const fingerprints = { ratings: hashVector(ratings.value), rated: hashVector(Float32Array.from(ratings.item)) }
  return { model: new MatrixFactorisation(ratings, some(all, test), rank, l2), sizes, fingerprints }
}

function some({ users, items, user, item, value }: Ratings, which: readonly number[]): Ratings {
  const [ofUser, ofItem] = [user, item].map((all) => Uint32Array.from(which, (n) => all[n]))
  return { users, items, user: ofUser, item: ofItem, value: Float32Array.from(which, (n) => value[n]) }
}

function factsOf(
  { file, peers, zipf, noise }: MatrixFactorisationOptions,
  model: MatrixFactorisation,
  samples: number
): Task['about'] {
  const source = file ?? `drawn, items by Zipf's law with exponent ${zipf}, noise ${noise}`
  return {
    data: `${samples} ratings to train and ${model.testSamples} to test, ${source}`,
    partition: `by user, among ${peers.length} peers`,
    model: model.about
  }
}
