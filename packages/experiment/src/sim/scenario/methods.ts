import { allAlgorithms, type AnyAlgorithm } from '@murmuration/algorithms'
import { duration } from '@murmuration/files'
import { graphSchema } from '@murmuration/topology'
import * as z from 'zod'
import { algorithmSchema } from '../../training/algorithm-choice.js'
import { removedFields } from '../../training/removed-fields.js'
import { methodFields, rateFields } from '../../training/training-schema.js'

const atLeastOne = z.int().min(1)

const insteadOf = (field: string) => ({ description: `In place of the scenario's ${field}` })

/** A codec for simulations. */
export const namedCodec = (schema: typeof methodFields.codec) =>
  schema.refine((name) => name !== 'auto', {
    error: 'a codec by name: auto chooses by the measured speed of real links'
  })

/** Options that older files have next to `algorithm`. */
const optionsOfOlder = removedFields(
  Object.fromEntries(
    allAlgorithms
      .flatMap(({ name, options }) => Object.keys(options.shape).map((option) => [option, name] as const))
      .filter(
        ([option]) => !['rate', 'batch', 'codec', 'optimiser', 'graph', 'fusion', 'servers', 'on'].includes(option)
      )
      .map(([option, name]) => [option, `it inside algorithm: { name: ${name}, ${option}: … }`])
  )
)

const method = z.strictObject({
  algorithm: algorithmSchema.meta({ description: 'As in training files' }),
  name: z
    .string()
    .regex(/^[^\p{Cc}]{1,60}$/u, { error: 'a label of 1 to 60 characters' })
    .optional()
    .meta({ description: 'The label in tables and charts; when absent, a label made from the options' }),
  batch: methodFields.batch.optional().meta(insteadOf('batch')),
  codec: namedCodec(methodFields.codec).optional().meta(insteadOf('codec')),
  rate: z
    .strictObject({
      initial: rateFields.initial.optional(),
      warmup: rateFields.warmup.optional(),
      decay: rateFields.decay.optional(),
      scale: rateFields.scale.optional()
    })
    .optional()
    .meta({ description: "In place of the same fields of the scenario's rate" }),
  optimiser: methodFields.optimiser.optional().meta(insteadOf('optimiser')),
  graph: graphSchema.optional().meta({ description: 'In place of the graph of the topology' }),
  fusion: z.enum(['fused', 'per-tensor']).default('fused').meta({
    description:
      'fused: all parameters in one flat buffer. per-tensor: a message for each tensor, as many early systems did'
  }),
  servers: atLeastOne.max(10_000).optional().meta({
    description: 'The number of servers among which the parameters are divided: 1, or with on: workers one per worker'
  }),
  on: z.string().min(1).optional().meta({
    description:
      "The machines of the servers: own, workers (the first server with the first worker …), or a peer's name"
  }),
  ownTime: duration().optional().meta({
    description:
      'The time that the method itself takes per gradient, for mixing and encoding; --calibrate measures it. 0 when absent'
  }),
  ...optionsOfOlder,
  ...removedFields({
    exchange: 'fusion: per-tensor (or fused) in place of exchange, and calls: blocking to wait for each tensor'
  })
})

const names = allAlgorithms.map(({ name }) => name) as [string, ...string[]]

/**
 * A method: the name of an algorithm, or a mapping with an algorithm and the fields in which it differs from the
 * scenario.
 */
export const methodSchema = z.union([
  z.enum(names).transform((name): z.output<typeof method> => method.parse({ algorithm: name })),
  method
])

/** A method as the file describes it, with the defaults filled in. */
export type MethodDescription = z.output<typeof method>

/** Whether an algorithm exchanges with the neighbours of the topology, so that it uses a graph. */
export function usesTopology(record: AnyAlgorithm): boolean {
  if (record.kind === 'rows') return false
  const { channels, needs, server } = record
  const isForAll = needs.reach === 'everyone' && needs.weights === undefined
  return Object.keys(channels).length > 0 && server === undefined && !isForAll
}
