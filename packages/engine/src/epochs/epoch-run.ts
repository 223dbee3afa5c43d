/** What follows from the settings of a run for one epoch of it. */
import { byName, type PeerName, type StepReport, type Topology } from '@murmuration/core'
import type { BrokenPair } from '@murmuration/membership'
import { EndOfAsking } from '../driver/end-of-asking.js'
import { hasRowSums, refusals, roundsOf } from '../driver/needs.js'
import { StopHistory } from '../driver/stop-rule.js'
import type { TrainingSettings } from '../driver/training.js'
import { othersMissing } from '../members/missing.js'
import type { PipelineSettings } from '../pipeline/line.js'
import { linesAmong, replicasOf, stageOf } from '../pipeline/lines-among.js'
import { type Epoch, noEpoch } from './epoch.js'
import { epochGraph } from './epoch-graph.js'
import type { ElasticSettings, EpochSettings } from './epoch-settings.js'
import { GapNotes } from './gap-notes.js'

export class EpochRun {
  /** Where the algorithm ascends a dual. */
  readonly gaps: GapNotes | undefined = undefined
  readonly #self: PeerName
  readonly #settings: ElasticSettings
  readonly #epochs: EpochSettings
  /** What this peer has found out about the end, over all epochs. */
  readonly #history = new StopHistory()

  /** @param tell - sends a note */
  constructor(
    self: PeerName,
    settings: ElasticSettings,
    epochs: EpochSettings,
    tell: (to: PeerName, note: string) => void
  ) {
    const { contraction } = epochs
    if (settings.algorithm.needs.dual === true && contraction !== undefined)
      this.gaps = new GapNotes(self, settings.rounds, (epoch) => contraction(this.graphOf(epoch)), tell)
    this.#self = self
    this.#settings = settings
    this.#epochs = epochs
  }

