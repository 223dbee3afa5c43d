/** Training in epochs: one session after the other, each with the members that were agreed on. */
import { EpochOverError, type Fabric, InputError, type Milliseconds, NeighboursMissingError } from '@murmuration/core'
import type { PeerName, StepReport, Task, Topology } from '@murmuration/core'
import type { MemberProgress } from '@murmuration/membership'
import { lengthOf } from '@murmuration/vectors'
import type { VectorMessage } from '@murmuration/wire'
import { checkpointProblem } from '../driver/checkpoint-problem.js'
import { neededServers } from '../driver/needs.js'
import { othersMissing } from '../members/missing.js'
import { copyOf, type Saved } from '../driver/save.js'
import { Session } from '../driver/session.js'
import type { Members } from '../members/members.js'
import { type Epoch, isMember, noEpoch } from './epoch.js'
import { type BetweenEpochs, keptOf, nothingKept, standingOf } from './between-epochs.js'
import { EpochFabric, type EpochPart } from './epoch-fabric.js'
import { meanOfGivers } from './epoch-mean.js'
import { EpochMember } from './epoch-member.js'
import type { ElasticSettings, EpochSettings } from './epoch-settings.js'
import { EpochRun, workersOf } from './epoch-run.js'
import { changesOf } from './next-epoch.js'
import { fitsNote } from './notes.js'
import { epochOf, savedEpoch } from './saved-epoch.js'

