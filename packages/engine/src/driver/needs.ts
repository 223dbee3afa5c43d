/** Checks, before anything starts, that a run has what its algorithm needs. */
import { hypot, sin, type Links, type Mixing, type PeerName, type Topology } from '@murmuration/core'
import type { TrainingSettings } from './training.js'
import type { Algorithm, Description, Keeps, Needs } from '../record/record.js'

/** What a run offers its algorithm. */
export interface Surroundings {
  readonly topology: Topology
  readonly servers: readonly PeerName[]
  /** The name of the links' codec, or `auto`; float32 when absent. */
  readonly codec?: string
  /** The algorithm's options, its defaults when absent. */
  readonly options?: Options
}

type Options = Readonly<Record<string, unknown>>

/** An algorithm over a vector, or over keyed rows, which has no channels and no roles. */
export type Described = Description & Partial<Pick<Algorithm, 'channels' | 'server' | 'answers'>>

/** How many servers an algorithm needs at least; 0 where it has none. */
export function neededServers({ needs, server }: Described): number {
  return needs.servers ?? (server === undefined ? 0 : 1)
}

/** Whether an algorithm works with the peers that are present, so that peers may come and go. */
export function hasMembers(record: Described): boolean {
  const { needs } = record
  const isFixed = needs.graph === 'tree' || needs.graph === 'fixed' || needs.members === 'fixed'
  const isForAll = needs.delivery === 'reliable' || needs.reach === 'everyone' || isFixed
  return !isForAll && neededServers(record) === 0
}

/** Whether messages are compressed: then their size does not follow from that of the parameters alone. */
export function compresses({ channels = {} }: Described): boolean {
  const parts = Object.values(channels).flatMap((channel): unknown[] => Object.values(channel))
  const fields = parts.flatMap((part) => (typeof part === 'object' && part !== null ? Object.values(part) : [part]))
  return fields.some(
    (field) => field === 'factors' || field === 'packed' || field === 'packed range' || field === 'samples'
  )
}

/** How many rounds lie between two exchanges with neighbours. */
export function exchangeEvery({ algorithm, options = {} }: Pick<TrainingSettings, 'algorithm' | 'options'>): number {
  return algorithm.every?.(algorithm.options.parse(options)) ?? 1
}

/**
 * The next round of training in which neighbours exchange, `round` included, where they do at the end of every `every`
 * rounds and in the last one.
 */
export function nextExchange(round: number, every: number, rounds: number): number {
  return Math.min(rounds - 1, (Math.floor(round / every) + 1) * every - 1)
}

/** How far a sum of weights may be from 1: files give weights with few digits. */
const tolerance = 1e-6

/** Why the algorithm cannot run with these, and what to do, in a sentence or two each; empty when it can. */
export function refusals(
  record: Described,
  { topology, servers, codec = 'float32', options = {} }: Surroundings
): readonly string[] {
  const { title, needs } = record
  return [
    ...weightRefusals(title, needs.weights, topology),
    ...neighbourRefusals(record, topology, options),
    ...workerRefusals(record, topology, options),
    ...(needs.graph === 'tree' ? treeRefusals(title, topology) : []),
    ...(needs.graph === 'fixed' ? fixedRefusals(title, topology) : []),
    ...(needs.graph === 'groups' ? groupRefusals(title, topology) : []),
    ...eigenvalueRefusals(title, needs.eigenvalues, topology),
    ...codecRefusals(title, needs.links, codec),
    ...serverRefusals(title, neededServers(record), servers)
  ]
}

/**
 * What an algorithm keeps on this topology: averages by rows keep the mean only where the columns of W sum to 1 too.
 */
export function keptOn({ keeps, needs, answers }: Described, topology: Topology): Keeps {
  // A peer that answers at any time has no rounds in common with the others.
  if (answers !== undefined && keeps !== 'equality') return 'nothing'
  return keeps === 'mean' && needs.weights === 'rows' && offOne(topology, columnSum).length > 0 ? 'nothing' : keeps
}

/**
 * The given options; a word, given or the default, is replaced by what it stands for on this graph and these links.
 * Throws an InputError where that is impossible.
 */
export function optionsOn(
  { fromGraph, options }: Description,
  topology: Topology,
  given: Options = {},
  links?: Links
): Options {
  if (fromGraph === undefined) return given
  const all: Options = options.parse(given)
  const isOpen = (name: string) => typeof all[name] === 'string'
  if (!Object.keys(all).some(isOpen)) return given
  const found = Object.entries(fromGraph(topology, links, all))
  return { ...given, ...Object.fromEntries(found.filter(([name, value]) => isOpen(name) && value !== undefined)) }
}

