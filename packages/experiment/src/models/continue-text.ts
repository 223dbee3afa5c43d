import { InputError } from '@murmuration/core'
import { numbered } from '@murmuration/data'
import { createRandom } from '@murmuration/random'
import { openModel } from './trained.js'

/** How a text goes on. */
export interface ContinuationOptions {
  /** How many characters; 200 by default. */
  readonly length?: number | undefined
  /** 1 draws characters by the model's own probabilities, less makes likely ones likelier, 0 takes the most probable; 0.8 by default. */
  readonly temperature?: number | undefined
  /** Of the draws; 1 by default. */
  readonly seed?: number | undefined
  /** The module with the model, where it was trained by one. */
  readonly task?: string | undefined
}

/**
 * The characters by which a model that was saved continues a text, one by one; the same seed gives the same. Throws an InputError for what is no model of texts, for an empty beginning, and for one with
 * characters that the model does not know.
 */
export async function* continueText(
  path: string,
  beginning: string,
  { length = 200, temperature = 0.8, seed = 1, task }: ContinuationOptions = {}
): AsyncGenerator<string> {
  const { signature, trained } = await openModel(path, task)
  const { preprocessing, classNames = [], classes } = signature
  if (preprocessing.kind !== 'text')
    throw new InputError(`${path}: has not learned a text, and continues none; give files that it is to tell apart`)
  if (trained.outputs !== 'probabilities' || classNames.length !== classes)
    throw new InputError(`${path}: does not give a probability for each of its ${classNames.length} characters`)
  const numbers = numbered([...beginning], classNames, '--prompt')
  const how = { length, temperature, random: createRandom(seed, 'text') }
  for await (const number of trained.generate([...numbers], how)) yield classNames[number]
}
