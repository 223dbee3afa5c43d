/** The driver of all records: start, rounds, reports, final averaging, end; saving and resuming. */
import { type Fabric, InputError, type PeerName, type StepReport, type Task } from '@murmuration/core'
import type { MemberProgress } from '@murmuration/membership'
import type { VectorMessage } from '@murmuration/wire'
import type { State } from '../record/record.js'
import type { PeerEdges } from '../edges/peer-edges.js'
import { Peer } from './peer.js'
import { type Program, roleOf } from './program.js'
import { checkpointProblem } from './checkpoint-problem.js'
import { checkNumbers } from './first-round.js'
import { handOver } from './handing-over.js'
import { Everyone } from '../members/everyone.js'
import type { Participants, Participation } from '../members/participants.js'
import { type EndedRound, reportOf } from './round-report.js'
import { copyOf, pack, type Saved, unpack } from './save.js'
import { restore, snapshotOf } from './snapshot.js'
import { progressOf, TrainedPeer } from './trained-peer.js'
import type { TrainingSettings } from './training.js'
import { TrainingRun } from './training-run.js'

/** What a session has of the one before it, and keeps for the next. */
interface Succession {
  /** Until it has begun. */
  readonly inherited?: Saved | undefined
  /** The state and the optimisers' states at the beginning of the current round. */
  atStart?: { readonly state: State; readonly states: Record<string, State> } | undefined
}

/** A peer in training. It can be saved after each reported step, and resumed on any machine. */
export class Session {
  readonly #fabric: Fabric<VectorMessage>
  readonly #settings: TrainingSettings
  readonly #members: Participants
  readonly #peer: Peer
  readonly #run: TrainingRun
  readonly #participation: Participation
  /** The state at the beginning of the current round, if it is kept. */
  #beginning: State | undefined
  /** The same of the round that has just ended, until the next step. */
  #previousBeginning: State | undefined
  /**
   * Whether the state at the beginning of each round is kept, so that a checkpoint can be taken after an error in the
   * round.
   */
  keepsBeginnings = false
  #start: (() => Float32Array | PromiseLike<Float32Array>) | undefined
  /** Only of a session that comes after another, or before one: most peers have no room for it. */
  #succession: Succession | undefined

  /**
   * @param begin - returns the parameters that this peer starts with; by default those that all peers of the run start
   * with
   */
  constructor(
    fabric: Fabric<VectorMessage>,
    task: Task,
    settings: TrainingSettings,
    begin: () => Float32Array | PromiseLike<Float32Array> = () => fabric.work(task.initialise(settings.seed))
  ) {
    this.#start = begin
    this.#fabric = fabric
    this.#settings = settings
    this.#members = settings.members ?? new Everyone()
    this.#peer = new Peer(fabric, task, settings, roleOf(settings, fabric.self), this.#members)
    this.#peer.presence.mayBeAlone = settings.algorithm.needs.delivery === 'any'
    this.#run = new TrainingRun(this.#peer, task, settings)
    this.#participation = this.#members.follow(new TrainedPeer(this.#peer, this.#run, this.#run.unusedKind))
  }

