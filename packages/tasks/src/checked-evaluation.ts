import { type Evaluation, InputError, type TaskDescription, type Work } from '@murmuration/core'

/**
 * The work of an evaluation, which throws an InputError if the task computes an accuracy that is no fraction: peers
 * refuse reports of one.
 */
export function checkedEvaluation(work: Work<Evaluation>, { module }: TaskDescription): Work<Evaluation> {
  return { ...work, run: async () => checked(await work.run(), module) }
}

function checked(evaluation: Evaluation, module: string): Evaluation {
  const { accuracy } = evaluation
  if (accuracy === undefined || (accuracy >= 0 && accuracy <= 1)) return evaluation
  throw new InputError(
    `the task's module ${module} computed an accuracy of ${accuracy}, expected 0 … 1: the number of test samples that are classified correctly, divided by the number of all; a task that does not classify leaves it out`
  )
}
