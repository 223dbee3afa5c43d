import { duration, fraction, parseYamlFile } from '@murmuration/files'
import * as z from 'zod'
import { removedFields } from '../../training/removed-fields.js'
import { mappingSuchAs } from '../../training/schema-words.js'

const positive = z.number().positive()

const stragglers = z.discriminatedUnion(
  'kind',
  [
    z.strictObject({ kind: z.literal('none') }),
    z
      .strictObject({
        kind: z.literal('shifted-exponential'),
        mean: duration().meta({ description: 'The mean of the added time' })
      })
      .meta({ description: 'Each step takes longer by a time from an exponential distribution' }),
    z
      .strictObject({
        kind: z.literal('log-normal'),
        sigma: positive.max(10).meta({ description: 'σ, the deviation of the logarithm' })
      })
      .meta({
        description: 'Each step takes exp(σ z − σ²/2) times as long, with z from the normal distribution: 1 on average'
      }),
    z
      .strictObject({
        kind: z.literal('slow-now-and-then'),
        fraction: fraction().meta({ description: 'The fraction of the steps' }),
        ...removedFields({ share: 'fraction in place of share' }),
        factor: positive.meta({ description: 'How many times as long these steps take' })
      })
      .meta({ description: 'This fraction of the steps takes factor times as long' }),
    z
      .strictObject({
        kind: z.literal('trace'),
        factors: z.array(positive).min(1).max(1e6).meta({ description: '1 for the usual time' })
      })
      .meta({
        description:
          'Steps take the factors, in order and cyclically, times as long; each peer begins at another factor'
      })
  ],
  { error: mappingSuchAs('{ kind: log-normal, sigma: 0.5 }') }
)

/** What makes some steps take longer, at random. */
export const stragglersSchema = z
  .union([z.literal('none').transform((kind): StragglerSettings => ({ kind })), stragglers])
  .meta({
    id: 'stragglers',
    description: 'Why some steps take longer, at random: none, or { kind: … } with its options'
  })

export type StragglerSettings = z.output<typeof stragglers>

/** The times of computing, in virtual time. */
export const computingSchema = z
  .strictObject({
    perSample: duration().prefault('1 ms').meta({ description: 'The time per sample of a gradient' }),
    perStep: duration().prefault('0 ms').meta({ description: 'The time per gradient, in addition' }),
    slow: z
      .record(z.string(), positive)
      .default({})
      .meta({ description: 'How many times as long a peer takes, by its name' }),
    stragglers: stragglersSchema.prefault('none')
  })
  .prefault({})
  .meta({ description: 'The time of computing' })

export type Computing = z.output<typeof computingSchema>

/** A name for tables and axes: `log-normal 0.5`. */
export function stragglersLabel(stragglers: StragglerSettings): string {
  switch (stragglers.kind) {
    case 'none':
      return 'none'
    case 'shifted-exponential':
      return `shifted-exponential ${stragglers.mean} ms`
    case 'log-normal':
      return `log-normal ${stragglers.sigma}`
    case 'slow-now-and-then':
      return `${Number((stragglers.fraction * 100).toPrecision(12))} % of steps × ${stragglers.factor}`
    case 'trace':
      return `trace ${few(stragglers.factors)}`
  }
}

function few(factors: readonly number[]): string {
  return factors.length <= 6 ? factors.join(', ') : `${factors.slice(0, 5).join(', ')} … (${factors.length})`
}

/**
 * Parses the times of computing as in a scenario: `{ perSample: 1 ms }`. Throws an InputError that says what is wrong.
 */
export function computingOf(text: string): Computing {
  return parseYamlFile(text, '--computing', computingSchema).value
}
