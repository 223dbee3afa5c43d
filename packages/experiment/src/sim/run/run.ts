import { type AnySettings, hasRows, type Keeps, keptOn, lossRule, train } from '@murmuration/algorithms'
import {
  DivergedError,
  type Fabric,
  NeighboursMissingError,
  type PeerName,
  shortList,
  type Topology
} from '@murmuration/core'
import type { TopologyFile } from '@murmuration/files'
import { createRandom } from '@murmuration/random'
import type { RunRecord, SimulatedRecord, Timeline } from '@murmuration/results'
import { computingCost, DeadlockError, LogHash, Simulation } from '@murmuration/simulator'
import type { TaskSet } from '@murmuration/tasks'
import { contraction } from '@murmuration/topology'
import { codedWire, pooledVectorWire, type VectorMessage, weighed } from '@murmuration/wire'
import { lengthOf } from '@murmuration/vectors'
import { withLargeColumns } from '../../base/divergence.js'
import { nothingLearned } from '../../training/learned-nothing.js'
import { recordOf } from '../../training/algorithm-choice.js'
import { trainingSettings } from '../../training/training-settings.js'
import { MetricsRecorder } from './metrics-recorder.js'
import { RunMembers } from './run-members.js'
import { InvariantCheckers } from './invariant-checkers.js'
import { alone } from './alone.js'
import { faultsOf } from './faults.js'
import type { Method, Scenario } from '../scenario/scenario.js'
import { serversOf } from '../scenario/servers.js'
import { pipelineOf, SimulatedLines } from './simulated-lines.js'
import { SimulatedStore } from './store-costs.js'
import { type SimRun, topologyOf } from '../scenario/sweep.js'
import { timeFractions } from './time-fractions.js'
import { TimelineRecorder } from './timeline-recorder.js'
import { asTraffic, linksOfTraffic, type ModelTraffic, trafficOver } from './traffic-wire.js'

/** The result of one simulation of a sweep. */
export interface RunResult {
  readonly record: SimulatedRecord
  readonly timeline?: Timeline
}

/** Simulates one run of a scenario. The same scenario and run give the same result, except for the real seconds. */
export async function simulateRun(
  scenario: Scenario,
  run: SimRun,
  taskSet: TaskSet,
  realTime: () => number
): Promise<RunResult> {
  const start = realTime()
  const simulated = new SimulatedRun(scenario, run, taskSet)
  const failure = await simulated.play()
  return simulated.result(failure, (realTime() - start) / 1000)
}

/** At most so many peers that gave up are listed with their reasons. */
const maxLostTexts = 20

/** Everything that one run needs, built and connected. */
class SimulatedRun {
  readonly #run: SimRun
  readonly #taskSet: TaskSet
  readonly #workers: readonly PeerName[]
  readonly #servers: readonly PeerName[]
  readonly #traffic: ModelTraffic
  readonly #settings: AnySettings
  readonly #members: RunMembers
  /** One; where the model is cut, one for the peers of each stage. */
  readonly #checkers: readonly InvariantCheckers[]
  readonly #lines: SimulatedLines | undefined
  readonly #metrics: MetricsRecorder
  readonly #recorder: TimelineRecorder | undefined
  /** Workers that gave up, in that order, each with its error. */
  readonly #lost = new Map<PeerName, NeighboursMissingError>()
  /** Once a worker has trained to the end: why before all rounds were over, if so. */
  #end: Pick<RunRecord, 'ended'> | undefined
  readonly #simulation: Simulation<VectorMessage>
  readonly #store: SimulatedStore | undefined

