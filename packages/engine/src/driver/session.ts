/** The driver of all records: start, rounds, reports, final averaging, end; saving and resuming. */
import { type Fabric, InputError, type PeerName, type StepReport, type Task } from '@murmuration/core'
import type { VectorMessage } from '@murmuration/wire'
import { averagingRecord } from './averaging-record.js'
import { exchangeEvery } from './needs.js'
import type { State } from '../record/record.js'
import { EndOfAsking } from './end-of-asking.js'
import type { PeerEdges } from '../edges/peer-edges.js'
import { Peer } from './peer.js'
import type { Kinds } from './open-channels.js'
import { Program, roleOf } from './program.js'
import { checkpointProblem } from './checkpoint-problem.js'
import { checkNumbers } from './first-round.js'
import { massOf, rootMeanSquare } from './figures.js'
import { handOver } from './handing-over.js'
import { Participation } from './participation.js'
import type { ModelState } from './state-transfer.js'
import { checkCounts, checkFits, pack, type Saved, unpack, withoutRecords } from './save.js'
import type { EarlyMessages } from '../messages/message-buffer.js'
import type { TrainingSettings } from './training.js'
import { linear, type Vector } from '../vectors/vector.js'

/** The kind of the message by which a peer announces that it has no more requests. */
const doneKind = 0

/** A peer in training. It can be saved after each reported step, and resumed on any machine. */
export class Session {
  readonly #fabric: Fabric<VectorMessage>
  readonly #settings: TrainingSettings
  readonly #peer: Peer
  readonly #training: Program
  #opened: Program | undefined
  readonly #endOfAsking: EndOfAsking | undefined
  readonly #keepsMass: boolean
  readonly #participation: Participation | undefined
  /** The weight that this peer gave up with its own state when it took another's. */
  #lostMass = 0
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
  #round = 0

