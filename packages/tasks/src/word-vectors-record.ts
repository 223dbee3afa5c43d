import { problem } from '@murmuration/core'
import { z } from 'zod'
import { taskRecord } from './record.js'
import { createWordVectorsTaskSet, wordVectorsModule, type WordVectorsOptions } from './word-vectors-task.js'

const count = (most: number) => z.int().min(1).max(most)

export const wordVectorsRecord = taskRecord({
  kind: 'word-vectors',
  description:
    'Word vectors by skip-gram with negative sampling, of a drawn text or a file; the accuracy is the fraction of planted synonyms that are found',
  options: z.strictObject({
    file: z.string().min(1).optional().meta({ description: 'Plain text; from the folder where the command runs' }),
    minCount: count(1e6).default(5).meta({ description: 'Words of a file that occur less often are left out' }),
    words: count(1e6).min(20).default(200).meta({ description: 'Of a drawn text: how many different ones' }),
    length: count(1e8)
      .min(100)
      .default(20_000)
      .meta({ description: 'Of a drawn text, in words; a twentieth of it to test' }),
    synonyms: z.int().min(0).max(1e5).default(20).meta({
      description: 'So many of the most frequent words are split in two, whose vectors should be next to each other'
    }),
    rank: count(1000).default(16).meta({ description: 'Numbers of a vector' }),
    window: count(100).default(2).meta({ description: 'Words to each side that are company, at most' }),
    negatives: count(1000).default(5).meta({ description: 'Negative samples for each word of the company' }),
    subsample: z.number().min(0).max(1).default(0.01).meta({
      description: 't: words that are a larger fraction of the text are left out at random; 0 for none'
    })
  }),
  learnsFromData: false,
  hasRows: true,
  firstRate: 0.2,
  module: wordVectorsModule,
  given: (options, { peers, self, seed }) => given(options, peers, seed, self),
  taskSet: (options, { peers, seed }) => createWordVectorsTaskSet(given(options, peers, seed)),
  parameters: ({ file, words, synonyms, rank }) => (file === undefined ? 2 * (words + synonyms) * rank : undefined),
  problems: ({ file, synonyms, words }) =>
    file === undefined && synonyms > words
      ? [problem(['synonyms'], `found ${synonyms}, expected at most as many as words, ${words}`)]
      : []
})

type Given = Omit<WordVectorsOptions, 'peers' | 'self' | 'seed'>

function given(options: Given, peers: readonly string[], seed: number, self?: string): WordVectorsOptions {
  return { ...options, peers, seed, ...(self === undefined ? {} : { self }) }
}
