/** The learning rate of files that do not give one. */
import { taskRecordOf } from './task-choice.js'
import { localWeights, type Training, type TrainingFile } from './training-schema.js'

/** The rate for models of users, of which nothing is known. */
export const ownModelRate = 0.01

/** The rate for Adam and AdamW, whose steps do not grow with the gradient: Kingma and Ba 2015, Algorithm 1. */
const adamRate = 1e-3

/** Rounds over which the default rate grows to its full size, at most this fraction of the run. */
const warmupRounds = 20
const warmupFraction = 1 / 20

/** What the default rate depends on. */
type Learner = Pick<TrainingFile, 'task' | 'data' | 'partition' | 'optimiser' | 'rounds'>

/** The default rate, and its warm-up in rounds. */
function defaultRate(learner: Learner): Pick<Training['rate'], 'initial' | 'warmup'> {
  const { task, optimiser, rounds } = learner
  const { rate, rateOfSmall = rate } = taskRecordOf(task) ?? { rate: ownModelRate }
  const ofSgd = hasSmallSamples(learner) ? rateOfSmall : rate
  const initial = optimiser.name === 'sgd' ? ofSgd : adamRate
  return { initial, warmup: Math.min(warmupRounds, Math.floor(rounds * warmupFraction)) }
}

/**
 * Whether a sample is known to have at most 28 × 28 numbers. Files may have samples of any size, and so may the local
 * data of others, whose rate must be the same.
 */
function hasSmallSamples({ data, partition }: Learner): boolean {
  if (localWeights({ partition }) !== undefined) return false
  return typeof data === 'string' ? data !== 'cifar-10' : !('path' in data)
}

/** The rate as the file has it, with the default where it gives no `initial`: the warm-up belongs to that. */
export function completeRate({ initial, warmup, ...rest }: TrainingFile['rate'], learner: Learner): Training['rate'] {
  const missing = initial === undefined ? defaultRate(learner) : { initial, warmup: 0 }
  return { initial: missing.initial, warmup: warmup ?? missing.warmup, ...rest }
}
