import { InputError, type Task } from '@murmuration/core'
import { drawRatings, type Ratings, type RatingsOptions, readRatings } from '@murmuration/data'
import { createRandom } from '@murmuration/random'
import { hashVector } from '@murmuration/vectors'
import { MatrixFactorisation } from './matrix-factorisation.js'
import { RowsModel } from './rows-model.js'
import { taskIn, taskSetOf, type TaskSet } from './task-set.js'

/** Options of {@link createMatrixFactorisationTask}. JSON. */
export interface MatrixFactorisationOptions extends RatingsOptions {
  readonly peers: readonly string[]
  /** The peer whose ratings are used; all peers' when absent. */
  readonly self?: string | undefined
  /** A file of ratings in the format of MovieLens; they are drawn when absent. */
  readonly file?: string | undefined
  /** Factors of each user and item: of the model, and of drawn ratings. */
  readonly rank: number
  readonly l2: number
}

/** The fraction of the ratings that is held back for testing. */
const testFraction = 0.1

/** What a worker thread calls: {@link createMatrixFactorisationTask}. */
export const createTask = createMatrixFactorisationTask

/**
 * Matrix factorisation of one peer's ratings. All peers have the same number of users. Throws an {@link InputError} for
 * a file without ratings.
 */
export async function createMatrixFactorisationTask(options: MatrixFactorisationOptions): Promise<Task> {
  return taskIn(await createMatrixFactorisationTaskSet(options), options.self)
}

/** The same for all peers at once. `self` is ignored. */
export async function createMatrixFactorisationTaskSet(options: MatrixFactorisationOptions): Promise<TaskSet> {
  const { file, peers, seed, rank, l2 } = options
  const all = file === undefined ? drawRatings(options) : await readRatings(file)
  const random = createRandom(seed, 'test ratings')
  const isTest = new Uint8Array(all.value.length).map(() => (random.uniform() < testFraction ? 1 : 0))
  const peerOf = (n: number) => Math.floor((all.user[n] * peers.length) / all.users)
  const numbers = new Uint32Array(isTest.length).map((_, n) => n)
  const train = numbers
    .filter((n) => isTest[n] === 0)
    .sort((left, right) => peerOf(left) - peerOf(right) || left - right)
  const test = numbers.filter((n) => isTest[n] === 1)
  const sizes = peers.map(() => 0)
  for (const n of train) sizes[peerOf(n)]++
  const peersWithoutRatings = peers.filter((_, index) => sizes[index] === 0)
  if (peersWithoutRatings.length > 0)
    throw new InputError(
      `${peersWithoutRatings.join(', ')} would have no ratings: found ${all.users} users and ${train.length} ratings for ${peers.length} peers; give more of both`
    )
  const ratings = selected(all, train)
  const fingerprints = { ratings: hashVector(ratings.value), rated: hashVector(new Float32Array(ratings.item)) }
  const model = new RowsModel(new MatrixFactorisation(ratings, selected(all, test), rank, l2))
  const about = (_?: string, samples = train.length) => factsOf(options, model, samples)
  return taskSetOf({ model, peers, shardSizes: sizes, fingerprints, about })
}

function selected({ users, items, user, item, value }: Ratings, which: Uint32Array): Ratings {
  const [ofUser, ofItem] = [user, item].map((all) => which.map((n) => all[n]))
  return {
    users,
    items,
    user: ofUser,
    item: ofItem,
    value: new Float32Array(which.length).map((_, row) => value[which[row]])
  }
}

function factsOf(
  { file, peers, zipf, noise }: MatrixFactorisationOptions,
  model: RowsModel,
  samples: number
): Task['about'] {
  const source = file ?? `drawn, items by Zipf's law with exponent ${zipf}, noise ${noise}`
  return {
    data: `${samples} ratings to train and ${model.testSamples} to test, ${source}`,
    partition: `by user, among ${peers.length} peers`,
    model: model.about
  }
}
