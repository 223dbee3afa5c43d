import { duration, topologySchema } from '@murmuration/files'
import { z } from 'zod'
import { choiceSchema, varySchema } from './axes.js'
import { computingSchema } from './scenario-computing.js'
import { contenderSchema } from './scenario-contenders.js'
import { faultsSchema } from './scenario-faults.js'
import { networkSchema } from './scenario-network.js'
import { taskSchema } from './scenario-task.js'
import { simulatedTrainingSchema } from './scenario-training.js'
import { trafficSchema } from './traffic.js'

const seed = z.int().min(0)
const roundsMax = 1e9

const stop = z
  .strictObject({
    loss: z.number().positive().optional().meta({
      description: 'The target: of the mean model, on the test set; without it times are not compared'
    }),
    rounds: z.int().min(1).max(roundsMax).optional().meta({
      description: 'Steps of each peer; 400, or without end where there is a time'
    }),
    time: duration()
      .refine((time) => time > 0, 'more than 0 ms')
      .optional()
      .meta({ description: 'Virtual time; without end when absent' })
  })
  .prefault({})
  .transform(({ rounds, ...rest }) => ({ ...rest, rounds: rounds ?? (rest.time === undefined ? 400 : roundsMax) }))
  .meta({ description: 'When a run ends: at what comes first' })

const timeline = z
  .strictObject({
    contenders: z
      .union([z.literal('all'), z.array(z.string()).min(1)])
      .default('all')
      .meta({ description: 'all, or labels of contenders' }),
    from: duration().prefault('0 s').meta({ description: 'Virtual time at which the stretch begins' }),
    to: duration().meta({ description: 'Virtual time at which it ends' }),
    at: choiceSchema
      .extend({ seed: seed.optional() })
      .prefault({})
      .meta({ description: 'Of which setting and seed; the first value of every axis that is not named' })
  })
  .optional()
  .meta({ description: 'A stretch of some runs to keep event by event, for a picture of peers and messages' })

/** What a scenario file holds. */
export const scenarioSchema = z
  .strictObject({
    title: z.string().min(1).max(200).meta({ description: 'What the report is called' }),
    about: z.string().default('').meta({ description: 'What is asked, and what to look for; for the report' }),
    topology: z
      .union([z.string({ error: 'the path of a topology file' }), topologySchema])
      .meta({ description: 'What a topology file says, or the path of one from where this file is' }),
    network: networkSchema,
    task: taskSchema,
    traffic: trafficSchema.optional(),
    training: simulatedTrainingSchema,
    computing: computingSchema,
    vary: varySchema,
    contenders: z.array(contenderSchema).min(1).max(1000).meta({ description: 'What is compared' }),
    seeds: z
      .union([z.int().min(1).max(10_000), z.array(seed).min(1).max(10_000)])
      .default(1)
      .meta({ description: 'How many, 1 to n, or a list of seeds' }),
    stop,
    evaluate: z
      .int()
      .min(1)
      .max(roundsMax)
      .default(1)
      .meta({ description: 'The mean model is evaluated every so many rounds' }),
    faults: faultsSchema,
    timeline
  })
  .meta({ title: 'Murmuration scenario file' })

/** A scenario file as its schema leaves it. */
export type ScenarioDescription = z.output<typeof scenarioSchema>

/** When a run ends. */
export type StopRule = ScenarioDescription['stop']

/** Rounds without end: as many as there can be. */
export const endless = roundsMax

/** The JSON Schema of scenario files, for editors. */
export function scenarioJsonSchema(): unknown {
  return z.toJSONSchema(scenarioSchema, { io: 'input', unrepresentable: 'any' })
}