/** How often a round may fail in a row while no member is gone. */
const maxFailures = 3
/** How long a member may take to stop, at least: a gradient, and a busy machine. */
const leastStopTimeout: Milliseconds = 2000

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
  readonly #run: EpochRun
  readonly #epochs: EpochFabric
  readonly #member: EpochMember
  #entrance: ElasticStart['entrance']
  /** The state of the session to continue with. */
  #saved: Saved | undefined
  /** The epoch that runs here, or ran last. */
  #epoch = noEpoch
  #graph: Topology | undefined
  #session: Session | undefined
  /** The checkpoint of the session that has ended, until the next one begins: this peer may have to end here. */
  #left: Saved | undefined
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
    const { peers } = members.options.topology
    if (!fitsNote(peers))
      throw new InputError(
        `found ${peers.length} peers, more than can agree where ${algorithm.title} continues when one is lost; choose fewer, or "membership: { onLoss: stop }"`
      )
    this.#fabric = fabric
    this.#task = task
    this.#settings = settings
    this.#members = members
    this.#rules = epochs
    this.#run = new EpochRun(fabric.self, settings, epochs, (to, note) => fabric.tell(to, note))
    this.#epochs = new EpochFabric(fabric)
    this.#entrance = entrance
    const from = saved && epochOf(saved)
    this.#saved = from?.session
    this.#epoch = from?.epoch ?? noEpoch
    this.#kept = { ...nothingKept, round: this.#epoch.round }
    this.#member = new EpochMember(fabric, this.#epochs, {
      members,
      servers,
      neededServers: neededServers(algorithm),
      timeout,
      isEqual: epochs.areEqual,
      hasOwnPace: this.#run.hasOwnPace,
      needsEveryPair: this.#run.needsEveryPair,
      lines: this.#run.lines,
      stopTimeout: Math.max(leastStopTimeout, timeout),
      samples: this.#run.isServer ? 0 : task.samples,
      training: {
        progress: () => this.#progress(),
        isEdge: (pair) => this.#run.isEdge(pair, this.#epoch, this.#graph),
        gaps: this.#run.gaps
      },
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
    if (session === undefined) return this.#left
    const isFirst = session.round === 0 && this.#epoch.number > 0
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
        let hasTrained = false
        try {
          yield* this.#train(epoch)
          hasTrained = true
          await this.#member.othersEnd(this.#settings.algorithm.needs.delivery !== 'any')
          return this.#conclude()
        } catch (error) {
          if (this.#isServed(error)) return this.#conclude()
          this.#noteFailure(error)
        }
        this.#endSession()
        this.#epochs.end()
        try {
          await this.#member.agreed(epoch, standingOf(this.#kept, this.#run.isServer ? 0 : this.#task.samples))
        } catch (error) {
          // A peer that has finished was stopped for others, which are gone.
          if (!this.#isServed(error) && !(hasTrained && error instanceof NeighboursMissingError)) throw error
          return this.#conclude()
        }
      }
    } finally {
      this.#member.end()
    }
  }

  /** This peer has finished the run, with these parameters. */
  #conclude(): Float32Array {
    this.#members.conclude(this.round)
    return this.parameters
  }

  /** Whether a server misses those that have finished: nobody needs it any longer. */
  #isServed(error: unknown): boolean {
    const { self } = this.#fabric
    if (!this.#run.isServer || !(error instanceof NeighboursMissingError)) return false
    const { knowledge } = this.#members
    const { members } = this.#epoch
    return members.length > 0 && members.every(({ name }) => name === self || knowledge.hasFinished(name))
  }

  /** Waits until the run begins, or is found to be running; then this peer is in no epoch yet. */
  async #begin(): Promise<void> {
    const members = this.#members
    const { seed } = this.#settings
    this.#entrance ??= await members.entrance()
    if (this.#entrance === 'joins') {
      this.#saved = undefined
      this.#epoch = noEpoch
      return this.#member.begin(undefined)
    }
    if (this.#epoch === noEpoch) this.#epoch = this.#run.first(members.options.places ?? [])
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
    const graph = this.#run.graphOf(epoch)
    this.#graph = graph
    if (this.#kept.opened >= epoch.number) this.#epoch = epoch
    else if (epoch.givers.length > 0) await this.#open(epoch)
    else await this.#beginLate(epoch)
    const session = this.#newSession(epoch, graph)
    const steps = session.steps()
    for (;;) {
      this.#epochs.check()
      const step = await steps.next()
      if (step.done === true) break
      // A peer that has become a server has no model to report.
      if (step.value.parameters.length > 0 || this.#run.isServer) yield this.#run.reported(step.value, epoch)
    }
    this.#epochs.check()
    yield* this.#close(epoch, graph)
  }

  /** Ends with the mean of the workers' models, where the epoch closes with it. */
  async *#close(epoch: Epoch, graph: Topology): AsyncGenerator<StepReport, void> {
    const { rounds, finalRounds = 0 } = this.#settings
    if (!this.#run.closes(epoch, graph)) return
    this.#endSession()
    await this.#member.othersTrain()
    await this.#mean({ ...epoch, givers: workersOf(epoch), carried: undefined }, 'closing')
    // Where some rounds of averaging have ended it is one more of them.
    const round = Math.max(rounds + finalRounds, this.#kept.round + 1)
    this.#kept = { ...this.#kept, round }
    yield { ...reportOfMean(this.#kept), round: round - 1, epoch: epoch.number }
  }

  #newSession(epoch: Epoch, graph: Topology): Session {
    const saved = this.#saved
    this.#saved = undefined
    this.#first = epoch.round
    const { model, carried } = this.#kept
    const view = this.#epochs.view('training', graph)
    const settings = this.#run.settingsOf(epoch, graph)
    const start = () => model ?? new Float32Array(lengthOf(this.#task.schema))
    const session =
      saved === undefined
        ? new Session(view, this.#task, settings, start)
        : Session.resume(view, this.#task, settings, saved)
    const { rounds, accumulate = 1 } = this.#settings
    // A round draws one gradient's batches. Those of a round that was given up are drawn again.
    if (saved === undefined) session.inherit(Math.min(this.#first, rounds) * accumulate, carried)
    session.keepStart()
    session.keepsBeginnings = this.keepsBeginnings
    // From now on the session has them.
    this.#kept = { ...this.#kept, model: undefined, carried: undefined }
    this.#left = undefined
    this.#session = session
    return session
  }

  /**
   * Begins the first epoch, of which this peer is a member though it was not there in time: with the model with which
   * all have begun. Where that is of a checkpoint, the others have to begin another epoch with it.
   */
  async #beginLate(epoch: Epoch): Promise<void> {
    const { self } = this.#fabric
    if (epoch.round > 0) throw othersMissing(self, `has no checkpoint of round ${epoch.round}`, [])
    const model = await this.#fabric.work(this.#task.initialise(this.#settings.seed))
    this.#epoch = epoch
    this.#kept = { ...this.#kept, opened: epoch.number, model: model.slice() }
  }

  /** Begins an epoch with the mean of the newest models. */
  async #open(epoch: Epoch): Promise<void> {
    const last = this.#epoch
    await this.#mean(epoch, 'opening')
    const { stoppedAt } = this.#kept
    this.#epoch = epoch
    this.#kept = { ...this.#kept, opened: epoch.number, round: epoch.round, stoppedAt: undefined }
    const paused = stoppedAt === undefined ? 0 : this.#fabric.now() - stoppedAt
    const changes = last === noEpoch ? { lost: [], joined: [this.#fabric.self] } : changesOf(last, epoch)
    await this.#rules.before?.({ epoch, ...changes, paused })
  }

  /**
   * Takes the mean of the givers' models, and of what they carry over. Until it is complete, this peer keeps its own.
   */
  async #mean(epoch: Epoch, part: EpochPart): Promise<void> {
    const view = this.#epochs.view(part, this.#rules.topology)
    const areEqual = this.#rules.areEqual && part === 'opening'
    const options = { view, task: this.#task, settings: this.#settings, areEqual }
    const { model, carried } = await meanOfGivers(options, this.#run.ofStage(epoch), this.#kept)
    const isServer = epoch.servers.includes(this.#fabric.self)
    this.#kept = { ...this.#kept, model, carried: isServer ? this.#ownAsServer(epoch) : carried }
  }

  /**
   * A server keeps its optimisers' states where its part stays the same and they are of the round in which an epoch
   * begins.
   */
  #ownAsServer({ round, servers }: Epoch): Saved | undefined {
    const { carried, round: own } = this.#kept
    return servers.join() === this.#epoch.servers.join() && own === round ? carried : undefined
  }

  /** Keeps what the next session needs of this one, and ends it. */
  #endSession(): void {
    const session = this.#session
    if (session === undefined) return
    const saved = this.keepsBeginnings ? this.checkpoint() : undefined
    this.#left = saved && copyOf(saved)
    this.#kept = keptOf(session, this.#kept, { round: this.round, now: this.#fabric.now() })
    this.#session = undefined
  }

  /** Throws whatever does not end an epoch, and where a round fails again and again. */
  #noteFailure(error: unknown): void {
    if (error instanceof EpochOverError) return
    if (!(error instanceof NeighboursMissingError)) throw error
    const { round } = this
    this.#failures = { count: this.#failures.round === round ? this.#failures.count + 1 : 1, round }
    if (this.#failures.count > maxFailures || this.#member.agreement.epoch.members.length === 1) throw error
    this.#member.agreement.isStuck = true
  }

  #progress(): MemberProgress {
    const { round, samples } = this
    const session = this.#session
    if (session === undefined) return { round, samples, waitsFor: [], owes: [], every: 1 }
    return { ...session.progress(), round }
  }
}

/** The report of a mean with which a run ends, in place of rounds of final averaging. */
function reportOfMean({ samples, model = new Float32Array(0) }: BetweenEpochs): Omit<StepReport, 'round'> {
  const nothing = { waited: 0, distances: [], outliers: [], missing: [], unsent: [], moves: [] }
  return { phase: 'average', samples, parameters: model, ...nothing }
}
