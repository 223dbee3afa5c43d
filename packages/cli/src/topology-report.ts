import type { PeerName } from '@murmuration/core'
import {
  consensusFinding,
  type Contraction,
  contraction,
  diameterOf,
  type Finding,
  roundsToConsensus,
  structureFindings,
  unionGraph
} from '@murmuration/topology'
import type { PipelineOfFile, TopologyFile } from '@murmuration/files'
import { isLoopback } from '@murmuration/files/addresses'
import { bitRateText } from '@murmuration/files'
import Table from 'cli-table3'
import { type CollectiveFacts, collectiveFacts } from './collective-report.js'

/** At most so many peers are listed. */
const maxListed = 32

/** Finding the diameter takes peers × edges steps. */
const maxDiameterPeers = 2000

/** The result of a check of a topology, or of its peers' ids. */
type FileFinding = Omit<Finding, 'check'> & { readonly check: Finding['check'] | 'ids' }

/** Facts of a topology as plain data, for `--json`. */
export interface TopologyFacts {
  readonly kind: 'topology'
  readonly graph: string
  readonly weights: string
  readonly peers: number
  /** Where the model is cut: the peers that compute gradients together, one for each stage. */
  readonly lines?: PipelineOfFile['lines']
  /** Pairs that exchange in some round of a period. */
  readonly edges: number
  /** How many peers a peer receives from in some round of a period. */
  readonly degree: { readonly smallest: number; readonly mean: number; readonly largest: number }
  /** The greatest distance between two peers, in edges; absent for large topologies. */
  readonly diameter?: number
  readonly period: number
  readonly spectralGap: number
  /** The factor by which a period reduces disagreement. */
  readonly contractionPerPeriod: number
  /** λ₂ and λₙ of a static symmetric `W`. */
  readonly eigenvalues?: { readonly second: number; readonly last: number }
  /** Rounds until disagreement is reduced by factors of 10⁻³ and 10⁻⁶; null if that is not guaranteed. */
  readonly roundsToConsensus: { readonly thousandth: number | null; readonly millionth: number | null }
  /** An all-reduce on the links; absent where no line has a bandwidth, and for more than 24 peers. */
  readonly allReduce?: CollectiveFacts
  readonly findings: readonly FileFinding[]
  /** For each peer, one per round of a period. */
  readonly rows: readonly MixingRow[]
}

/** The neighbours that a peer averages with in a round, and their weights. */
export interface MixingRow {
  readonly peer: PeerName
  readonly round: number
  readonly self: number
  readonly neighbours: Readonly<Record<string, number>>
}

/**
 * What `murmur topology FILE --json` prints.
 *
 * @param bytes - the size of the model for which collectives are compared; three usual ones when absent
 */
export function topologyReportJson(file: TopologyFile, bytes?: number): TopologyFacts {
  // The stages of a model have graphs of their own, all of the same kind.
  const topology = file.pipeline?.stages[0] ?? file.topology
  const graph = unionGraph(file.topology)
  const degrees = graph.map((sources) => sources.length)
  const shrinks = contraction(topology)
  const allReduce = collectiveFacts(file, bytes === undefined ? undefined : [bytes])
  return {
    kind: 'topology',
    graph: file.graph.kind,
    weights: file.weights,
    peers: graph.length,
    ...(file.pipeline && { lines: file.pipeline.lines }),
    edges: edgesOf(graph),
    degree: {
      smallest: degrees.reduce((least, degree) => Math.min(least, degree)),
      mean: degrees.reduce((sum, degree) => sum + degree, 0) / degrees.length,
      largest: degrees.reduce((most, degree) => Math.max(most, degree))
    },
    ...(graph.length <= maxDiameterPeers && { diameter: diameterOf(unionGraph(topology)) }),
    period: topology.period,
    spectralGap: shrinks.spectralGap,
    contractionPerPeriod: shrinks.perPeriod,
    ...(shrinks.eigenvalues && { eigenvalues: shrinks.eigenvalues }),
    roundsToConsensus: { thousandth: rounds(shrinks, 1e-3), millionth: rounds(shrinks, 1e-6) },
    ...(allReduce && { allReduce }),
    findings: [...structureFindings(topology), consensusFinding(shrinks), ...idFindings(file)],
    rows: rowsOf(file)
  }
}

/** What `murmur topology FILE` prints: neighbours and weights, facts, and findings. */
export function topologyReport(file: TopologyFile, bytes?: number): string {
  const facts = topologyReportJson(file, bytes)
  const collectives = facts.allReduce === undefined ? '' : `${collectiveTable(facts.allReduce)}\n\n`
  const text = `${rowsTable(facts)}\n\n${factsTable(facts)}\n\n${collectives}${facts.findings.map(findingLine).join('\n')}`
  return text.replaceAll(/ +$/gm, '')
}

/** Peers that "murmur peer" refuses on all other machines; a simulation and "murmur swarm" need no ids. */
function idFindings({ peers, servers }: TopologyFile): FileFinding[] {
  const open = [...peers, ...servers].filter(({ id, addresses }) => id === undefined && !addresses.every(isLoopback))
  if (open.length === 0) return []
  const names = open.map(({ name }) => name)
  const shown = names.length > maxListed ? `${names.slice(0, maxListed).join(', ')}, …` : names.join(', ')
  const verb =
    names.length > 1 ? 'have addresses on other machines and no ids' : 'has an address on another machine and no id'
  const message = `${shown} ${verb}, which "murmur peer" refuses; put the id that "murmur identity ${names[0]}" prints there into the file.`
  return [{ check: 'ids', level: 'warning', message }]
}

