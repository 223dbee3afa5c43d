import { isDeepStrictEqual } from 'node:util'
import { type AnyAlgorithm, compresses, neededServers } from '@murmuration/algorithms'
import { nearest, unknownPeer } from '@murmuration/files'
import { type Problem, problem, within } from '@murmuration/core'
import { faultProblems } from './fault-problems.js'
import type { Method } from './scenario.js'
import { usesTopology } from './methods.js'
import { endless } from './schema.js'
import { recordOf } from '../../training/algorithm-choice.js'
import { taskRefusals, taskRecordOf } from '../../training/task-choice.js'
import { dataDescription } from '../../training/task-description.js'
import { stopProblems, stopRefusal } from '../../training/stop-choice.js'
import { quorumProblems, rateProblems } from '../../training/training-file.js'
import { localWeights } from '../../training/training-schema.js'
import { ownServerNames, placementOf, serversOf } from './servers.js'
import { runCount, maxRuns } from './sweep.js'
import { type Draft, type PeersCase, topologyCases } from './topology-cases.js'

/**
 * Problems that the schema cannot express: names and numbers that must fit each other. Paths begin within the scenario.
 */
export function scenarioProblems(draft: Draft): readonly Problem[] {
  const problemsWithoutTopology = [
    ...partitionProblems(draft),
    ...axisProblems(draft),
    ...labelProblems(draft),
    ...callsProblems(draft),
    ...fieldProblems(draft),
    ...seedProblems(draft),
    ...lateProblems(draft),
    ...stopRuleProblems(draft),
    ...cosineProblems(draft),
    ...sizeProblems(draft),
    ...trafficProblems(draft),
    ...taskNeedProblems(draft)
  ]
  // Topologies are only built without these problems: until then there could be any number of topologies.
  if (problemsWithoutTopology.length > 0) return problemsWithoutTopology
  const { problems, cases } = topologyCases(draft)
  return distinct([...problems, ...cases.flatMap((each) => caseProblems(draft, each))])
}

/** Settings with different numbers of peers find the same mistake again. */
function distinct(problems: readonly Problem[]): readonly Problem[] {
  return [...new Map(problems.map((each) => [JSON.stringify([each.path, each.message]), each])).values()]
}

/** A scenario has all data in one place. */
function partitionProblems({ training }: Draft): Problem[] {
  if (localWeights(training) === undefined) return []
  return [problem(['partition'], 'found "local", expected another: a simulation has no data of other machines')]
}

/**
 * Traffic and a codec, or compression, both determine message sizes: the size of encoded numbers that do not exist is
 * unknown.
 */
function trafficProblems({ traffic, methods }: Draft): Problem[] {
  if (traffic === undefined) return []
  const coded = methods.find(({ training }) => training.codec !== 'float32')
  const compressed = methods.find(({ algorithm }) => compresses(recordOf(algorithm)))
  const advice = 'omit traffic, and train a model of that size'
  const texts = [
    ...(coded === undefined ? [] : [`with the codec ${coded.training.codec} of "${coded.label}"`]),
    ...(compressed === undefined
      ? []
      : [
          `with "${compressed.label}", whose messages are compressed: how short they are depends on the trained numbers; ${advice}`
        ])
  ]
  return texts.map((text) => problem(['traffic'], `found traffic, expected none ${text}`))
}

/** Checks that the task has the rows, dual or kernel that a method needs. Traffic has its own tensors, and none. */
function taskNeedProblems({ traffic, methods }: Draft): Problem[] {
  return methods.flatMap(({ algorithm, training }, index) => {
    const record = recordOf(algorithm)
    const needed = neededOf(record)
    const refused = [
      ...taskRefusals(record, training),
      ...(needed !== undefined && traffic !== undefined ? [`${record.title} ${needed}; omit traffic`] : [])
    ]
    return refused.map((text) => problem(['methods', index], text))
  })
}

