import type { Evaluation, Task } from '@murmuration/core'
import type { Summary } from '../base/summaries.js'
import type { Training } from './training-schema.js'

/**
 * The field of a finished run whose model is no better than a constant answer: why, and what to do. No field if it is
 * better, or where that cannot be said, since no constant answer is known, or one is right for all samples.
 */
export function nothingLearned(
  { accuracy, loss }: Partial<Pick<Evaluation, 'accuracy' | 'loss'>>,
  { constantAnswer = {} }: Pick<Task, 'constantAnswer'>,
  { initial }: Pick<Training['rate'], 'initial'>
): Pick<Summary, 'learnedNothing'> {
  const lower = Number((initial / 10).toPrecision(2))
  const remedy = `try a lower rate, such as rate: { initial: ${lower} } in the training file, then more rounds`
  const { accuracy: frequent, loss: spread } = constantAnswer
  if (frequent !== undefined && frequent < 1 && accuracy !== undefined && accuracy <= frequent) {
    const always = `${(100 * frequent).toFixed(2)} %`
    return {
      learnedNothing: `no better than always answering the most frequent class of the test set (${always}); ${remedy}`
    }
  }
  if (spread !== undefined && spread > 0 && loss !== undefined && loss >= spread) {
    const always = `loss ${spread.toPrecision(3)}`
    return { learnedNothing: `no better than always answering the mean of the test set (${always}); ${remedy}` }
  }
  return {}
}