function weightRefusals(title: string, weights: Needs['weights'], topology: Topology): string[] {
  const rows = weights === 'rows' || weights === 'both'
  const columns = weights === 'columns' || weights === 'both'
  const advice = '"weights: metropolis" on an undirected graph gives such weights'
  return [
    ...(rows ? foundRefusal(`${title} needs a mixing matrix whose rows sum to 1`, offOne(topology, rowSum)) : []),
    ...(columns
      ? foundRefusal(`${title} needs a mixing matrix whose columns sum to 1`, offOne(topology, columnSum))
      : []),
    ...(weights === 'symmetric' && !isSymmetric(topology)
      ? [`${title} needs neighbours that give each other the same weight; some do not`]
      : [])
  ].map((text) => `${text}; ${advice}`)
}

function foundRefusal(text: string, off: readonly string[]): string[] {
  if (off.length === 0) return []
  const more = off.length > 4 ? ` and ${off.length - 4} more` : ''
  return [`${text}, and found ${off.slice(0, 4).join(', ')}${more}`]
}

function neighbourRefusals(record: Description, topology: Topology, options: Options): string[] {
  const needed = record.neighbours?.(record.options.parse(options)) ?? 0
  if (topology.peers.length === 1) return []
  const few = topology.peers.flatMap((peer) => {
    const found = Math.min(...roundsOf(topology, peer).map(({ receiveFrom }) => receiveFrom.length))
    return found < needed ? [`${peer} (${found})`] : []
  })
  const text = `${record.title} needs at least ${needed} neighbours for each peer with these options`
  const isPossible = needed < topology.peers.length
  const advice = isPossible ? 'choose a graph with more edges, such as complete' : `that takes ${needed + 1} peers`
  return foundRefusal(text, few).map((refusal) => `${refusal}; ${advice}`)
}

function workerRefusals(record: Description, { peers }: Topology, options: Options): string[] {
  const needed = record.workers?.(record.options.parse(options)) ?? 1
  const refused = record.refuses?.(record.options.parse(options), peers.length)
  if (needed <= peers.length) return refused === undefined ? [] : [`${record.title}: ${refused}`]
  return [`${record.title} needs ${needed} workers with these options, and found ${peers.length}; lower the quorum`]
}

function rowSum({ selfWeight, receiveFrom }: Mixing): number {
  return receiveFrom.reduce((sum, { weight }) => sum + weight, selfWeight)
}

function columnSum({ selfWeight, sendTo }: Mixing): number {
  return sendTo.reduce((sum, { weight }) => sum + weight, selfWeight)
}

/** Whether the rows of W sum to 1 in every round. */
export function hasRowSums(topology: Topology): boolean {
  return offOne(topology, rowSum).length === 0
}

/** `name (sum)` of each peer whose weights do not sum to 1 in some round of a period. */
function offOne(topology: Topology, sumOf: (mixing: Mixing) => number): readonly string[] {
  return topology.peers.flatMap((peer) => {
    const off = roundsOf(topology, peer)
      .map(sumOf)
      .find((sum) => Math.abs(sum - 1) > tolerance)
    return off === undefined ? [] : [`${peer} (${Number(off.toPrecision(3))})`]
  })
}

function isSymmetric(topology: Topology): boolean {
  return topology.peers.every((peer) =>
    roundsOf(topology, peer).every(({ receiveFrom, sendTo }) => {
      const sentWeights = new Map(sendTo.map(({ name, weight }) => [name, weight]))
      return (
        sentWeights.size === receiveFrom.length &&
        receiveFrom.every(({ name, weight }) => Math.abs((sentWeights.get(name) ?? 0) - weight) <= tolerance)
      )
    })
  )
}

function treeRefusals(title: string, topology: Topology): string[] {
  const advice = 'choose a graph without cycles, such as star or a list of edges, and undirected'
  if (topology.period > 1) return [`${title} needs a tree, and this topology changes by round; ${advice}`]
  if (!isSymmetricGraph(topology)) return [`${title} needs a tree, and some edges go only one way; ${advice}`]
  const edges = topology.peers.reduce((sum, peer) => sum + topology.mixing(peer, 0).sendTo.length, 0) / 2
  if (edges === topology.peers.length - 1) return []
  return [`${title} needs a tree, and found ${edges} edges between ${topology.peers.length} peers; ${advice}`]
}

function fixedRefusals(title: string, { period }: Topology): string[] {
  if (period === 1) return []
  return [
    `${title} needs the same neighbours in every round, and this topology changes by round; choose one such as ring`
  ]
}