/** What of the task a method works on in place of gradients, in words. */
function neededOf({ kind, needs }: AnyAlgorithm): string | undefined {
  if (kind === 'rows') return 'sends rows of the task'
  if (needs.dual === true) return 'ascends the dual of the task'
  return needs.kernel === true ? 'sends samples of the task' : undefined
}

function axisProblems({ axes, topology, training: { task } }: Draft): Problem[] {
  const repeated = axes.flatMap(({ name, values }) =>
    values.flatMap(({ value }, index) =>
      values.slice(0, index).some((earlier) => isDeepStrictEqual(earlier.value, value))
        ? [problem([name, index], 'found this value again, expected it once')]
        : []
    )
  )
  const has = (wanted: string) => axes.some(({ name }) => name === wanted)
  const key = (name: string, expected: string): Problem => ({
    path: [name],
    at: 'key',
    message: `found "${name}", expected it only with ${expected}`
  })
  const peers = has('peers') && typeof topology.peers !== 'number'
  const heterogeneity = has('heterogeneity') && task.kind !== 'quadratic'
  return within(
    ['vary'],
    [
      ...repeated,
      ...(peers ? [key('peers', 'a topology whose peers are a number')] : []),
      ...(heterogeneity ? [key('heterogeneity', 'task: quadratic')] : [])
    ]
  )
}

function labelProblems({ methods }: Draft): Problem[] {
  return methods.flatMap(({ label, name }, index) => {
    const first = methods.findIndex((other) => other.label === label)
    if (first === index) return []
    const message = `found the label "${label}" again (method ${first + 1} has it), expected another: give it a name`
    return [problem(['methods', index, ...(name === undefined ? [] : ['name'])], message)]
  })
}

/** Halving and doubling cannot be streamed: each step needs all of the previous step. */
function callsProblems({ methods }: Draft): Problem[] {
  const message =
    'found halving-doubling per tensor with streamed calls, expected calls: blocking, since each step needs all of the previous step'
  return methods.flatMap(({ algorithm: { collective, fusion, calls } }, index) =>
    collective === 'halving-doubling' && fusion === 'per-tensor' && calls === 'streamed'
      ? [problem(['methods', index], message)]
      : []
  )
}

/** Fields that the algorithm does not use: a graph, servers, or a fusion if it has its own. */
function fieldProblems({ methods }: Draft): Problem[] {
  return methods.flatMap(({ algorithm, fusion, graph, servers, on }, index) => {
    const record = recordOf(algorithm)
    const { name, title } = record
    const inside = `found ${fusion}, expected it inside: algorithm: { name: ${name}, fusion: ${fusion} }`
    const none = (key: string, reason: string) => `found ${key}, expected none: ${title} ${reason}`
    const isServed = neededServers(record) > 0
    const found = [
      ...(fusion !== 'fused' && Object.hasOwn(record.options.shape, 'fusion') ? [['fusion', inside]] : []),
      ...(graph !== undefined && !usesTopology(record) ? [['graph', none('graph', 'has no neighbours')]] : []),
      ...(servers !== undefined && !isServed ? [['servers', none('servers', 'has no server')]] : []),
      ...(on !== undefined && !isServed ? [['on', none('on', 'has no server')]] : [])
    ]
    return found.map(([key, message]): Problem => ({ path: ['methods', index, key], at: 'key', message }))
  })
}

function seedProblems({ seeds }: Draft): Problem[] {
  return seeds.flatMap((seed, index) =>
    seeds.indexOf(seed) < index ? [problem(['seeds', index], `found ${seed} again, expected it once`)] : []
  )
}

/** Rates that change after the last round. */
function lateProblems({ training, methods }: Draft): readonly Problem[] {
  const { rounds } = training
  const ofMethods = methods.flatMap(({ rate = {} }, index) =>
    within(['methods', index], rateProblems({ rate, rounds }))
  )
  return [...rateProblems(training), ...ofMethods]
}

