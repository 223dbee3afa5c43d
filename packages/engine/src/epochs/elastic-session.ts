/** Training in epochs: one session after the other, each with the members that were agreed on. */
import { type Fabric, InputError, type Milliseconds, NeighboursMissingError } from '@murmuration/core'
import type { PeerName, StepReport, Task, Topology } from '@murmuration/core'
import type { BrokenPair, MemberProgress } from '@murmuration/membership'
import { lengthOf } from '@murmuration/vectors'
import type { VectorMessage } from '@murmuration/wire'
import { checkpointProblem } from '../driver/checkpoint-problem.js'
import { EndOfAsking } from '../driver/end-of-asking.js'
import { refusals } from '../driver/needs.js'
import { type Saved, vectorNames } from '../driver/save.js'
import { Session } from '../driver/session.js'
import type { TrainingSettings } from '../driver/training.js'
import type { Members } from '../members/members.js'
import { othersMissing } from '../members/missing.js'
import { type Epoch, isMember, noEpoch } from './epoch.js'
import { EpochFabric, EpochOver, type EpochPart } from './epoch-fabric.js'
import { epochGraph } from './epoch-graph.js'
import { EpochMember } from './epoch-member.js'
import type { ElasticSettings, EpochSettings } from './epoch-settings.js'
import { changesOf } from './next-epoch.js'
import { maxMembers } from './notes.js'
import { openingOf } from './opening.js'
import { epochOf, savedEpoch } from './saved-epoch.js'

/** How often a round may fail in a row while no member is gone. */
const maxFailures = 3
/** How long a member may take to stop, at least: a gradient, and a busy machine. */
const leastPatience: Milliseconds = 2000

/** How a peer begins. */
export interface ElasticStart {
  /** What {@link ElasticSession.checkpoint} has returned, where all members continue from there. */
  readonly saved?: Saved | undefined
  /** Whether the run begins, or was found to be running; found out when absent. */
  readonly entrance?: 'begins' | 'joins' | undefined
}

/** A peer in training that continues when others are lost, whatever its algorithm, and that may be taken in. */
export class ElasticSession {
  /** As in {@link Session}. */
  keepsBeginnings = false
  readonly #fabric: Fabric<VectorMessage>
  readonly #task: Task
  readonly #settings: ElasticSettings
  readonly #members: Members
  readonly #rules: EpochSettings
  readonly #epochs: EpochFabric
  readonly #member: EpochMember
  #entrance: ElasticStart['entrance']
  /** The state of the session to continue with. */
  #saved: Saved | undefined
  /** The epoch that runs here, or ran last. */
  #epoch = noEpoch
  #graph: Topology | undefined
  #session: Session | undefined
  /** The round in which the session began: it counts its own from 0. */
  #first = 0
  /** What is kept between two sessions. */
  #kept = nothingKept
  /** How often a round has failed in a row although no member was gone. */
  #failures = { count: 0, round: -1 }

