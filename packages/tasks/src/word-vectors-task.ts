import { InputError, type Task } from '@murmuration/core'
import { drawWords, plantSynonyms, readWords, type WordsOptions } from '@murmuration/data'
import { hashVector } from '@murmuration/vectors'
import { RowsModel } from './rows-model.js'
import { taskIn, taskSetOf, type TaskSet } from './task-set.js'
import { WordVectors, type WordVectorsSettings } from './word-vectors/word-vectors.js'

/** Options of {@link createWordVectorsTask}. JSON. */
export interface WordVectorsOptions extends WordVectorsSettings, WordsOptions {
  readonly peers: readonly string[]
  /** The peer whose part of the text is used; all of it when absent. */
  readonly self?: string | undefined
  readonly seed: number
  /** A file of plain text; a text is drawn when absent. */
  readonly file?: string | undefined
  /** Words of the file that occur less often are omitted. */
  readonly minCount: number
  /** How many of the most frequent words are split in two. */
  readonly synonyms: number
}

/** The fraction of the text, at its end, that is held back for testing. */
const testFraction = 0.05

/** What a worker thread calls: {@link createWordVectorsTask}. */
export const createTask = createWordVectorsTask

/** Word vectors of one peer's part of a text. Throws an {@link InputError} for a file that has no words. */
export async function createWordVectorsTask(options: WordVectorsOptions): Promise<Task> {
  return taskIn(await createWordVectorsTaskSet(options), options.self)
}

/** The same for all peers at once. `self` is ignored. */
export async function createWordVectorsTaskSet(options: WordVectorsOptions): Promise<TaskSet> {
  const { file, minCount, peers, seed, synonyms } = options
  const original = file === undefined ? drawWords(options) : await readWords(file, minCount)
  if (synonyms > original.words)
    throw new InputError(`found synonyms: ${synonyms} and ${original.words} words, expected at most as many`)
  const text = plantSynonyms(original, synonyms, seed)
  const train = Math.floor(text.word.length * (1 - testFraction))
  if (train < peers.length)
    throw new InputError(`found ${train} words to train, expected at least one for each of ${peers.length} peers`)
  const pairs = Array.from({ length: synonyms }, (_, word) => [word, original.words + word] as const)
  const both = pairs.flatMap(([left, right]) => [[left, right] as const, [right, left] as const])
  const start = (index: number) => Math.floor((index * train) / peers.length)
  const shardSizes = peers.map((_, index) => start(index + 1) - start(index))
  const fingerprints = { text: hashVector(new Float32Array(text.word)) }
  const model = new RowsModel(new WordVectors(text, train, both, options))
  const about = (_?: string, samples = train) => factsOf(options, model, samples)
  return taskSetOf({ model, peers, shardSizes, fingerprints, about })
}

function factsOf({ file, peers, synonyms }: WordVectorsOptions, model: RowsModel, samples: number): Task['about'] {
  const source = file ?? 'drawn'
  return {
    data: `${samples} words to train and ${model.testSamples} to test, ${source}; ${synonyms} words are split into synonyms`,
    partition: `parts of the text, among ${peers.length} peers`,
    model: model.about
  }
}
