import { duration, topologySchema } from '@murmuration/files'
import * as z from 'zod'
import { choiceSchema, varySchema } from './axes.js'
import { computingSchema } from './computing.js'
import { methodSchema, namedCodec } from './methods.js'
import { faultsSchema } from './faults.js'
import { networkSchema } from './network.js'
import { removedFields } from '../../training/removed-fields.js'
import { membershipSchema } from '../../training/membership-schema.js'
import { stopSchema } from '../../training/stop-choice.js'
import { maxRounds, sharedFields } from '../../training/training-schema.js'
import { trafficSchema } from './traffic.js'

const seed = z.int().min(0)

const stop = z
  .strictObject({
    loss: z.number().positive().optional().meta({
      description: 'The target: the loss of the mean model on the test set; without it, times are not compared'
    }),
    ...removedFields({ rounds: 'rounds at the top level' }),
    time: duration()
      .refine((time) => time > 0, 'more than 0 ms')
      .optional()
      .meta({ description: 'Virtual time; no limit when absent' }),
    peers: stopSchema.optional()
  })
  .prefault({})
  .meta({ description: 'When a run ends before its last round' })

const timeline = z
  .strictObject({
    ...removedFields({ contenders: 'methods in place of contenders' }),
    methods: z
      .union([z.literal('all'), z.array(z.string()).min(1)])
      .default('all')
      .meta({ description: 'all, or labels of methods' }),
    from: duration().prefault('0 s').meta({ description: 'Virtual time at which the interval begins' }),
    to: duration().meta({ description: 'Virtual time at which the interval ends' }),
    at: choiceSchema
      .extend({ seed: seed.optional() })
      .prefault({})
      .meta({ description: 'The setting and the seed; the first value of every axis that is not named' })
  })
  .optional()
  .meta({ description: 'An interval of some runs to keep event by event, for a picture of peers and messages' })

/** The content of a scenario file. */
export const scenarioSchema = z
  .strictObject({
    title: z.string().min(1).max(200).meta({ description: 'The title of the report' }),
    description: z.string().default('').meta({ description: 'The question, and what to look for; for the report' }),
    topology: z
      .union([z.string({ error: 'the path of a topology file' }), topologySchema])
      .meta({ description: 'The content of a topology file, or its path, relative to this file' }),
    network: networkSchema,
    ...sharedFields,
    codec: namedCodec(sharedFields.codec.unwrap()).default('float32').meta({
      description:
        'How vectors are encoded on the links, as in training files; encoding takes the ownTime of the method'
    }),
    rounds: sharedFields.rounds.unwrap().optional().meta({
      description: 'Steps of each peer; 400 when absent, or no limit with stop.time'
    }),
    timeout: sharedFields.timeout.unwrap().prefault('1 h').meta({
      description: 'How long a peer waits for a neighbour before it treats it as lost'
    }),
    membership: membershipSchema.optional().meta({
      description:
        'When a run begins, and what peers do that cannot reach the others, as in training files; when absent, all peers begin at once, without a membership'
    }),
    seed: sharedFields.seed.unwrap().optional().meta({ description: 'One seed, in place of seeds' }),
    traffic: trafficSchema.optional(),
    computing: computingSchema,
    vary: varySchema,
    methods: z.array(methodSchema).min(1).max(1000).meta({ description: 'The methods to compare' }),
    seeds: z
      .union([z.int().min(1).max(10_000), z.array(seed).min(1).max(10_000)])
      .optional()
      .meta({ description: 'A number n, for the seeds 1 to n, or a list of seeds; 1 when absent' }),
    stop,
    evaluate: z
      .int()
      .min(1)
      .max(maxRounds)
      .default(1)
      .meta({ description: 'Rounds between two evaluations of the mean model' }),
    faults: faultsSchema,
    timeline,
    ...removedFields({
      about: 'description in place of about',
      training: 'batch, rate, optimiser and the rest at the top level, as in training files',
      contenders: 'methods: [dpsgd, { algorithm: { name: all-reduce, collective: ring } }] in place of contenders'
    })
  })
  .meta({ title: 'Murmuration scenario file' })

/** A scenario file as its schema returns it. */
export type ScenarioDescription = z.output<typeof scenarioSchema>

/** When a run ends. */
export type StopRule = ScenarioDescription['stop']

/** The number of rounds that stands for no limit: the maximum. */
export const endless = maxRounds

/** The JSON Schema of scenario files, for editors. */
export function scenarioJsonSchema(): unknown {
  return z.toJSONSchema(scenarioSchema, { io: 'input', unrepresentable: 'any' })
}
