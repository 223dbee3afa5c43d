import { graphSchema } from '@murmuration/topology'
import { z } from 'zod'
import { mappingSuchAs } from './schema-words.js'
import { overrides } from './scenario-training.js'

const atLeastOne = z.int().min(1)
const name = z
  .string()
  .regex(/^[^\p{Cc}]{1,60}$/u, { error: 'a label of 1 to 60 characters' })
  .optional()
  .meta({ description: 'The label in tables and charts; one made of the options when absent' })

const common = { name, ...overrides }

const fusion = z.enum(['fused', 'per-tensor']).default('fused').meta({
  description:
    'fused: all parameters in one flat buffer. per-tensor: a message for each tensor, as many early systems did'
})
const calls = z.enum(['blocking', 'streamed']).default('streamed').meta({
  description:
    'blocking: each tensor or buffer is waited for before the next. streamed: none is, all are under way at once'
})
/** What older files say. */
const exchange = z
  .never({
    error: 'fusion: per-tensor (or fused) in place of exchange, and calls: blocking where each tensor is waited for'
  })
  .optional()
  .meta({ description: 'No longer: fusion and calls say it' })
const pieces = atLeastOne
  .max(10_000)
  .default(16)
  .meta({ description: 'How many pieces what is sent travels in, so that both directions of a line are busy at once' })
const collective = z.enum(['ring', 'halving-doubling', 'direct']).default('ring').meta({
  description:
    'ring: pipelined around a ring. halving-doubling: 2 log n steps of shrinking and growing messages. direct: everybody with everybody'
})

const served = {
  servers: atLeastOne
    .max(10_000)
    .optional()
    .meta({ description: 'Among how many the parameters are shared out: 1, or with on: workers one for each worker' }),
  on: z.string().min(1).default('own').meta({
    description: "Whose machines servers run on: own, workers (the first to the first worker …), or a peer's"
  }),
  fusion,
  exchange,
  pieces
}

/** What is compared. */
export const contenderSchema = z.discriminatedUnion(
  'algorithm',
  [
    z
      .strictObject({
        algorithm: z.literal('dpsgd'),
        ...common,
        fusion,
        exchange,
        order: z.enum(['combine-then-adapt', 'adapt-then-combine']).default('combine-then-adapt').meta({
          description:
            'combine-then-adapt: the gradient and the exchange overlap. adapt-then-combine: first the step, then the exchange'
        }),
        overlap: z.boolean().default(true).meta({
          description:
            'Of combine-then-adapt: whether the exchange is under way while the gradient is computed, or after it'
        }),
        graph: graphSchema.optional().meta({ description: 'In place of the graph of the topology' })
      })
      .meta({ description: 'D-PSGD: gossip with the neighbours of the topology' }),
    z
      .strictObject({
        algorithm: z.literal('parameter-server'),
        ...common,
        ...served,
        calls
      })
      .meta({ description: 'Synchronous parameter servers' }),
    z
      .strictObject({ algorithm: z.literal('async-parameter-server'), ...common, ...served })
      .meta({ description: 'Parameter servers that apply every gradient as it comes' }),
    z
      .strictObject({
        algorithm: z.literal('stale-synchronous'),
        ...common,
        ...served,
        staleness: z.int().min(0).max(1e6).default(3).meta({
          description: 'How many rounds the fastest worker may be ahead of the slowest'
        })
      })
      .meta({ description: 'Parameter servers with bounded staleness' }),
    z
      .strictObject({ algorithm: z.literal('all-reduce'), ...common, collective, fusion, exchange, calls, pieces })
      .meta({ description: 'Synchronous SGD, the gradients averaged by all-reduce' }),
    z
      .strictObject({
        algorithm: z.literal('local-sgd'),
        ...common,
        period: atLeastOne.max(1e6).default(8).meta({ description: 'Steps between two averages' }),
        collective,
        fusion,
        exchange,
        calls,
        pieces
      })
      .meta({ description: 'Local steps, and every so often the mean of all by all-reduce' }),
    z
      .strictObject({ algorithm: z.literal('sgd'), ...common })
      .meta({ description: 'Plain SGD on one machine with the batches of all peers: the floor' })
  ],
  { error: mappingSuchAs('{ algorithm: dpsgd }') }
)

/** A contender as the file describes it, with the defaults filled in. */
export type ContenderDescription = z.output<typeof contenderSchema>