  /** Whether each peer counts its own rounds. */
  get hasOwnPace(): boolean {
    const { algorithm } = this.#settings
    return EndOfAsking.isUsed(this.#settings) || (algorithm.server !== undefined && algorithm.keeps === 'nothing')
  }

  /** Whether every member exchanges vectors with every other, or with every server. */
  get needsEveryPair(): boolean {
    const { algorithm, servers = [] } = this.#settings
    return algorithm.needs.reach === 'everyone' || servers.length > 0 || this.lines !== undefined
  }

  /** The lines with which the run began, where the model is cut. */
  get lines(): PipelineSettings['lines'] | undefined {
    return this.#settings.pipeline?.lines
  }

  /** An epoch as those see it that train the same part of the model as this peer: all, where it is not cut. */
  ofStage(epoch: Epoch): Epoch {
    const members = replicasOf(this.lines, this.#self, epoch.members)
    const isOfStage = (name: PeerName) => members.some((member) => member.name === name)
    const { givers, broken } = epoch
    return {
      ...epoch,
      members,
      givers: givers.filter(isOfStage),
      broken: broken.filter((pair) => pair.every(isOfStage))
    }
  }

  /** Whether this peer is a server of the run, which has no data to train on. */
  get isServer(): boolean {
    return this.#settings.servers?.includes(this.#self) === true
  }

  /**
   * Whether an epoch ends with the mean of the workers' models in place of rounds of final averaging: where these would
   * pass by those that are far behind, where a worker has become a server, and where rows of W do not sum to 1.
   */
  closes(epoch: Epoch, graph: Topology): boolean {
    const { servers: planned = [] } = this.#settings
    return this.hasOwnPace || epoch.servers.some((name) => !planned.includes(name)) || this.#lacksRows(graph)
  }

  /** Whether only the columns of a graph of some of the peers sum to 1, as its algorithm needs them. */
  #lacksRows(graph: Topology): boolean {
    return graph !== this.#epochs.topology && !hasRowSums(graph)
  }

  /** The epoch in which all begin that were in the run from the start. */
  first(places: readonly PeerName[]): Epoch {
    const { workers, servers = [] } = this.#settings
    const all = this.lines?.flat() ?? workers
    const names = [...all, ...servers].filter((name) => !places.includes(name)).sort(byName)
    return { ...noEpoch, number: 0, members: names.map((name) => ({ name, life: 1, samples: 0 })), servers }
  }

  /**
   * The graph of an epoch's workers.
   *
   * @throws NeighboursMissingError where there is none on which the algorithm works
   */
  graphOf(epoch: Epoch): Topology {
    const { algorithm, servers: planned = [], options } = this.#settings
    const { servers, broken } = this.ofStage(epoch)
    const workers = workersOf(this.ofStage(epoch))
    if (planned.length > 0 && (workers.length === 0 || servers.length === 0))
      throw othersMissing(this.#self, `is the only one left, and ${algorithm.title} needs a server and a worker`, [])
    const { topology, on } = this.#epochs
    const known = workers.filter((name) => topology.peers.includes(name))
    const problems = (graph: Topology) =>
      refusals(algorithm, { topology: graph, servers, options: { ...options, ...on?.(graph).options } })
    const sums = algorithm.needs.weights === 'columns' ? 'columns' : 'rows'
    const graph = epochGraph(topology, known, broken, problems, sums)
    if ('peers' in graph) return graph
    const lost = topology.peers.filter((name) => !known.includes(name))
    throw othersMissing(this.#self, `cannot continue with ${known.join(', ')}: ${graph.join('; ')}`, lost)
  }

  /** The settings of the rounds that are left: a record sees an epoch as a run of its own. */
  settingsOf(epoch: Epoch, graph: Topology): TrainingSettings {
    const given = this.#settings
    const { topology, on } = this.#epochs
    const changed = graph === topology ? {} : on?.(graph)
    const { round: first, servers } = epoch
    const { rounds, finalRounds = 0, stop } = { ...given, ...changed }
    // Models of an epoch before have met a condition, or not: these begin anew.
    const beginsAnew = given.algorithm.needs.dual === true
    const left =
      this.hasOwnPace || this.#lacksRows(graph) ? 0 : Math.min(finalRounds, Math.max(0, rounds + finalRounds - first))
    return {
      ...given,
      ...changed,
      stop: stop && { ...stop, history: beginsAnew ? undefined : this.#history },
      members: undefined,
      workers: workersOf(this.ofStage(epoch)),
      pipeline: this.#pipelineOf(epoch),
      servers,
      rounds: Math.max(0, rounds - first),
      first,
      finalRounds: left,
      rate: first === 0 ? given.rate : (round) => given.rate(first + round)
    }
  }

  /** The lines of an epoch, in which some peers have the places of those that are gone. */
  #pipelineOf({ members, givers }: Epoch): PipelineSettings | undefined {
    const { pipeline } = this.#settings
    if (pipeline === undefined) return undefined
    const samples = new Map(members.map((member) => [member.name, member.samples]))
    const lines = linesAmong(pipeline.lines, (name) => samples.has(name)) ?? pipeline.lines
    // At the start each peer weighs its own.
    if (this.#epochs.isWeighed !== true || givers.length === 0) return { ...pipeline, lines }
    const weights = lineWeights(lines, (name) => samples.get(name) ?? 0)
    return { ...pipeline, lines, weights }
  }

  /** A report of an epoch as one of the run. */
  reported(step: StepReport, epoch: Epoch): StepReport {
    const report = { ...step, round: epoch.round + step.round, epoch: epoch.number }
    return this.gaps === undefined ? report : { ...report, gap: this.gaps.after(report, epoch) }
  }

  /** Whether two members have to exchange vectors in an epoch. */
  isEdge([a, b]: BrokenPair, { servers }: Epoch, graph: Topology | undefined): boolean {
    const { algorithm, servers: planned = [] } = this.#settings
    // Lines are formed anew in each epoch, of peers of stages that follow each other.
    const distance = Math.abs(stageOf(this.lines, a) - stageOf(this.lines, b))
    if (this.lines !== undefined) return distance <= 1
    if (algorithm.needs.reach === 'everyone') return true
    if (planned.length > 0) return servers.includes(a) !== servers.includes(b)
    if (graph?.peers.includes(a) !== true) return false
    return roundsOf(graph, a).some(
      ({ sendTo, receiveFrom }) => sendTo.some(({ name }) => name === b) || receiveFrom.some(({ name }) => name === b)
    )
  }
}

/** The members that train. */
export function workersOf({ members, servers }: Epoch): readonly PeerName[] {
  return members.map(({ name }) => name).filter((name) => !servers.includes(name))
}

/**
 * What the gradients of lines count with which every sample of their first peers has the same weight: `l nᵢ / (lᵢ N)`
 * for a line of l, of which lᵢ have the same first peer, with nᵢ of N samples. The mean is 1.
 */
function lineWeights(lines: PipelineSettings['lines'], samplesOf: (name: PeerName) => number): readonly number[] {
  const firsts = lines.map(([first]) => first)
  const total = [...new Set(firsts)].reduce((sum, first) => sum + samplesOf(first), 0)
  return firsts.map((first) => {
    const alike = firsts.filter((other) => other === first).length
    return (lines.length * samplesOf(first)) / (alike * total)
  })
}
