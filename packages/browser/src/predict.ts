import { deferred } from '@murmuration/core'
import { startThread } from '@murmuration/platform'
import { predictProgram } from './programs.js'
import type { Prediction } from './run.js'

/** What the worker needs. */
export interface PredictRequest {
  /** As `--save` writes it. */
  readonly model: Blob
  readonly file: Blob
  readonly name: string
}

/** What it answers: one of the two. */
export interface PredictAnswer {
  readonly prediction?: Prediction
  readonly problem?: string
}

/** How long a prediction may take, in milliseconds: TensorFlow.js is loaded for it. */
const timeout = 60_000

/** The model's output for one file, from a worker of its own. Rejects with an Error for a file that does not fit it. */
export async function predictIn(request: PredictRequest): Promise<Prediction> {
  const thread = startThread(predictProgram, request)
  const answer = deferred<PredictAnswer>()
  const timer = setTimeout(() => answer.reject(new Error('The prediction took too long.')), timeout)
  thread.listen((message) => answer.resolve(message as PredictAnswer))
  void thread.ended.then(({ error }) => answer.reject(error ?? new Error('The prediction was stopped.')))
  try {
    const { prediction, problem } = await answer.promise
    if (prediction === undefined) throw new Error(problem)
    return prediction
  } finally {
    clearTimeout(timer)
    await thread.end()
  }
}
