import { invariant } from '@murmuration/core'
import type { Setting } from '@murmuration/results'
import type { GraphDescription } from '@murmuration/topology'
import { type Result, resolveTopology, type TopologyDescription, type TopologyFile } from '@murmuration/files'
import type { Axis, AxisValue } from './axes.js'
import type { Method, Scenario } from './scenario.js'
import type { Computing } from './computing.js'
import type { LearningTask } from '../../training/training-schema.js'
import { ownServerNames } from './servers.js'

/** One combination of the axes' values. Plain data. */
export interface SimSetting {
  /** One value of each axis, in the form of results. */
  readonly values: Readonly<Record<string, Setting>>
  readonly topology: TopologyDescription
  readonly learning: LearningTask
  readonly computing: Computing
  /** Replaces the learning rate of the file. */
  readonly rate?: number
}

/** One simulation of a sweep. Plain data. */
export interface SimRun {
  readonly setting: SimSetting
  readonly method: Method
  readonly seed: number
  /** The interval that is kept event by event, in virtual milliseconds; absent in most runs. */
  readonly timeline?: { readonly from: number; readonly to: number }
}

/** The maximum number of simulations in one scenario. */
export const maxRuns = 100_000

/** The number of simulations of a scenario. */
export function runCount({ axes, methods, seeds }: Pick<Scenario, 'axes' | 'methods' | 'seeds'>): number {
  return axes.reduce((product, { values }) => product * values.length, 1) * methods.length * seeds.length
}

/** Every combination of the axes' values, in the order of the file: the last axis changes fastest. */
export function settingsOf(scenario: Scenario): readonly SimSetting[] {
  const { axes } = scenario
  const base = baseOf(scenario)
  return combinations(axes).map((choices) => {
    // Other axes change values of the links.
    const links = choices.filter(({ axis }) => axis === 'links')
    const others = choices.filter(({ axis }) => axis !== 'links')
    const setting = others.reduce(apply, withoutDirections(links.reduce(apply, base), axes))
    return { ...setting, values: Object.fromEntries(choices.map((choice) => [choice.axis, choice.setting])) }
  })
}

/** The setting in the file, before anything varies. */
export function baseOf({ topology, training, computing }: Omit<Scenario, 'path' | 'text'>): SimSetting {
  return { values: {}, topology, learning: training, computing }
}

/** All simulations: for every setting every method, for every method every seed. */
export function runsOf(scenario: Scenario): readonly SimRun[] {
  const { methods, seeds, timeline } = scenario
  return settingsOf(scenario).flatMap((setting) =>
    methods.flatMap((method) =>
      seeds.map((seed): SimRun => {
        const isKept =
          timeline?.seed === seed &&
          timeline.methods.includes(method.label) &&
          Object.entries(timeline.settings).every(([axis, value]) => setting.values[axis] === value)
        const interval = isKept ? { timeline: { from: timeline.from, to: timeline.to } } : {}
        return { setting, method, seed, ...interval }
      })
    )
  )
}

/** The peers, topology and links of a run. Servers on machines of their own have links too, by their names. */
export function topologyOf(scenario: Scenario, { setting, method }: Pick<SimRun, 'setting' | 'method'>): TopologyFile {
  const result = resolve(scenario.methods, setting.topology, graphOf(method))
  invariant(result.ok, 'the topology of a scenario that was checked cannot be built')
  return result.value
}

/** Builds a topology, on another graph if one is given, or reports what is wrong with it. */
export function resolve(
  methods: readonly Method[],
  topology: TopologyDescription,
  graph: GraphDescription = topology.graph
): Result<TopologyFile> {
  return resolveTopology({ ...topology, graph }, ownServerNames(methods))
}

/** The graph that a method has for itself. */
export function graphOf(method: Method): GraphDescription | undefined {
  return method.graph
}

/** Every combination of the axes' values; the last axis changes fastest. A single empty one if there is no axis. */
export function combinations(axes: readonly Axis[]): readonly (readonly AxisValue[])[] {
  return axes.reduce<readonly (readonly AxisValue[])[]>(
    (combined, { values }) => combined.flatMap((choices) => values.map((value) => [...choices, value])),
    [[]]
  )
}

/** If the bandwidth varies, it replaces both directions of the topology. */
function withoutDirections(base: SimSetting, axes: readonly Axis[]): SimSetting {
  if (!axes.some(({ name }) => name === 'bandwidth')) return base
  return withLink(base, { up: undefined, down: undefined })
}

/** A setting with one value replaced. */
export function apply(setting: SimSetting, choice: AxisValue): SimSetting {
  return { ...replaced(setting, choice), values: { ...setting.values, [choice.axis]: choice.setting } }
}

function replaced(setting: SimSetting, choice: AxisValue): SimSetting {
  const { axis, value } = choice
  switch (axis) {
    case 'links':
      return { ...setting, topology: { ...setting.topology, links: choice.links } }
    case 'peers':
      return { ...setting, topology: { ...setting.topology, peers: value } }
    case 'graph':
      return { ...setting, topology: { ...setting.topology, graph: value } }
    case 'stragglers':
      return { ...setting, computing: { ...setting.computing, stragglers: value } }
    case 'heterogeneity':
      return varied(setting, value)
    case 'rate':
      return { ...setting, rate: value }
    default:
      return withLink(setting, { [axis]: value })
  }
}

function varied(setting: SimSetting, heterogeneity: number): SimSetting {
  const { learning } = setting
  if (learning.task.kind !== 'quadratic') return setting
  return { ...setting, learning: { ...learning, task: { ...learning.task, heterogeneity } } }
}

type DefaultLink = NonNullable<NonNullable<TopologyDescription['links']>['default']>

function withLink(setting: SimSetting, values: DefaultLink): SimSetting {
  const { links } = setting.topology
  return {
    ...setting,
    topology: { ...setting.topology, links: { ...links, default: { ...links?.default, ...values } } }
  }
}
