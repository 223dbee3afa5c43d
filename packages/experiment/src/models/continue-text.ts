import { InputError } from '@murmuration/core'
import { numbered } from '@murmuration/data'
import { createRandom } from '@murmuration/random'
import { loadModel } from './load-model.js'
import { openModel } from './trained.js'

/** Options for continuing a text. */
export interface ContinuationOptions {
  /** The number of characters; default 200. */
  readonly length?: number | undefined
  /**
   * 1 draws characters by the model's own probabilities, less favours likely ones, 0 takes the most probable; default
   * 0.8.
   */
  readonly temperature?: number | undefined
  /** The seed of the draws; default 1. */
  readonly seed?: number | undefined
  /** The module with the model, if the model was trained by one. */
  readonly task?: string | undefined
}

/**
 * Continues a text with a saved model, one character at a time; the same seed gives the same text. Throws an InputError
 * for a file that is not a model of text, for an empty beginning, and for characters that the model does not know.
 */
export async function* continueText(
  path: string,
  beginning: string,
  { length = 200, temperature = 0.8, seed = 1, task }: ContinuationOptions = {}
): AsyncGenerator<string> {
  const { signature, trained } = await openModel(path, await loadModel(path), task)
  const { preprocessing, classNames = [], classes } = signature
  if (preprocessing.kind !== 'text')
    throw new InputError(`${path}: this model did not learn a text and cannot continue one; name files to classify`)
  if (trained.outputs !== 'probabilities' || classNames.length !== classes)
    throw new InputError(
      `${path}: this model does not give a probability for each of its ${classNames.length} characters`
    )
  const numbers = numbered([...beginning], classNames, '--prompt')
  const options = { length, temperature, random: createRandom(seed, 'text') }
  for await (const number of trained.generate([...numbers], options)) yield classNames[number]
}
