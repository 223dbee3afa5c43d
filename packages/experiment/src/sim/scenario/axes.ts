import type { Setting } from '@murmuration/results'
import {
  bitRate,
  byteSize,
  duration,
  type LinksDescription,
  linksSchema,
  lossFraction,
  maxPeers
} from '@murmuration/files'
import { graphLabel, graphSchema } from '@murmuration/topology'
import * as z from 'zod'
import { stragglersLabel, stragglersSchema } from './computing.js'
import { rateFields } from '../../training/training-schema.js'

/** What may vary; each value replaces the one at its place in the scenario. */
const values = {
  /** The name of all links together. */
  links: z.string(),
  bandwidth: bitRate(),
  up: bitRate(),
  latency: duration(),
  jitter: duration(),
  loss: lossFraction(),
  window: byteSize().refine((bytes) => bytes > 0, 'more than 0 B'),
  peers: z.int().min(1).max(maxPeers),
  graph: graphSchema,
  stragglers: stragglersSchema,
  heterogeneity: z.number().min(0),
  rate: rateFields.initial
}

const list = <Schema extends z.ZodType>(schema: Schema) => z.array(schema).min(1).max(1000).optional()

/** Every combination is simulated. */
export const varySchema = z
  .strictObject({
    links: z
      .record(z.string().min(1).max(100), linksSchema)
      .refine((named) => Object.keys(named).length > 0, 'at least one name with links, such as home: { preset: home }')
      .optional()
      .meta({ description: 'topology.links as a whole, by a name of yours: { office: { preset: lan } }' }),
    bandwidth: list(values.bandwidth).meta({ description: 'links.default.bandwidth; also replaces its up and down' }),
    up: list(values.up).meta({ description: 'links.default.up: only the sending direction, as tc limits it' }),
    latency: list(values.latency).meta({ description: 'links.default.latency' }),
    jitter: list(values.jitter).meta({ description: 'links.default.jitter' }),
    loss: list(values.loss).meta({ description: 'links.default.loss' }),
    window: list(values.window).meta({ description: 'links.default.window' }),
    peers: list(values.peers).meta({ description: 'topology.peers; needs a topology with a number of peers' }),
    graph: list(values.graph).meta({ description: 'topology.graph' }),
    stragglers: list(values.stragglers).meta({ description: 'computing.stragglers' }),
    heterogeneity: list(values.heterogeneity).meta({ description: 'task.heterogeneity, of the task quadratic' }),
    rate: list(values.rate).meta({ description: 'rate.initial; that of a method has precedence' })
  })
  .prefault({})
  .meta({ description: 'What varies: every combination is simulated, the last axis fastest' })

export type Vary = z.output<typeof varySchema>

/** One value of each axis that is given. */
export const choiceSchema = z.strictObject(values).partial()

export type AxisName = keyof typeof values

/** One value of an axis. */
export type AxisChoice =
  | {
      readonly [Name in Exclude<AxisName, 'links'>]: {
        readonly axis: Name
        readonly value: z.output<(typeof values)[Name]>
      }
    }[Exclude<AxisName, 'links'>]
  /** The value is the name. */
  | { readonly axis: 'links'; readonly value: string; readonly links: LinksDescription }

/** One value of an axis, and its form in results: bits per second, milliseconds, bytes, a fraction of 1; or a name. */
export type AxisValue = AxisChoice & { readonly setting: Setting }

/** Something that varies, with all its values. */
export interface Axis {
  readonly name: AxisName
  readonly values: readonly AxisValue[]
}

/** The axes of a file, in the order of `names`. */
export function axesOf(vary: Vary, names: readonly string[]): readonly Axis[] {
  return (Object.keys(vary) as AxisName[])
    .sort((left, right) => names.indexOf(left) - names.indexOf(right))
    .map((axis) => ({ name: axis, values: axisValues(choicesOf(vary, axis)) }))
}

function choicesOf({ links: named = {}, ...lists }: Vary, axis: AxisName): readonly AxisChoice[] {
  if (axis === 'links') return Object.entries(named).map(([value, links]) => ({ axis, value, links }))
  return (lists[axis] ?? []).map((value) => ({ axis, value }) as AxisChoice)
}

/** Choices with their forms in results. Different ones with the same form are numbered. */
function axisValues(choices: readonly AxisChoice[]): readonly AxisValue[] {
  const settings = choices.map(settingOf)
  return choices.map((choice, index) => {
    const setting = settings[index]
    const earlier = settings.slice(0, index).filter((other) => other === setting).length
    return {
      ...choice,
      setting: earlier === 0 || typeof setting === 'number' ? setting : `${setting} (${earlier + 1})`
    }
  })
}

function settingOf(choice: AxisChoice): Setting {
  if (choice.axis === 'graph') return graphLabel(choice.value)
  return choice.axis === 'stragglers' ? stragglersLabel(choice.value) : choice.value
}