/** What the peers themselves cannot agree on. */
function stopRuleProblems({ training, methods }: Draft): readonly Problem[] {
  const { stop } = training
  if (stop === undefined) return []
  const refused = methods.flatMap(({ algorithm }) => stopRefusal(recordOf(algorithm), stop) ?? [])
  const texts = [...new Set(refused)].map((text) => problem([], `found a rule, expected none: ${text}`))
  return within(['stop', 'peers'], [...stopProblems(stop, training), ...texts])
}

/** A cosine decays to 0 at the last round, so the number of rounds must be known. */
function cosineProblems({ training, methods }: Draft): Problem[] {
  if (training.rounds !== endless) return []
  const message = 'found "cosine", expected constant, or a number of rounds: a cosine falls to 0 at the last round'
  const shared = training.rate.decay === 'cosine' ? [problem(['rate', 'decay'], message)] : []
  const ofMethods = methods.flatMap(({ rate }, index) =>
    rate?.decay === 'cosine' ? [problem(['methods', index, 'rate', 'decay'], message)] : []
  )
  return [...shared, ...ofMethods]
}

function sizeProblems(draft: Draft): Problem[] {
  const { axes, methods, seeds } = draft
  const runs = runCount(draft)
  if (runs <= maxRuns) return []
  const factors = [
    ...axes.map(({ name, values }) => `${name} ${values.length}`),
    `methods ${methods.length}`,
    `seeds ${seeds.length}`
  ]
  const message = `found ${runs} runs (${factors.join(' × ')}), expected at most ${maxRuns}`
  return [problem([axes.length > 0 ? 'vary' : 'seeds'], message)]
}

function caseProblems(draft: Draft, { peers, which }: PeersCase): Problem[] {
  const servers = ownServerNames(draft.methods)
  const names = new Set<string>(peers)
  const slow = Object.keys(draft.computing.slow).flatMap((name): Problem[] =>
    names.has(name) ? [] : [{ path: ['computing', 'slow', name], at: 'key', message: unknownPeer(name, peers) }]
  )
  const problems = [
    ...slow,
    ...quorumProblems(draft.membership ?? {}, peers.length),
    ...within(['faults'], faultProblems(draft.faults, peers, servers)),
    ...draft.methods.flatMap((method, index) => within(['methods', index], serverProblems(draft, method, peers)))
  ]
  return problems.map((each) => ({ ...each, message: `${each.message}${which}` }))
}

/** Servers on a machine that does not exist, with the names of peers, or more than there are parameters to divide. */
function serverProblems(draft: Draft, method: Method, peers: PeersCase['peers']): Problem[] {
  const placement = placementOf(method)
  if (placement === undefined) return []
  const { on } = placement
  const places = ['own', 'workers', ...peers]
  if (!places.includes(on)) {
    const hint = nearest(on, places)
    return [problem(['on'], `found "${on}", expected own, workers or the name of a peer${hint}`)]
  }
  const at = placement.servers === undefined ? ['on'] : ['servers']
  const servers = on === 'workers' ? (placement.servers ?? peers.length) : (placement.servers ?? 1)
  if (on === 'workers' && servers > peers.length) {
    return [problem(at, `found ${servers}, expected at most ${peers.length}, one on each worker`)]
  }
  const parameters = maxParameters(draft)
  if (servers > parameters) {
    return [problem(at, `found ${servers} servers, expected at most ${parameters}, the parameters to divide`)]
  }
  if (servers > peers.length)
    return [problem(at, `found ${servers} servers, expected at most ${peers.length}, as many as workers`)]
  const names = new Set(peers)
  const taken = serversOf(method, peers).find(({ name }) => names.has(name))
  return taken === undefined ? [] : [problem([], `found a peer named "${taken.name}", which is the name of a server`)]
}

/** How many parameters there are to divide, as far as it is known before data are read. */
function maxParameters({ training: { task, data }, traffic }: Draft): number {
  const weighed = traffic?.reduce((sum, numbers) => sum + numbers, 0) ?? Infinity
  const parameters = taskRecordOf(task)?.parameters?.(task as never, dataDescription(data))
  return Math.min(parameters ?? Infinity, weighed)
}