function groupRefusals(title: string, topology: Topology): string[] {
  const advice = 'choose a graph such as moshpit-grid, random-matching or complete'
  for (let round = 0; round < topology.period; round++) {
    const found = brokenGroup(topology, round)
    if (found !== undefined)
      return [
        `${title} needs groups whose members are all neighbours, and found that in round ${round} ${found}; ${advice}`
      ]
  }
  return []
}

/** Two peers of a round with a common neighbour that are not neighbours, or an edge that goes one way, in words. */
function brokenGroup(topology: Topology, round: number): string | undefined {
  const neighbours = new Map<PeerName, ReadonlySet<PeerName>>()
  for (const peer of topology.peers) {
    const { receiveFrom, sendTo } = topology.mixing(peer, round)
    const own = new Set(receiveFrom.map(({ name }) => name))
    const oneWay = sendTo.find(({ name }) => !own.has(name))
    if (oneWay !== undefined) return `${peer} sends to ${oneWay.name} and receives nothing from it`
    neighbours.set(peer, own)
  }
  for (const [peer, own] of neighbours) {
    // If each peer has the same group as the first of its neighbours, all members of a group have the same.
    const [first] = own
    const others = neighbours.get(first) ?? own
    const apart = [...own].find((each) => each !== first && !others.has(each))
    if (apart !== undefined) return `${peer} is a neighbour of ${first} and ${apart}, which are not neighbours`
    const beyond = [...others].find((each) => each !== peer && !own.has(each))
    if (beyond !== undefined) return `${first} is a neighbour of ${peer} and ${beyond}, which are not neighbours`
  }
  return undefined
}

function eigenvalueRefusals(title: string, bound: number | undefined, topology: Topology): string[] {
  if (bound === undefined || topology.period > 1 || !isSymmetric(topology)) return []
  const found = smallestEigenvalue(topology)
  if (found > bound + tolerance) return []
  const advice = 'give each peer a larger weight in its own average, or choose exact-diffusion'
  return [`${title} needs eigenvalues of W above ${short(bound)}, and found ${short(found)}; ${advice}`]
}

/** Steps of the power method: the other eigenvalues' part is then far below the tolerance used here. */
const powerSteps = 2000

/** λₙ of a symmetric W: the largest eigenvalue of I − W is 1 − λₙ, which the power method approaches from below. */
function smallestEigenvalue(topology: Topology): number {
  const indices = new Map(topology.peers.map((peer, index) => [peer, index]))
  const rows = topology.peers.map((peer) => topology.mixing(peer, 0))
  let v = rows.map((_, index) => sin(1 + index ** 2))
  let largest = 0
  for (let step = 0; step < powerSteps; step++) {
    const norm = hypot(...v) || 1
    const unit = v.map((value) => value / norm)
    v = rows.map(({ selfWeight, receiveFrom }, index) =>
      receiveFrom.reduce(
        (sum, { name, weight }) => sum - weight * unit[indices.get(name) ?? index],
        (1 - selfWeight) * unit[index]
      )
    )
    const next = v.reduce((sum, value, index) => sum + value * unit[index], 0)
    if (step > 50 && Math.abs(next - largest) < 1e-12) break
    largest = next
  }
  return 1 - largest
}

function short(value: number): number {
  return Number(value.toPrecision(3))
}

/** Whether every edge goes both ways. That the graph is connected is checked elsewhere. */
function isSymmetricGraph(topology: Topology): boolean {
  return topology.peers.every((peer) => {
    const { sendTo, receiveFrom } = topology.mixing(peer, 0)
    return sendTo.map(({ name }) => name).join() === receiveFrom.map(({ name }) => name).join()
  })
}

function codecRefusals(title: string, links: Needs['links'], codec: string): string[] {
  if (links === 'exact' && codec !== 'float32') {
    const reason = 'it adds differences round by round, so rounding errors of other codecs add up and never average out'
    return [`${title} needs codec float32, and found ${codec}: ${reason}`]
  }
  if (links !== 'fine' || codec !== 'int4') return []
  const reason = 'it divides the rounding error of each round by the rate; choose delta-int4 or int8'
  return [`${title} needs a codec other than int4: ${reason}`]
}

function serverRefusals(title: string, wanted: number, { length }: readonly PeerName[]): string[] {
  if (wanted === 0 && length > 0)
    return [`${title} has no servers, and found ${length}; leave out the peers with "role: server"`]
  if (wanted === 0 || length >= wanted) return []
  const count = wanted === 1 ? 'a server' : `${wanted} servers`
  return [`${title} needs ${count}, and found ${length}; add a peer such as { name: s, role: server }`]
}

/** The rows of a peer in the rounds of a period. */
export function roundsOf(topology: Topology, peer: PeerName): readonly Mixing[] {
  return Array.from({ length: topology.period }, (_, round) => topology.mixing(peer, round))
}
