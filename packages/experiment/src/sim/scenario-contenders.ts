import { type Algorithm, algorithms } from '@murmuration/algorithms'
import { graphSchema } from '@murmuration/topology'
import { z } from 'zod'
import { type AlgorithmChoice, inputJson } from '../training/algorithm-choice.js'
import { optimiserSchema } from '../training/training-file.js'
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
/** What older files say. */
const exchange = z
  .never({
    error: 'fusion: per-tensor (or fused) in place of exchange, and calls: blocking where each tensor is waited for'
  })
  .optional()
  .meta({ description: 'No longer: fusion and calls say it' })

const placed = {
  servers: atLeastOne
    .max(10_000)
    .optional()
    .meta({ description: 'Among how many the parameters are shared out: 1, or with on: workers one for each worker' }),
  on: z.string().min(1).default('own').meta({
    description: "Whose machines servers run on: own, workers (the first to the first worker …), or a peer's"
  })
}

/** What all records take beside their options. */
const shared = {
  ...common,
  optimiser: optimiserSchema.optional().meta({ description: 'In place of training.optimiser' }),
  fusion,
  exchange
}

const graph = { graph: graphSchema.optional().meta({ description: 'In place of the graph of the topology' }) }

/** Whether an algorithm exchanges with the neighbours of the topology, so that a graph is of use to it. */
export function usesTopology({ channels, needs, server }: Algorithm): boolean {
  const isForAll = needs.reach === 'everyone' && needs.weights === undefined
  return Object.keys(channels).length > 0 && server === undefined && !isForAll
}

/** A record with its options, which stand beside what all records take. */
const records = algorithms.map((record) => {
  const { name, title, source, options, server } = record
  return z
    .strictObject({
      algorithm: z.literal(name),
      ...shared,
      ...(usesTopology(record) ? graph : {}),
      ...(server === undefined ? {} : placed),
      ...options.shape
    })
    .transform((given) => recordContender(given, { name, ...pick(given, Object.keys(options.shape)) }))
    .meta({ description: `${title} (${source})` })
})

/** What stands in place of a name where a file has a mapping with a module. */
const moduleWord = '{ module: ./mine.js }'

const module = { ...shared, ...graph, ...placed }
const ofModule = z
  .strictObject({ algorithm: z.literal(moduleWord), choice: z.looseObject({ module: z.string() }), ...module })
  .transform((given) => recordContender(given, given.choice))

/** What is compared. */
export const contenderSchema = z
  .preprocess(
    moduleApart,
    z.discriminatedUnion('algorithm', [...(records as unknown as [typeof ofModule]), ofModule], {
      error: mappingSuchAs('{ algorithm: dpsgd }')
    })
  )
  // In place of the forms that are read after the mapping with a module was set apart.
  .meta({
    oneOf: inputJson(
      z.union([...records, z.strictObject({ algorithm: z.looseObject({ module: z.string().min(1) }), ...module })])
    ).anyOf
  })

function moduleApart(input: unknown): unknown {
  const algorithm = (input as { readonly algorithm?: AlgorithmChoice } | null)?.algorithm
  if (typeof algorithm?.module !== 'string') return input
  return { ...(input as object), algorithm: moduleWord, choice: algorithm }
}

type Shared = z.output<z.ZodObject<typeof module>>

/** A contender as the file describes it, with the defaults filled in. */
export interface ContenderDescription extends Omit<Shared, 'on'> {
  readonly on?: string | undefined
  readonly choice: AlgorithmChoice
}

function recordContender(given: object, choice: AlgorithmChoice): ContenderDescription {
  const beside = Object.keys(module).filter((key) => !Object.hasOwn(choice, key) || key === 'name')
  return { fusion: 'fused', ...(pick(given, beside) as unknown as Omit<Shared, 'fusion'>), choice }
}

function pick(from: object, keys: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(from).filter(([key]) => keys.includes(key)))
}