  /**
   * Resumes where `save` or `checkpoint` was called. Throws an InputError for anything that they did not return for
   * such a peer.
   */
  static resume(fabric: Fabric<VectorMessage>, task: Task, settings: TrainingSettings, saved: Saved): Session {
    const session = new Session(fabric, task, settings)
    const { arena, length, gradients } = session.#peer
    session.#start = undefined
    restore(session.#peer, session.#run, unpack(saved, arena, Math.max(length, gradients.dual?.length ?? 0)))
    return session
  }

  /**
   * Everything that this peer needs to continue while the others do not stop, including early messages: numbers and
   * vectors, and nothing that depends
   * on this machine. The vectors are valid until the next step.
   */
  save(): Saved {
    this.#run.applyLate(this.#run.last)
    return pack({ ...snapshotOf(this.#peer, this.#run, 'with early'), isCut: 0 })
  }

  /**
   * As `save`, for all peers to continue from the same round: early messages are left out, since they are sent again.
   * From here on codecs are independent of everything that was sent before, here as at a peer that resumes; so both
   * send the same bits. After an error in a round this is the state at its beginning, if {@link keepsBeginnings} was
   * set before it.
   *
   * @throws InputError where an algorithm has no rounds that all peers begin with the same state; see {@link
   *   checkpointProblem}
   */
  checkpoint(): Saved {
    const problem = checkpointProblem(this.#settings.algorithm)
    if (problem !== undefined) throw new InputError(problem)
    this.#peer.startCodecsAnew()
    return pack({ ...(this.#beginning ?? snapshotOf(this.#peer, this.#run, 'without early')), isCut: 1 })
  }

  /**
   * After a round: as `checkpoint`, from before that round, if {@link keepsBeginnings} was set. A peer that stops at
   * the same time may have been unable to end the round, and have only this state in common with this peer. Undefined
   * otherwise.
   */
  previousCheckpoint(): Saved | undefined {
    return this.#previousBeginning && pack({ ...this.#previousBeginning, isCut: 1 })
  }

  /** Another session may continue with what this one {@link leaves}. To be called before the first step. */
  keepStart(): void {
    this.#succession ??= {}
  }

  /**
   * Begins with what another session {@link leaves}, and with the batches that come after so many. To be called before
   * the first step.
   */
  inherit(batches: number, left: Saved | undefined): void {
    this.#peer.gradients.batches.skipTo(batches * this.#peer.gradients.batches.size)
    this.#succession = { inherited: left }
  }

  /**
   * What another session can continue with, as it was at the beginning of the current round: copies of the model, where
   * this peer has a whole one, of the optimisers' states, and of the fields that the record carries over. To be called
   * when this session has ended, or failed.
   */
  leaves(): { readonly model: Float32Array | undefined; readonly carried: Saved | undefined } {
    const { optimisers, length } = this.#peer
    const { state, states } = this.#succession?.atStart ?? {
      state: this.#run.training.state,
      states: optimisers.states
    }
    const isTraining = this.#run.round <= this.#settings.rounds
    const { last, training } = this.#run
    const model = last === training ? training.modelIn(state) : last.model()
    const fields = this.#settings.algorithm.carries ?? []
    const kept = Object.fromEntries(fields.flatMap((field) => (field in state ? [[field, state[field]]] : [])))
    const carried = isTraining ? copyOf(pack({ optimisers: states, state: kept })) : undefined
    return { model: model?.length === length ? model.values.slice() : undefined, carried }
  }

  /** Releases all memory. Nothing of this session may be used any longer. */
  close(): void {
    this.#peer.arena.close()
  }

  /** How far this peer is, for the others to know. */
  progress(): MemberProgress {
    return progressOf(this.#peer, this.#run)
  }

  /** The next round. */
  get round(): number {
    return this.#run.round
  }

  /** The model as of the end of the last round. Valid until the next step. */
  get parameters(): Float32Array {
    return this.#run.modelOf(this.#run.last).values
  }

  /** How many samples this peer has gone through. */
  get samples(): number {
    return this.#peer.gradients.batches.drawn
  }

  /** How many milliseconds this peer has waited for others so far. */
  get waited(): number {
    return this.#peer.waitedInAll
  }

  /**
   * For how many milliseconds each neighbour was the only one that this peer waited for; empty where peers do not come
   * and go.
   */
  get waitedFor(): ReadonlyMap<PeerName, number> {
    return this.#members.waits.alone
  }

  /** The open exchanges with neighbours. */
  get edges(): PeerEdges {
    return this.#peer.edges
  }

  /** Leaves the swarm, between two rounds. Where a weighted mean is kept, a neighbour receives this peer's mass. */
  async leave(): Promise<void> {
    const { round, training } = this.#run
    const { to } = this.#peer.mixings.of(round)
    this.#members.leave(round)
    if (round > 0 && round < this.#settings.rounds) await handOver(this.#peer, training, round, to)
  }

  /** The state that the algorithm passes from round to round. */
  get state(): State {
    return this.#run.training.state
  }

  /**
   * Rounds of training, then those of final averaging. Yields a report after each, and returns the parameters at the
   * end. A report's content is valid
   * until the next step.
   *
   * @param until - the round to stop before; calling `steps` again continues. To the end when absent
   */
  async *steps(until: number = this.#peer.rounds): AsyncGenerator<StepReport, Float32Array> {
    const { arena } = this.#peer
    const run = this.#run
    if (this.#start !== undefined) this.#begin(await this.#start())
    if (run.training.role.round === undefined) await run.end.reached(run.round)
    run.end.begin(run.round)
    const end = Math.min(run.rounds, until)
    while (run.round < end) {
      const ready = this.#participation.ready()
      if (ready !== undefined) await ready
      // A taken state may be of a later round.
      if (run.round >= end) break
      const program = this.#open()
      program.end(await program.begin(run.round))
      const ends = run.isFinal(run.round) ? undefined : run.end.reason(run.round, program)
      if (this.#following(ends) === run.rounds) await this.#peer.edges.settle()
      const late = run.applyLate(program)
      const model = run.modelOf(program)
      if (arena.hasPending) await arena.settle(() => this.#fabric.sleep(this.#fabric.now()))
      if (run.isFinal(run.round)) await this.#peer.gradients.dual?.measure(model, run)
      const sketched = this.#participation.sketch(run.round, model.values)
      if (sketched !== undefined) await sketched
      const told = run.end.after(run.round, model.values)
      if (told !== undefined) await told
      arena.inRound = false
      yield this.#report({ round: run.round, ends, program, model, late })
      this.#sweep()
      if (run.round === this.#settings.rounds) await run.end.reached(run.round)
    }
    if (run.round === run.rounds) await this.#participation.finish(this.parameters)
    return this.parameters
  }

  /**
   * Begins the next round. Returns its program. What no `await` needs is not in `steps`, whose variables every waiting
   * peer keeps.
   */
  #open(): Program {
    const program = this.#run.open()
    const { round } = this.#run
    if (this.#fabric.isStopping) this.#fabric.signal.throwIfAborted()
    if (this.keepsBeginnings && !this.#run.isFinal(round))
      this.#beginning = snapshotOf(this.#peer, this.#run, 'without early')
    this.#peer.arena.inRound = true
    this.#peer.round = round
    // Answers may replace the state meanwhile.
    if (this.#succession !== undefined && this.#run.training.role.answers === undefined)
      this.#succession.atStart = { state: this.#run.training.state, states: { ...this.#peer.optimisers.states } }
    return program
  }

  /** The next round: where training ends early, all its rounds that are left are skipped. */
  #following(ends: string | undefined): number {
    return ends === undefined ? this.#run.round + 1 : this.#settings.rounds
  }

  /** Ends a round. */
  #report(ended: EndedRound): StepReport {
    this.#run.round = this.#following(ended.ends)
    this.#previousBeginning = this.#beginning
    this.#beginning = undefined
    if (this.#succession !== undefined) this.#succession.atStart = undefined
    return reportOf(this.#peer, this.#run, this.#participation, ended)
  }

  #begin(start: Float32Array): void {
    this.#start = undefined
    const { arena, length } = this.#peer
    checkNumbers("the task's initialise", start, length)
    const x = arena.compute(start.length, (out, from, to) => out.set(start.subarray(from, to), from))
    this.#peer.origin.x = x
    this.#run.start(x)
    const { inherited } = this.#succession ?? {}
    if (inherited === undefined) return
    const { optimisers, state } = unpack(inherited, arena, length)
    this.#succession = {}
    this.#peer.optimisers.states = optimisers as Record<string, State>
    this.#run.training.state = { ...this.#run.training.state, ...(state as State) }
  }

  /** Releases what the last round has left. */
  #sweep(): void {
    this.#previousBeginning = undefined
    this.#peer.origin.release()
    this.#peer.arena.sweep(true)
  }
}