  constructor(scenario: Scenario, run: SimRun, taskSet: TaskSet) {
    const { method, seed, setting } = run
    this.#run = run
    this.#taskSet = taskSet
    const file = topologyOf(scenario, run)
    const isAlone = isOnOneMachine(method)
    const topology = isAlone ? alone(file.topology) : file.topology
    const servers = serversOf(method, topology.peers, file.servers)
    this.#workers = topology.peers
    const pipeline = isAlone ? undefined : file.pipeline
    // The stages of a model have graphs of their own, all of the same kind.
    const graph = pipeline?.stages[0] ?? topology
    const length = lengthOf(taskSet.schema)
    this.#traffic =
      scenario.traffic === undefined
        ? { schema: taskSet.schema, wire: pooledVectorWire() }
        : trafficOver(length, scenario.traffic, scenario.readyAt)
    this.#servers = servers.map(({ name }) => name)
    const weight = (scenario.traffic?.reduce((sum, size) => sum + size, 0) ?? length) / length
    const links = weight === 1 ? file.links : linksOfTraffic(file.links, weight)
    this.#settings = {
      ...settingsOf(scenario, run, this.#workers, this.#servers, { ...file, links }),
      gone: () => crashedOf(this.#simulation, [...this.#workers, ...this.#servers])
    }
    this.#members = new RunMembers({
      algorithm: this.#settings.algorithm,
      method,
      membership: isAlone ? undefined : scenario.membership,
      topology,
      links,
      servers: this.#servers,
      rounds: this.#settings.rounds,
      timeout: this.#settings.timeout,
      now: () => this.#simulation.now()
    })
    if (recordOf(method.algorithm).needs.store) this.#store = new SimulatedStore(method.training.store, weight)
    const mayJoin = scenario.membership !== undefined
    this.#lines = pipeline && new SimulatedLines(pipeline, links, taskSet, method)
    const groups = this.#lines?.replicas ?? [this.#workers]
    this.#checkers = groups.map(
      (workers) => new InvariantCheckers(workers, keepsOf(method, graph), scenario.evaluate, mayJoin)
    )
    this.#recorder = run.timeline === undefined ? undefined : new TimelineRecorder(run.timeline)
    const random = (peer: PeerName) => createRandom(seed, peer)
    const slow = new Map(Object.entries(setting.computing.slow) as [PeerName, number][])
    const { ownTime = 0 } = method
    const coding = { codec: method.training.codec, elements: length, random }
    this.#simulation = new Simulation<VectorMessage>(
      {
        topology,
        servers,
        seed,
        wire: codedWire({ ...this.#traffic.wire, ...weighed(length) }, coding),
        links: file.links,
        network: scenario.network,
        cost: computingCost({ ...setting.computing, perStep: setting.computing.perStep + ownTime, slow }, seed),
        faults: faultsOf(scenario, run, this.#workers),
        observer: this.#recorder ?? {},
        ...(scenario.stop.time === undefined ? {} : { until: scenario.stop.time })
      },
      (fabric) => this.#act(fabric)
    )
    const { evaluate: every, stop } = scenario
    const reporters = hasRows(this.#settings) ? this.#servers : []
    const watched = {
      workers: [...(this.#lines?.names ?? this.#workers), ...reporters],
      union: taskSet.union,
      every,
      maxRounds: stop.rounds,
      contraction: this.#settings.algorithm.needs.dual === true ? contraction(topology).perRound : undefined
    }
    this.#metrics = new MetricsRecorder({ ...watched, targetLoss: stop.loss }, this.#simulation)
  }

  /** Runs to the end. Returns why it failed, if it did; internal errors are thrown. */
  async play(): Promise<string | undefined> {
    try {
      await this.#simulation.run()
      await this.#metrics.finish()
      const [first] = this.#lost.values()
      if (this.#end !== undefined || this.#simulation.isStopping) return undefined
      if (first === undefined) return 'no peer reached its last round: all have crashed or left'
      throw first
    } catch (error) {
      const isResult =
        error instanceof NeighboursMissingError || error instanceof DivergedError || error instanceof DeadlockError
      if (!isResult) throw error
      if (error instanceof DeadlockError) this.#checkers[0].found(`deadlock: ${error.message}`)
      const crashed = this.#settings.gone?.()
      if (error instanceof NeighboursMissingError && crashed !== undefined)
        return withCrash(error, crashed, this.#settings.algorithm, this.#members.settings)
      return (withLargeColumns(error, this.#taskSet.union) as Error).message
    }
  }

  result(failure: string | undefined, realSeconds: number): RunResult {
    const { method, seed, setting } = this.#run
    const simulation = this.#simulation
    const seconds = simulation.now() / 1000
    const { rounds, samples, points, toTarget, models, keys, trained = seconds } = this.#metrics
    const { traffic } = simulation
    const record: SimulatedRecord = {
      world: 'simulator',
      settings: setting.values,
      method: method.label,
      seed,
      outcome: failure !== undefined ? 'failed' : toTarget === undefined ? 'limit' : 'target',
      ...(failure === undefined ? {} : { reason: failure }),
      peers: this.#workers.length,
      seconds,
      rounds,
      secondsPerRound: rounds === 0 ? 0 : trained / rounds,
      samples,
      ...(toTarget === undefined ? {} : { toTarget }),
      bytesSent: traffic.bytes,
      payloadSent: traffic.payload,
      messages: traffic.messages,
      busiest: simulation.busiest(),
      time: timeFractions(this.#workers.map((worker) => simulation.timeOf(worker))),
      curve: points,
      models,
      ...(failure === undefined ? this.#nothingLearned() : {}),
      ...this.#end,
      ...(keys === undefined ? {} : { keys }),
      ...(failure !== undefined || this.#lost.size === 0 ? {} : { lost: lostTexts([...this.#lost.values()]) }),
      ...(this.#members.epochs.length === 0 ? {} : { epochs: this.#members.epochs }),
      store: this.#store?.totals,
      findings: this.#checkers.flatMap(({ findings }) => findings),
      logHash: this.#logHash(),
      realSeconds
    }
    if (this.#recorder === undefined) return { record }
    const peers = [...this.#workers, ...this.#servers]
    const of = { settings: setting.values, method: method.label, seed, peers }
    return { record, timeline: this.#recorder.timeline(of, simulation.now()) }
  }

  /** Whether the model at the end is no better than a constant answer. */
  #nothingLearned(): Pick<RunRecord, 'learnedNothing'> {
    return nothingLearned(this.#metrics.points.at(-1) ?? {}, this.#taskSet.union, { initial: initialRate(this.#run) })
  }

  async #act(fabric: Fabric<VectorMessage>): Promise<void> {
    try {
      await this.#train(fabric)
    } catch (error) {
      const { self } = fabric
      const isNeeded = this.#servers.includes(self) && !this.#members.hasEpochs
      if (!(error instanceof NeighboursMissingError) || isNeeded) throw error
      this.#lose(self, error)
    }
  }

  /**
   * A worker that misses all its neighbours gives up, and the others continue, as real peers do. If none is left,
   * throws the first one's error.
   */
  #lose(peer: PeerName, error: NeighboursMissingError): void {
    this.#lost.set(peer, error)
    this.#metrics.lose(peer)
    const [first] = this.#lost.values()
    if (this.#workers.every((name) => this.#lost.has(name) || this.#simulation.hasCrashed(name))) throw first
  }

  async #train(fabric: Fabric<VectorMessage>): Promise<void> {
    const { self } = fabric
    if (this.#servers.includes(self)) return this.#serve(fabric)
    const stage = this.#lines?.stageOf(self) ?? 0
    const settings = this.#lines?.settingsOf(self, this.#settings) ?? this.#settings
    const checkers = this.#checkers[stage]
    checkers.restarted(self)
    const isAlone = isOnOneMachine(this.#run.method)
    const whole = () => asTraffic(this.#traffic, this.#taskSet, isAlone ? this.#taskSet.union : this.#taskSet.of(self))
    const task = this.#lines === undefined ? whole() : await this.#lines.taskOf(self)
    const membership = this.#members.on(fabric)
    let ended: string | undefined
    try {
      for await (const report of train(fabric, task, { ...settings, ...membership })) {
        ended ??= report.ends
        if (report.phase === 'train') checkers.take(self, report)
        const step = this.#lines === undefined ? { name: self, report } : this.#lines.take(self, report)
        if (step !== undefined && (await this.#metrics.take(step.name, step.report)))
          this.#simulation.stop('target reached, or all rounds done')
      }
    } finally {
      // The notes of a peer that has given up would keep the simulation running forever.
      membership.members?.end()
    }
    this.#end ??= ended === undefined ? {} : { ended }
  }

  /** Serves; a server's reports are recorded only if it holds rows. */
  async #serve(fabric: Fabric<VectorMessage>): Promise<void> {
    const membership = this.#members.on(fabric)
    const settings = { ...this.#settings, store: this.#store?.of(fabric), ...membership }
    try {
      for await (const report of train(fabric, asTraffic(this.#traffic, this.#taskSet, this.#taskSet.union), settings))
        if (report.holds !== undefined && (await this.#metrics.take(fabric.self, report)))
          this.#simulation.stop('target reached, or all rounds done')
    } finally {
      membership.members?.end()
    }
  }

  /** A hash of all events of the simulation and of its evaluations. */
  #logHash(): string {
    const hash = new LogHash()
    for (const { seconds, loss, consensusDistance } of this.#metrics.points) {
      hash.add(seconds)
      hash.add(loss)
      hash.add(consensusDistance)
    }
    return this.#simulation.log.text() + hash.text()
  }
}

/** The peers and servers that have crashed and not come back; undefined where there are none. */
function crashedOf(simulation: Pick<Simulation<VectorMessage>, 'hasCrashed'>, all: readonly PeerName[]) {
  const names = all.filter((name) => simulation.hasCrashed(name))
  return names.length === 0 ? undefined : names
}

/** Why a run has failed in which peers crashed, and what would make it continue. */
function withCrash(
  { message }: NeighboursMissingError,
  crashed: readonly PeerName[],
  algorithm: AnySettings['algorithm'],
  membership: Scenario['membership']
): string {
  const { onLoss, because } = lossRule(algorithm, membership?.onLoss)
  const isOpen = membership === undefined && onLoss === 'continues in a new epoch'
  const advice = 'with "membership: {}" in the scenario the others would continue in a new epoch'
  const rule = isOpen ? advice : because
  const fact = `${shortList(crashed)} ${crashed.length === 1 ? 'has' : 'have'} crashed`
  return [message, fact, ...(rule === undefined ? [] : [rule])].join('; ')
}

/** The first ones in full, and the number of others. */
function lostTexts(errors: readonly NeighboursMissingError[]): string[] {
  const texts = errors.map(({ message }) => message)
  const more = texts.length - maxLostTexts
  return more <= 0 ? texts : [...texts.slice(0, maxLostTexts), `${more} more`]
}

/** Plain SGD has all data and no neighbours. */
function isOnOneMachine({ algorithm }: Method): boolean {
  return algorithm.name === 'sgd'
}

/** The rate after the warm-up: the method's own, that of the setting, or the file's. */
function initialRate({ method, setting }: SimRun): number {
  return method.rate?.initial ?? setting.rate ?? method.training.rate.initial
}

/** The training settings of all peers. Plain SGD on one machine takes the batches of all peers. */
function settingsOf(
  { training: { rounds } }: Scenario,
  run: SimRun,
  workers: readonly PeerName[],
  servers: readonly PeerName[],
  file: TopologyFile
): AnySettings {
  const { method, seed } = run
  const { algorithm, finalRounds = 0, fusion, training } = method
  const isAlone = isOnOneMachine(method)
  return trainingSettings(
    {
      ...training,
      algorithm,
      rounds,
      rate: { ...training.rate, initial: initialRate(run) },
      batch: isAlone ? training.batch * (file.pipeline?.lines ?? file.topology.peers).length : training.batch
    },
    { topology: file.pipeline?.stages[0] ?? file.topology, links: file.links },
    {
      seed,
      finalRounds: isAlone ? 0 : finalRounds,
      workers,
      servers,
      fusion,
      pipeline: isAlone ? undefined : pipelineOf(file, training)
    }
  )
}

/** With a codec, receivers get rounded values and the sender keeps its own, so sums change and peers differ. */
function keepsOf({ algorithm, training: { codec } }: Method, topology: Topology): Keeps {
  return codec === 'float32' ? keptOn(recordOf(algorithm), topology) : 'nothing'
}
