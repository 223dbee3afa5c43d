import { problem } from '@murmuration/core'
import * as z from 'zod'
import { scorings } from './knowledge-graph/scoring.js'
import type { KnowledgeGraphOptions } from './knowledge-graph-task.js'
import { knowledgeGraphModule } from './modules.js'
import { taskRecord } from './record.js'

const count = (max: number) => z.int().min(1).max(max)
const weight = z.number().min(0)

export const knowledgeGraphRecord = taskRecord({
  kind: 'knowledge-graph',
  description:
    'Knowledge graph embeddings, RESCAL or ComplEx, with negative sampling; filtered ranks. A drawn graph with known rules, or files',
  options: z.strictObject({
    folder: z.string().min(1).optional().meta({
      description:
        'A folder with train.txt, valid.txt and test.txt in the format of FB15k; relative to the folder where the command runs'
    }),
    entities: count(1e7).min(20).default(200).meta({ description: 'Of a drawn graph' }),
    rules: count(1000).default(2).meta({
      description:
        'Of a drawn graph: how many rules of each kind (symmetric, inverse, composed); each rule has 6 relations'
    }),
    scoring: z.enum(Object.keys(scorings) as [keyof typeof scorings]).default('complex'),
    rank: count(1000).default(64).meta({ description: 'Numbers per entity, complex ones in ComplEx' }),
    negatives: count(1000).default(10).meta({ description: 'False triples per true one' }),
    adversarial: weight.max(100).default(0).meta({
      description: 'α of self-adversarial negative sampling; 0 weighs all negatives alike'
    }),
    l2: weight.default(0).meta({ description: 'Weight of the squared rows of each triple' }),
    n3: weight.default(0).meta({ description: 'Weight of the cubed rows of each triple, only with ComplEx' }),
    clustered: z.boolean().default(true).meta({
      description: 'Whether triples are divided by relation, so that few peers share one (data clustering)'
    }),
    ranked: count(1e7).default(1000).meta({ description: 'The maximum number of test triples that are ranked' })
  }),
  learnsFromData: false,
  hasRows: true,
  rate: 1,
  module: knowledgeGraphModule,
  given: (options, { peers, self, seed }) => given(options, peers, seed, self),
  taskSet: async (options, { peers, seed }) =>
    (await import('./knowledge-graph-task.js')).createKnowledgeGraphTaskSet(given(options, peers, seed)),
  parameters: ({ folder, scoring, rank, entities, rules }) => {
    const { width, relationRows } = scorings[scoring](rank)
    return folder === undefined ? (entities + 6 * rules * relationRows) * width : undefined
  },
  problems: ({ scoring, n3 }) =>
    n3 > 0 && scoring !== 'complex'
      ? [problem(['n3'], `found ${n3} with scoring ${scoring}, expected n3 only with complex`)]
      : []
})

function given(
  options: Omit<KnowledgeGraphOptions, 'peers' | 'self' | 'seed'>,
  peers: readonly string[],
  seed: number,
  self?: string
): KnowledgeGraphOptions {
  return { ...options, peers, seed, ...(self === undefined ? {} : { self }) }
}
