import { refusals } from '@murmuration/algorithms'
import { type Path, type PeerName, type Problem, problem, within } from '@murmuration/core'
import { consensusFinding, contraction, type GraphDescription } from '@murmuration/topology'
import type { TopologyFile } from '@murmuration/files'
import { givenOptions, recordOf } from '../../training/algorithm-choice.js'
import { pipelineRefusals } from '../../training/pipeline.js'
import type { AxisValue } from './axes.js'
import type { Method, Scenario } from './scenario.js'
import { usesTopology } from './methods.js'
import { serversOf } from './servers.js'
import { apply, baseOf, combinations, graphOf, resolve } from './sweep.js'

/** The peers of some settings. */
export interface PeersCase {
  /** In the order of the topology. */
  readonly peers: readonly PeerName[]
  /** For messages: which settings these are; empty for all. */
  readonly which: string
}

/** The topologies of a scenario. */
export interface TopologyCases {
  readonly problems: readonly Problem[]
  /** One for each number of peers. */
  readonly cases: readonly PeersCase[]
}

/** A scenario while it is being checked. */
export type Draft = Omit<Scenario, 'path' | 'text'>

/** Builds the topology of every setting, and the methods' own topologies. */
export function topologyCases(draft: Draft): TopologyCases {
  const choices = combinations(draft.axes.filter(({ name }) => name === 'peers' || name === 'graph'))
  const withLinks = combinations(draft.axes.filter(({ name }) => ['links', 'peers', 'graph'].includes(name)))
  const shared = draft.methods.some((each) => each.graph === undefined && usesTopology(recordOf(each.algorithm)))
  const built = withLinks.map((choice) => build(draft, choice, shared, (path) => placeOf(draft, choice, path)))
  const methodProblems = draft.methods.flatMap((method, index) => ownProblems(draft, method, index))
  const needs = needProblems(draft, choices)
  const cases = new Map(built.flatMap(({ peers }) => (peers === undefined ? [] : [[peers.which, peers] as const])))
  return {
    problems: [...distinct(built.flatMap(({ problems }) => problems)), ...methodProblems, ...needs],
    cases: [...cases.values()]
  }
}

/** Each problem once: those of a graph are the same over all links. */
function distinct(problems: readonly Problem[]): readonly Problem[] {
  return [...new Map(problems.map((each) => [JSON.stringify(each), each])).values()]
}

/** The path in the scenario of a part of a topology: values that vary are in `vary`. */
function placeOf({ axes }: Draft, choice: readonly AxisValue[], path: Path): Path {
  const links = choice.find(({ axis }) => axis === 'links')
  if (path[0] === 'links' && links !== undefined) return ['vary', 'links', String(links.value), ...path.slice(1)]
  if (path[0] !== 'graph' && path[0] !== 'weights') return ['topology', ...path]
  const value = choice.find(({ axis }) => axis === 'graph') ?? choice.find(({ axis }) => axis === 'peers')
  const axis = axes.find(({ name }) => name === value?.axis)
  if (value === undefined || axis === undefined) return ['topology', ...path]
  return ['vary', axis.name, axis.values.indexOf(value), ...(axis.name === path[0] ? path.slice(1) : [])]
}

/**
 * Checks a method's own graph, over the peers of every setting. The check of the shared topology reports all other
 * problems.
 */
function ownProblems(draft: Draft, method: Method, index: number): readonly Problem[] {
  const graph = graphOf(method)
  if (graph === undefined) return []
  const choices = combinations(draft.axes.filter(({ name }) => name === 'peers'))
  const place = (path: Path) =>
    path[0] === 'graph' || path[0] === 'weights'
      ? ['methods', index, 'graph', ...(path[0] === 'graph' ? path.slice(1) : [])]
      : undefined
  return choices.flatMap(
    (choice) => build(draft, [...choice, { axis: 'graph', value: graph, setting: '' }], true, place).problems
  )
}

/** Requirements of algorithms that the topologies of the settings do not meet. */
function needProblems(draft: Draft, choices: readonly (readonly AxisValue[])[]): readonly Problem[] {
  return choices.flatMap((choice) => {
    const { topology } = settingOf(draft, choice)
    const files = new Map<GraphDescription | undefined, ReturnType<typeof resolve>>()
    return draft.methods.flatMap((method, index) => {
      const graph = graphOf(method)
      const file = files.get(graph) ?? resolve(draft.methods, topology, graph)
      files.set(graph, file)
      if (!file.ok) return []
      const { pipeline } = file.value
      const joined = pipeline?.stages[0] ?? file.value.topology
      const { peers } = joined
      const servers = serversOf(method, peers, file.value.servers).map(({ name }) => name)
      const { algorithm, training } = method
      const { codec } = training
      const surroundings = { topology: joined, servers, codec, options: givenOptions(algorithm) }
      const record = recordOf(algorithm)
      const ofStages =
        usesTopology(record) || pipeline === undefined ? pipelineRefusals(file.value, training, algorithm) : []
      const refused = [...refusals(record, surroundings), ...ofStages]
      return refused.map((text) => problem(['methods', index], whichOf(choice) + text))
    })
  })
}

/** A prefix for a message: the settings that it is about. */
function whichOf(choice: readonly AxisValue[]): string {
  const settings = choice.map(({ axis, setting }) => `${axis} ${String(setting)}`)
  return settings.length === 0 ? '' : `with ${settings.join(', ')}: `
}

function settingOf(draft: Draft, choice: readonly AxisValue[]) {
  return choice.reduce(apply, baseOf(draft))
}

/** @param gossips - whether peers average over this topology, and so must reach consensus */
function build(
  draft: Draft,
  choice: readonly AxisValue[],
  gossips: boolean,
  place: (path: Path) => Path | undefined
): { readonly problems: readonly Problem[]; readonly peers?: PeersCase } {
  const setting = settingOf(draft, choice)
  const result = resolve(draft.methods, setting.topology)
  const size = choice.find(({ axis }) => axis === 'peers')?.setting
  const which = size === undefined ? '' : ` (with ${size} peers)`
  const problems = result.ok ? (gossips ? consensusProblems(result.value) : []) : result.problems
  const placed = problems.flatMap((found): Problem[] => {
    const path = place(found.path)
    return path === undefined ? [] : [{ ...found, path, message: `${found.message}${which}` }]
  })
  return result.ok
    ? { problems: placed, peers: { peers: result.value.peers.map(({ name }) => name), which } }
    : { problems: placed }
}

/**
 * Whether averaging leads to consensus. Metropolis and uniform weights on a connected graph, which was checked before,
 * always do, since each peer keeps a part of its own. Weights in the file need not.
 */
function consensusProblems({ topology: whole, weights, pipeline }: TopologyFile): readonly Problem[] {
  const topology = pipeline?.stages[0] ?? whole
  if (weights !== 'given' || topology.peers.length === 1) return []
  const { level, message } = consensusFinding(contraction(topology))
  return level === 'error'
    ? within(['graph'], [problem([], `found weights that do not guarantee consensus, expected others. ${message}`)])
    : []
}