  /** @param begin - returns the parameters that this peer starts with; by default those that all peers of the run start with */
  constructor(
    fabric: Fabric<VectorMessage>,
    task: Task,
    settings: TrainingSettings,
    begin: () => Float32Array | PromiseLike<Float32Array> = () => fabric.work(task.initialise(settings.seed))
  ) {
    const { algorithm } = settings
    this.#start = begin
    this.#fabric = fabric
    this.#settings = settings
    this.#keepsMass = algorithm.keeps === 'weighted mean'
    this.#peer = new Peer(fabric, task, settings, roleOf(settings, fabric.self))
    this.#peer.presence.mayBeAlone = algorithm.needs.delivery === 'any'
    const averaging = averagingKinds(settings)
    const firstControl = averaging.first + Program.kindsOf(averagingRecord)
    this.#training = new Program(this.#peer, settings, algorithm, { first: doneKind + 1, firstControl })
    // Messages may arrive before its first round.
    if (this.#peer.rounds > settings.rounds) void this.#averaging
    if (EndOfAsking.isUsed(settings)) this.#endOfAsking = new EndOfAsking(this.#peer, settings, doneKind)
    if (settings.members !== undefined)
      this.#participation = new Participation(this.#peer, settings.members, {
        kind: averaging.firstControl + Program.controlsOf(averagingRecord),
        seed: settings.seed,
        every: exchangeEvery(settings),
        isFinal: (round) => round >= settings.rounds,
        nextExchange: (round) => this.#nextExchange(round),
        round: () => this.#round,
        isAtOwnPace: () => EndOfAsking.isUsed(settings) && this.#round < settings.rounds,
        samples: () => this.#peer.gradients.batches.drawn,
        current: () => this.#current(),
        continueFrom: (state) => this.#continueFrom(state)
      })
  }

  /** Resumes where `save` or `checkpoint` was called. Throws an InputError for anything that they did not return for such a peer. */
  static resume(fabric: Fabric<VectorMessage>, task: Task, settings: TrainingSettings, saved: Saved): Session {
    const session = new Session(fabric, task, settings)
    const { arena, length } = session.#peer
    session.#restore(unpack(saved, arena, length))
    return session
  }

  /**
   * Everything that this peer needs to continue while the others do not stop, including early messages: numbers and vectors, and nothing that depends
   * on this machine. The vectors are valid until the next step.
   */
  save(): Saved {
    const program = this.#round > this.#settings.rounds ? this.#averaging : this.#training
    program.applyLate(program === this.#training ? undefined : this.#training)
    return pack({ ...this.#snapshot('with early'), isCut: 0 })
  }

  /**
   * As `save`, for all peers to continue from the same round: early messages are left out, since they are sent again.
   * From here on codecs are independent of everything that was sent before, here as at a peer that resumes; so both
   * send the same bits. After an error in a round this is the state at its beginning, if {@link keepsBeginnings} was
   * set before it.
   *
   * @throws InputError where an algorithm has no rounds that all peers begin with the same state; see {@link checkpointProblem}
   */
  checkpoint(): Saved {
    const problem = checkpointProblem(this.#settings.algorithm)
    if (problem !== undefined) throw new InputError(problem)
    this.#peer.startCodecsAnew()
    return pack({ ...(this.#beginning ?? this.#snapshot('without early')), isCut: 1 })
  }

  /**
   * After a round: as `checkpoint`, from before that round, if {@link keepsBeginnings} was set. A peer that stops at
   * the same time may have been unable to end the round, and have only this state in common with this peer. Undefined
   * otherwise.
   */
  previousCheckpoint(): Saved | undefined {
    return this.#previousBeginning && pack({ ...this.#previousBeginning, isCut: 1 })
  }

  /** The next round. */
  get round(): number {
    return this.#round
  }

  /** The model as of the end of the last round. Valid until the next step. */
  get parameters(): Float32Array {
    return this.#modelOf(this.#round > this.#settings.rounds ? this.#averaging : this.#training).values
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
    return this.#peer.presence.waitedFor
  }

  /** The open exchanges with neighbours. */
  get exchanges(): PeerEdges {
    return this.#peer.exchanges
  }

  #snapshot(messages: EarlyMessages): State {
    const { gradients, optimisers, origin } = this.#peer
    return {
      round: this.#round,
      drawn: gradients.batches.drawn,
      optimisers: { ...optimisers },
      origin: origin === undefined ? {} : { x: origin },
      training: this.#training.snapshot(messages),
      averaging: this.#averaging.snapshot(messages)
    }
  }

  #nextExchange(round: number): number | undefined {
    const { rounds } = this.#settings
    const every = exchangeEvery(this.#settings)
    const next = round < rounds ? Math.min(rounds - 1, (Math.floor(round / every) + 1) * every - 1) : round
    return next < this.#rounds ? next : undefined
  }

  /** Leaves the swarm, between two rounds. Where a weighted mean is kept, a neighbour receives this peer's mass. */
  async leave(): Promise<void> {
    const round = this.#round
    const { to } = this.#peer.mixings.of(round)
    this.#settings.members?.leave(round)
    if (round > 0 && round < this.#settings.rounds) await handOver(this.#peer, this.#training, round, to)
  }

  /** The program of final averaging; created when it is first used. */
  get #averaging(): Program {
    return (this.#opened ??= new Program(this.#peer, this.#settings, averagingRecord, averagingKinds(this.#settings)))
  }

  /** The state that the algorithm passes from round to round. */
  get state(): State {
    return this.#training.state
  }

  /**
   * Rounds of training, then those of final averaging. Yields a report after each, and returns the parameters at the end. A report's content is valid
   * until the next step.
   *
   * @param until - the round to stop before; calling `steps` again continues. To the end when absent
   */
  async *steps(until: number = this.#peer.rounds): AsyncGenerator<StepReport, Float32Array> {
    const { arena } = this.#peer
    if (this.#start !== undefined) this.#begin(await this.#start())
    if (this.#training.role.round === undefined) await this.#endOfAsking?.reach(this.#round)
    const end = Math.min(this.#rounds, until)
    while (this.#round < end) {
      if (this.#participation !== undefined) await this.#participation.ready()
      // A taken state may be of a later round.
      if (this.#round >= end) break
      const program = this.#open()
      program.end(await program.begin(this.#round))
      if (this.#round + 1 === this.#rounds) await this.#peer.exchanges.settle()
      const lateSenders = program.applyLate(program === this.#training ? undefined : this.#training)
      const model = this.#modelOf(program)
      if (arena.hasPending) await arena.settle(() => this.#fabric.sleep(this.#fabric.now()))
      const sketched = this.#participation?.sketch(this.#round, model.values)
      if (sketched !== undefined) await sketched
      arena.inRound = false
      yield this.#report(program, model, lateSenders)
      this.#sweep()
      if (this.#round === this.#settings.rounds) await this.#endOfAsking?.reach(this.#round)
    }
    if (this.#round === this.#rounds) await this.#participation?.finish(this.parameters)
    return this.parameters
  }

  /** Begins the next round. Returns its program. What no `await` needs is not in `steps`, whose variables every waiting peer keeps. */
  #open(): Program {
    const { rounds } = this.#settings
    const program = this.#round < rounds ? this.#training : this.#averaging
    if (program !== this.#training) this.#training.close()
    if (this.#round === rounds) program.start(this.#modelOf(this.#training), this.#modelOf(this.#training))
    if (this.#fabric.isStopping) this.#fabric.signal.throwIfAborted()
    if (this.keepsBeginnings && this.#round < rounds) this.#beginning = this.#snapshot('without early')
    this.#peer.arena.inRound = true
    this.#peer.round = this.#round
    return program
  }

  /** The state that another peer may continue from. */
  #current(): ModelState | undefined {
    const x = (this.#round <= this.#settings.rounds ? this.#training : this.#averaging).model()
    return x && { x, round: this.#round }
  }

  /** Where a weighted mean is kept, this peer's weight is that of the start again: decision 25. */
  #continueFrom({ x, round }: ModelState): void {
    if (this.#keepsMass && this.#round > 0) this.#lostMass += massOf(this.#training.state).w
    this.#round = Math.min(round, this.#rounds)
    this.#peer.round = this.#round
    this.#training.start(x, linear([0, x]))
    if (this.#round > this.#settings.rounds) this.#averaging.start(this.#modelOf(this.#training), x)
    this.#peer.optimisers = {}
    this.#peer.arena.sweep(true)
  }

  /** How many rounds this peer has. */
  get #rounds(): number {
    if (this.#training.role.round === undefined) return 0
    const isServer = this.#settings.servers?.includes(this.#fabric.self) === true
    return isServer ? this.#settings.rounds : this.#peer.rounds
  }

  #begin(start: Float32Array): void {
    this.#start = undefined
    const { arena, length } = this.#peer
    checkNumbers("the task's initialise", start, length)
    const x = arena.compute(start.length, (out, from, to) => out.set(start.subarray(from, to), from))
    this.#peer.origin = x
    this.#training.start(x, linear([0, x]))
    arena.sweep(true)
  }

  #restore(saved: State): void {
    this.#start = undefined
    checkFits(saved, this.#expected())
    const { round, drawn, optimisers, origin, training, averaging, isCut } = saved
    checkCounts({ round, drawn }, this.#peer.rounds)
    this.#round = round as number
    this.#peer.round = this.#round
    this.#peer.gradients.batches.skipTo(drawn as number)
    this.#peer.optimisers = optimisers as Record<string, State>
    this.#peer.origin = (origin as State).x as Vector | undefined
    this.#training.restore(training as State)
    this.#averaging.restore(averaging as State)
    if (isCut === 1) this.#peer.startCodecsAnew()
    this.#peer.arena.sweep(true)
  }

  /** The state of such a peer's session at its start, with empty records, whose content may differ in every round. */
  #expected(): State {
    const { arena, length } = this.#peer
    const zero = arena.compute(length, (out, from, to) => out.fill(0, from, to))
    this.#training.start(zero, zero)
    const training = { ...this.#training.snapshot('without early'), state: withoutRecords(this.#training.state) }
    return { ...this.#snapshot('without early'), training, isCut: 0 }
  }

  /** Ends a round. */
  #report(program: Program, model: Vector, lateSenders: readonly PeerName[]): StepReport {
    const round = this.#round++
    this.#previousBeginning = this.#beginning
    this.#beginning = undefined
    const isTraining = program === this.#training
    const { waited, missing, unsent, distances, outliers, moves } = this.#peer.takeNotes()
    return {
      round,
      phase: isTraining ? 'train' : 'average',
      loss: isTraining ? this.#peer.gradients.loss : undefined,
      rate: isTraining ? this.#settings.rate(round) : undefined,
      samples: this.#peer.gradients.batches.drawn,
      life: this.#participation?.life ?? 1,
      consensus: this.#participation?.consensus,
      waited,
      disagreement: rootMeanSquare(distances),
      distances,
      outliers,
      missing,
      late: lateSenders,
      unsent,
      moves,
      mass:
        isTraining && this.#keepsMass
          ? { ...massOf(this.#training.state, this.#training.role), lost: this.#lostMass }
          : undefined,
      parameters: model.values
    }
  }

  /** Empty where a role has no model, such as a server that holds a part of it. */
  #modelOf(program: Program): Vector {
    const model = program.model()
    if (model === undefined) return this.#peer.arena.adopt(new Float32Array(0))
    if (this.#peer.hasFrozen) model.whenDone(() => this.#peer.keepFrozen(model))
    return model
  }

  /** Releases what the last round has left. */
  #sweep(): void {
    this.#previousBeginning = undefined
    if (!this.#peer.hasFrozen) this.#peer.origin = undefined
    this.#peer.arena.sweep(true)
  }
}

/** The wire numbers of final averaging: its channels follow those of the algorithm, and its control messages those. */
function averagingKinds({ algorithm }: TrainingSettings): Kinds {
  const first = doneKind + 1 + Program.kindsOf(algorithm)
  return { first, firstControl: first + Program.kindsOf(averagingRecord) + Program.controlsOf(algorithm) }
}
