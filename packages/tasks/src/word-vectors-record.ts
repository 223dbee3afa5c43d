import { problem } from '@murmuration/core'
import * as z from 'zod'
import { wordVectorsModule } from './modules.js'
import { taskRecord } from './record.js'
import type { WordVectorsOptions } from './word-vectors-task.js'

const count = (max: number) => z.int().min(1).max(max)

export const wordVectorsRecord = taskRecord({
  kind: 'word-vectors',
  description:
    'Word vectors by skip-gram with negative sampling, of a drawn text or a file; the accuracy is the fraction of planted synonyms that are found',
  options: z.strictObject({
    file: z
      .string()
      .min(1)
      .optional()
      .meta({ description: 'Plain text; relative to the folder where the command runs' }),
    minCount: count(1e6).default(5).meta({ description: 'Words of a file that occur less often are omitted' }),
    words: count(1e6).min(20).default(200).meta({ description: 'Of a drawn text: how many distinct words' }),
    length: count(1e8)
      .min(100)
      .default(20_000)
      .meta({ description: 'Of a drawn text, in words; a twentieth of it is for testing' }),
    synonyms: z.int().min(0).max(1e5).default(20).meta({
      description:
        'How many of the most frequent words are split into two synonyms, whose vectors should end up close to each other'
    }),
    rank: count(1000).default(16).meta({ description: 'Numbers per vector' }),
    window: count(100).default(2).meta({ description: 'The maximum number of context words on each side' }),
    negatives: count(1000).default(5).meta({ description: 'Negative samples per context word' }),
    subsample: z.number().min(0).max(1).default(0.01).meta({
      description: 't: words that are a larger fraction of the text are omitted at random; 0 omits none'
    })
  }),
  learnsFromData: false,
  hasRows: true,
  rate: 0.2,
  module: wordVectorsModule,
  given: (options, { peers, self, seed }) => given(options, peers, seed, self),
  taskSet: async (options, { peers, seed }) =>
    (await import('./word-vectors-task.js')).createWordVectorsTaskSet(given(options, peers, seed)),
  parameters: ({ file, words, synonyms, rank }) => (file === undefined ? 2 * (words + synonyms) * rank : undefined),
  problems: ({ file, synonyms, words }) =>
    file === undefined && synonyms > words
      ? [problem(['synonyms'], `found ${synonyms}, expected at most as many as words, ${words}`)]
      : []
})

function given(
  options: Omit<WordVectorsOptions, 'peers' | 'self' | 'seed'>,
  peers: readonly string[],
  seed: number,
  self?: string
): WordVectorsOptions {
  return { ...options, peers, seed, ...(self === undefined ? {} : { self }) }
}