  /** @throws InputError where there are more peers than a decision has room for, or for another state */
  constructor(
    fabric: Fabric<VectorMessage>,
    task: Task,
    settings: ElasticSettings,
    { saved, entrance }: ElasticStart = {}
  ) {
    const { members, epochs, servers = [], algorithm, timeout } = settings
    if (members === undefined || epochs === undefined) throw new InputError('epochs need members and settings')
    const count = members.options.topology.peers.length
    if (count > maxMembers)
      throw new InputError(
        `found ${count} peers, expected at most ${maxMembers} where ${algorithm.title} continues when one is lost; with "membership: { onLoss: stop }" there may be more`
      )
    this.#fabric = fabric
    this.#task = task
    this.#settings = settings
    this.#members = members
    this.#rules = epochs
    this.#epochs = new EpochFabric(fabric)
    this.#entrance = entrance
    const from = saved && epochOf(saved)
    this.#saved = from?.session
    this.#epoch = from?.epoch ?? noEpoch
    this.#kept = { ...nothingKept, round: this.#epoch.round }
    this.#member = new EpochMember(fabric, this.#epochs, {
      members,
      servers,
      timeout,
      isEqual: epochs.areEqual,
      hasOwnPace: this.#hasOwnPace,
      needsEveryPair: this.#needsEveryPair,
      patience: Math.max(leastPatience, timeout),
      samples: servers.includes(fabric.self) ? 0 : task.samples,
      training: { progress: () => this.#progress(), isEdge: (pair) => this.#isEdge(pair) },
      isConnected: epochs.isConnected ?? (() => true),
      isHeld: epochs.isHeld ?? (() => false)
    })
  }

  /** The next round, of the whole run. */
  get round(): number {
    return this.#session === undefined ? this.#kept.round : this.#first + this.#session.round
  }

  /** As in {@link Session}. */
  get parameters(): Float32Array {
    return this.#session?.parameters ?? this.#kept.model ?? new Float32Array(0)
  }

  /** How many samples this peer has gone through. */
  get samples(): number {
    return this.#session?.samples ?? this.#kept.samples
  }

  /** How many milliseconds this peer has waited for others so far. */
  get waited(): Milliseconds {
    return this.#kept.waited + (this.#session?.waited ?? 0)
  }

  /** As in {@link Session}, of the epoch that runs. */
  get waitedFor(): ReadonlyMap<PeerName, Milliseconds> {
    return this.#session?.waitedFor ?? new Map()
  }

  /** The epoch that runs here, or ran last. */
  get epoch(): Epoch {
    return this.#epoch
  }

  /** The peers of the run that are no members of it. */
  get gone(): readonly PeerName[] {
    return this.#members.options.topology.peers.filter((name) => !isMember(this.#epoch, name))
  }

  /**
   * As in {@link Session}, with the epoch. Undefined before the first round of an epoch has ended, since a file of that
   * round may be of the epoch before.
   */
  checkpoint(): Saved | undefined {
    const problem = checkpointProblem(this.#settings.algorithm)
    if (problem !== undefined) throw new InputError(problem)
    const session = this.#session
    const isFirst = session === undefined || (session.round === 0 && this.#epoch.number > 0)
    return isFirst ? undefined : savedEpoch(this.#epoch, session.checkpoint())
  }

  /** As in {@link Session}. */
  previousCheckpoint(): Saved | undefined {
    const session = this.#session
    const saved = session !== undefined && session.round > 1 ? session.previousCheckpoint() : undefined
    return saved && savedEpoch(this.#epoch, saved)
  }

  /** Leaves the run, between two rounds: the others continue without this peer. */
  leave(): Promise<void> {
    this.#member.end()
    this.#members.leave(this.round)
    return Promise.resolve()
  }

  /** As in {@link Session}. Rounds are those of the whole run; some are skipped or repeated where an epoch begins. */
  async *steps(): AsyncGenerator<StepReport, Float32Array> {
    try {
      await this.#begin()
      for (;;) {
        const epoch = await this.#member.membership()
        this.#epochs.begin(epoch.number)
        try {
          yield* this.#train(epoch)
          await this.#member.othersFinish()
          this.#members.conclude(this.round)
          return this.parameters
        } catch (error) {
          this.#noteFailure(error)
        }
        this.#endSession()
        this.#epochs.end()
        await this.#member.agreed(epoch, this.#standing())
      }
    } finally {
      this.#member.end()
    }
  }

  /** Waits until the run begins, or is found to be running; then this peer is in no epoch yet. */
  async #begin(): Promise<void> {
    const members = this.#members
    const { workers, servers = [], seed } = this.#settings
    this.#entrance ??= await members.entrance()
    if (this.#entrance === 'joins') {
      this.#saved = undefined
      this.#epoch = noEpoch
      return this.#member.begin(undefined)
    }
    if (this.#epoch === noEpoch) {
      const places = new Set(members.options.places)
      const names = [...workers, ...servers].filter((name) => !places.has(name)).sort()
      const all = names.map((name) => ({ name, life: 1, samples: 0 }))
      this.#epoch = { ...noEpoch, number: 0, members: all, servers }
    }
    members.begin(this.#epoch.round)
    this.#kept = { ...this.#kept, opened: this.#epoch.number }
    if (this.#saved === undefined) {
      const model = await this.#fabric.work(this.#task.initialise(seed))
      this.#kept = { ...this.#kept, model: model.slice() }
    }
    this.#member.begin(this.#epoch)
  }

  /** Takes part in an epoch to the end of the run. */
  async *#train(epoch: Epoch): AsyncGenerator<StepReport, void> {
    const { servers } = epoch
    const workers = epoch.members.map(({ name }) => name).filter((name) => !servers.includes(name))
    this.#graph = this.#graphOf(epoch, workers)
    if (this.#kept.opened < epoch.number) await this.#open(epoch)
    else this.#epoch = epoch
    const session = this.#newSession(epoch, workers)
    const isPlanned = this.#settings.servers?.includes(this.#fabric.self) === true
    const steps = session.steps()
    for (;;) {
      this.#epochs.check()
      const step = await steps.next()
      if (step.done === true) break
      // A peer that has become a server has no model to report.
      const { round, parameters } = step.value
      if (parameters.length > 0 || isPlanned) yield { ...step.value, round: this.#first + round, epoch: epoch.number }
    }
    this.#epochs.check()
    await this.#close(epoch, workers)
  }

  /**
   * Ends with the mean of the workers' models, where a worker has become a server, or where each counts its own rounds:
   * there rounds of final averaging would pass by those that are far behind.
   */
  async #close(epoch: Epoch, workers: readonly PeerName[]): Promise<void> {
    const { servers: planned = [], rounds, finalRounds = 0 } = this.#settings
    const isPromoted = epoch.servers.some((name) => !planned.includes(name))
    if (!isPromoted && !this.#hasOwnPace) return
    this.#endSession()
    if (this.#hasOwnPace) await this.#member.othersFinish()
    await this.#mean({ ...epoch, givers: workers }, 'closing')
    this.#kept = { ...this.#kept, round: rounds + finalRounds }
  }

  #newSession(epoch: Epoch, workers: readonly PeerName[]): Session {
    const saved = this.#saved
    this.#saved = undefined
    this.#first = epoch.round
    const { model, carried } = this.#kept
    const view = this.#epochs.view('training', this.#graph)
    const settings = this.#settingsOf(epoch, workers)
    const start = () => model ?? new Float32Array(lengthOf(this.#task.schema))
    const session =
      saved === undefined
        ? new Session(view, this.#task, settings, start)
        : Session.resume(view, this.#task, settings, saved)
    const { rounds, accumulate = 1 } = this.#settings
    // A round draws one gradient's batches. Those of a round that was given up are drawn again.
    if (saved === undefined) session.inherit(Math.min(this.#first, rounds) * accumulate, carried)
    session.keepsStart = true
    session.keepsBeginnings = this.keepsBeginnings
    // From now on the session has them.
    this.#kept = { ...this.#kept, model: undefined, carried: undefined }
    this.#session = session
    return session
  }

  /** The settings of the rounds that are left: a record sees an epoch as a run of its own. */
  #settingsOf(epoch: Epoch, workers: readonly PeerName[]): TrainingSettings {
    const given = this.#settings
    const graph = this.#graph
    const isWhole = graph === undefined || graph === this.#rules.topology
    const changed = isWhole ? {} : this.#rules.on?.(graph)
    const { round: first, servers } = epoch
    const { rounds, finalRounds = 0 } = { ...given, ...changed }
    const left = this.#hasOwnPace ? 0 : Math.min(finalRounds, Math.max(0, rounds + finalRounds - first))
    return {
      ...given,
      ...changed,
      members: undefined,
      workers,
      servers,
      rounds: Math.max(0, rounds - first),
      finalRounds: left,
      rate: first === 0 ? given.rate : (round) => given.rate(first + round)
    }
  }

  /** Begins an epoch with the mean of the newest models. */
  async #open(epoch: Epoch): Promise<void> {
    const last = this.#epoch
    await this.#mean(epoch, 'opening')
    const { stoppedAt } = this.#kept
    this.#epoch = epoch
    this.#kept = { ...this.#kept, opened: epoch.number, round: epoch.round, stoppedAt: undefined }
    const paused = stoppedAt === undefined ? 0 : this.#fabric.now() - stoppedAt
    await this.#rules.before?.({ epoch, ...changesOf(last, epoch), paused })
  }

  /** Takes the mean of the givers' models, and of what they carry over. Until it is complete, this peer keeps its own. */
  async #mean(epoch: Epoch, part: EpochPart): Promise<void> {
    const { model, carried: own } = this.#kept
    const length = lengthOf(this.#task.schema)
    const { carried } = epoch
    const names = part === 'closing' || carried === undefined ? [] : vectorNames(carried)
    const vectors = names.map((name) => own?.vectors.get(name) ?? new Float32Array(length))
    const means: Float32Array[] = []
    const opening = { epoch, areEqual: this.#rules.areEqual && part === 'opening', vectors, means }
    const settings: TrainingSettings = {
      ...this.#settings,
      algorithm: openingOf(opening),
      options: {},
      members: undefined,
      rounds: 1 + names.length,
      finalRounds: 0,
      workers: epoch.members.map(({ name }) => name),
      servers: []
    }
    const view = this.#epochs.view(part, this.#rules.topology)
    const session = new Session(view, this.#task, settings, () => model ?? new Float32Array(length))
    const steps = session.steps()
    while ((await steps.next()).done !== true) this.#epochs.check()
    const mean = session.parameters.slice()
    session.close()
    const vectorsOf = () => new Map(names.map((name, index) => [name, means[index]]))
    const common = names.length === 0 || carried === undefined ? undefined : { tree: carried, vectors: vectorsOf() }
    const isServer = epoch.servers.includes(this.#fabric.self)
    this.#kept = { ...this.#kept, model: mean, carried: isServer ? this.#ownAsServer(epoch) : common }
  }

  /** A server keeps its optimisers' states where its part stays the same and they are of the round in which an epoch begins. */
  #ownAsServer({ round, servers }: Epoch): Saved | undefined {
    const { carried, round: own } = this.#kept
    return servers.join() === this.#epoch.servers.join() && own === round ? carried : undefined
  }

  /** Keeps what the next session needs of this one, and ends it. */
  #endSession(): void {
    const session = this.#session
    if (session === undefined) return
    const { model, carried } = session.leaves()
    const { opened } = this.#kept
    const { round, waited } = this
    this.#kept = { opened, model, carried, round, waited, samples: session.samples, stoppedAt: this.#fabric.now() }
    this.#session = undefined
    session.close()
  }

  #standing() {
    const { opened, round, model, carried } = this.#kept
    const { servers = [] } = this.#settings
    const { self } = this.#fabric
    const hasModel = model !== undefined && opened >= 0
    const isWhole =
      carried !== undefined && [...carried.vectors.values()].every(({ length }) => length === model?.length)
    const tree = hasModel && isWhole && carried.vectors.size > 0 ? carried.tree : undefined
    const samples = servers.includes(self) ? 0 : this.#task.samples
    return { opened, round, hasModel, samples, ...(tree === undefined ? {} : { carried: tree }) }
  }

  /** Throws whatever does not end an epoch, and where a round fails again and again. */
  #noteFailure(error: unknown): void {
    if (error instanceof EpochOver) return
    if (!(error instanceof NeighboursMissingError)) throw error
    const { round } = this
    this.#failures = { count: this.#failures.round === round ? this.#failures.count + 1 : 1, round }
    if (this.#failures.count > maxFailures || this.#member.agreement.epoch.members.length === 1) throw error
    this.#member.agreement.isStuck = true
  }

  #graphOf({ servers, broken }: Epoch, workers: readonly PeerName[]): Topology | undefined {
    const { algorithm, servers: planned = [], options } = this.#settings
    const { self } = this.#fabric
    if (planned.length > 0 && (workers.length === 0 || servers.length === 0))
      throw othersMissing(self, `is the only one left, and ${algorithm.title} needs a server and a worker`, [])
    const { topology } = this.#rules
    const known = workers.filter((name) => topology.peers.includes(name))
    const on = (graph: Topology) =>
      refusals(algorithm, { topology: graph, servers, options: { ...options, ...this.#rules.on?.(graph).options } })
    const graph = epochGraph(topology, known, broken, on)
    if ('peers' in graph) return graph
    throw othersMissing(self, `cannot continue with ${workers.join(', ')} alone: ${graph.join('; ')}`, this.gone)
  }

  get #hasOwnPace(): boolean {
    const { algorithm } = this.#settings
    return EndOfAsking.isUsed(this.#settings) || (algorithm.server !== undefined && algorithm.keeps === 'nothing')
  }

  get #needsEveryPair(): boolean {
    const { algorithm, servers = [] } = this.#settings
    return algorithm.needs.reach === 'everyone' || servers.length > 0
  }

  #isEdge([a, b]: BrokenPair): boolean {
    const { algorithm, servers = [] } = this.#settings
    if (algorithm.needs.reach === 'everyone') return true
    if (servers.length > 0) return this.#epoch.servers.includes(a) !== this.#epoch.servers.includes(b)
    const graph = this.#graph
    if (graph?.peers.includes(a) !== true) return false
    return Array.from({ length: graph.period }, (_, round) => graph.mixing(a, round)).some(
      ({ sendTo, receiveFrom }) => sendTo.some(({ name }) => name === b) || receiveFrom.some(({ name }) => name === b)
    )
  }

  #progress(): MemberProgress {
    const { round, samples } = this
    const session = this.#session
    if (session === undefined) return { round, samples, waitsFor: [], owes: [], every: 1 }
    return { ...session.progress(), round }
  }
}

interface Kept {
  /** The last epoch that this peer has begun with that epoch's mean; −1 for none. */
  readonly opened: number
  readonly round: number
  readonly samples: number
  readonly waited: Milliseconds
  readonly model: Float32Array | undefined
  /** Optimisers' states, and what the record carries over. */
  readonly carried: Saved | undefined
  readonly stoppedAt: Milliseconds | undefined
}

const nothingKept: Kept = {
  opened: -1,
  round: 0,
  samples: 0,
  waited: 0,
  model: undefined,
  carried: undefined,
  stoppedAt: undefined
}