function edgesOf(graph: readonly (readonly number[])[]): number {
  const sets = graph.map((sources) => new Set(sources))
  // A pair that is in both lists counts only at its smaller end.
  const counted = graph.map(
    (sources, node) => sources.filter((source) => source > node || !sets[source].has(node)).length
  )
  return counted.reduce((sum, count) => sum + count, 0)
}

function rounds(shrinks: Contraction, factor: number): number | null {
  const count = roundsToConsensus(shrinks, factor)
  return Number.isFinite(count) ? count : null
}

/** In the order of the file, which is the order of the graph. */
function rowsOf({ topology, peers }: TopologyFile): MixingRow[] {
  return peers.flatMap(({ name }) =>
    Array.from({ length: topology.period }, (_, round) => {
      const { selfWeight, receiveFrom } = topology.mixing(name, round)
      const neighbours = Object.fromEntries(receiveFrom.map(({ name: other, weight }) => [other, weight]))
      return { peer: name, round, self: selfWeight, neighbours }
    })
  )
}

function rowsTable({ rows, period, peers }: TopologyFacts): string {
  const changing = period > 1
  const table = plainTable(['peer', ...(changing ? ['round'] : []), 'own', 'from neighbours'])
  for (const { peer, round, self, neighbours } of rows.slice(0, maxListed * period)) {
    const list = Object.entries(neighbours).map(([name, weight]) => `${name} ${short(weight)}`)
    const shown = list.length > 12 ? [...list.slice(0, 12), `and ${list.length - 12} more`] : list
    table.push([peer, ...(changing ? [ofPeriod(round, period)] : []), short(self), shown.join(', ')])
  }
  const more = peers > maxListed ? `\n… and ${peers - maxListed} more peers; --json lists all of them` : ''
  return table.toString() + more
}

function ofPeriod(round: number, period: number): string {
  return `${round} mod ${period}`
}

function factsTable(facts: TopologyFacts): string {
  const { degree, diameter, eigenvalues, roundsToConsensus: toConsensus } = facts
  const same = degree.smallest === degree.largest
  const table = plainTable()
  table.push(['graph', facts.graph], ['weights', facts.weights], ['peers', facts.peers], ['edges', facts.edges])
  if (facts.lines !== undefined) table.push(['stages', facts.lines[0].length], ['lines', linesText(facts.lines)])
  const spread = `${degree.smallest} to ${degree.largest}, ${degree.mean.toFixed(2)} on average`
  table.push(['neighbours of a peer', same ? degree.smallest : spread])
  if (diameter !== undefined) table.push(['diameter', diameter])
  table.push(['rounds of a period', facts.period], ['spectral gap', short(facts.spectralGap)])
  if (eigenvalues) table.push(['λ₂, λₙ', `${short(eigenvalues.second)}, ${short(eigenvalues.last)}`])
  table.push(['rounds to agree to 1/1000', toConsensus.thousandth ?? 'not guaranteed'])
  table.push(['rounds to agree to 1/1000000', toConsensus.millionth ?? 'not guaranteed'])
  return table.toString()
}

function collectiveTable({ bound, limits, milliseconds }: CollectiveFacts): string {
  const names = Object.keys(Object.values(milliseconds)[0])
  const table = plainTable(['all-reduce', ...names])
  for (const [bytes, times] of Object.entries(milliseconds)) {
    table.push([sizeText(Number(bytes)), ...names.map((name) => secondsText(times[name]))])
  }
  const limited = limits.length === 0 ? '' : `, limited by ${limits.slice(0, 4).join(', ')}`
  return `An all-reduce carries at most ${bitRateText(bound)} of the vector${limited}. Predicted times:\n${table.toString()}`
}

function sizeText(bytes: number): string {
  const [unit, scale] = Object.entries({ MiB: 2 ** 20, KiB: 2 ** 10 }).find(([, each]) => bytes % each === 0) ?? [
    'B',
    1
  ]
  return `${bytes / scale} ${unit}`
}

function secondsText(milliseconds: number): string {
  return milliseconds < 1000
    ? `${Number(milliseconds.toPrecision(3))} ms`
    : `${Number((milliseconds / 1000).toPrecision(3))} s`
}

function linesText(lines: PipelineOfFile['lines']): string {
  const shown = lines.slice(0, maxListed).map((line) => line.join(' → '))
  return [...shown, ...(lines.length > maxListed ? ['…'] : [])].join(', ')
}

const marks: Readonly<Record<Finding['level'], string>> = { ok: 'ok      ', warning: 'warning ', error: 'ERROR   ' }

function findingLine({ level, message }: FileFinding): string {
  return `${marks[level]} ${message}`
}

/** Columns without lines, which read well in logs and with screen readers. */
function plainTable(head?: string[]) {
  const none = ['top', 'top-mid', 'top-left', 'top-right', 'bottom', 'bottom-mid', 'bottom-left', 'bottom-right']
  const inner = ['left', 'left-mid', 'mid', 'mid-mid', 'right', 'right-mid']
  const chars = Object.fromEntries([...none, ...inner].map((key) => [key, '']))
  const style = { 'head': [], 'border': [], 'padding-left': 0, 'padding-right': 0, 'compact': true }
  return new Table({ ...(head && { head }), chars: { ...chars, middle: '  ' }, style })
}

/** Four significant digits, without trailing zeros. Eigenvalues near 1 keep the digits in which they differ from 1. */
function short(value: number): string {
  if (Math.abs(value) < 1e-12) return '0'
  const digits = Math.abs(value) < 1 ? Math.max(4, Math.ceil(-Math.log10(1 - Math.abs(value))) + 3) : 4
  return String(Number(value.toPrecision(Math.min(15, digits))))
}
