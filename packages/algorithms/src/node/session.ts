/** The driver, one for all records: start, rounds, reports, final averaging, end; save and go on. */
import {
  type Envelope,
  type Fabric,
  InputError,
  NeighboursMissingError,
  type PeerName,
  type StepReport,
  type Task
} from '@murmuration/core'
import type { VectorMessage } from '@murmuration/wire'
import { averagingRecord } from '../averaging-record.js'
import type { Algorithm, State } from '../record.js'
import type { Exchanges } from './exchanges.js'
import { Peer } from './peer.js'
import { Program, roleOf } from './program.js'
import { checkpointProblem } from './checkpoint-problem.js'
import { massOf, rootMeanSquare } from './figures.js'
import { checkCounts, checkFits, pack, type Saved, unpack, withoutRecords } from './save.js'
import type { EarlyMessages } from './early.js'
import type { TrainingSettings } from './training.js'
import { linear, type Vector } from './vector.js'

/** The kind of the message that says that its sender asks for nothing any more. */
const doneKind = 0

/** A peer in training. It can be saved whenever a step has been reported, and gone on with, elsewhere or here. */
export class Session {
  readonly #fabric: Fabric<VectorMessage>
  readonly #settings: TrainingSettings
  readonly #peer: Peer
  readonly #training: Program
  readonly #averaging: Program
  /** Who asks for nothing any more. */
  readonly #done = new Set<PeerName>()
  readonly #keepsMass: boolean
  #start: (() => Float32Array | PromiseLike<Float32Array>) | undefined
  #round = 0

  /**
   * @param begin - gives the parameters that this peer starts with; those that all peers of the run start with when absent
   */
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
    const first = doneKind + 1
    const averaging = first + Program.kindsOf(algorithm)
    const controls = averaging + Program.kindsOf(averagingRecord)
    this.#training = new Program(this.#peer, settings, algorithm, { first, firstControl: controls })
    const kinds = { first: averaging, firstControl: controls + Program.controlsOf(algorithm) }
    this.#averaging = new Program(this.#peer, settings, averagingRecord, kinds)
    if (isAsking(algorithm)) this.#peer.accepts[doneKind] = (envelope) => this.#acceptDone(envelope)
  }

  /** Goes on where `save` or `checkpoint` was called. Throws an InputError for what they did not give to such a peer. */
  static resume(fabric: Fabric<VectorMessage>, task: Task, settings: TrainingSettings, saved: Saved): Session {
    const session = new Session(fabric, task, settings)
    const { arena, length } = session.#peer
    session.#restore(unpack(saved, arena, length))
    return session
  }

  /**
   * All that this peer has to know to go on while the others do not stop, with what has come early: numbers, vectors, and nothing that
   * depends on this machine. The vectors are valid until the next step.
   */
  save(): Saved {
    const program = this.#round > this.#settings.rounds ? this.#averaging : this.#training
    program.applyLate(program === this.#averaging ? this.#training : undefined)
    return pack({ ...this.#snapshot('with early'), isCut: 0 })
  }

  /**
   * As `save`, for all peers to go on from the same round: what has come early is left out, since it is sent again. From here on codecs
   * build on nothing that was sent before, here as at a peer that resumes; so both send the same bits.
   *
   * @throws InputError where an algorithm has no rounds that all peers begin with the same state; see {@link checkpointProblem}
   */
  checkpoint(): Saved {
    const problem = checkpointProblem(this.#settings.algorithm)
    if (problem !== undefined) throw new InputError(problem)
    this.#peer.startCodecsAnew()
    return pack({ ...this.#snapshot('without early'), isCut: 1 })
  }

  /** The round that comes next. */
  get round(): number {
    return this.#round
  }

  /** What is open with neighbours. */
  get exchanges(): Exchanges {
    return this.#peer.exchanges
  }

  #snapshot(messages: EarlyMessages): State {
    const { gradients, optimisers, origin } = this.#peer
    return {
      round: this.#round,
      drawn: gradients.batches.drawn,
      optimisers,
      origin: origin === undefined ? {} : { x: origin },
      training: this.#training.snapshot(messages),
      averaging: this.#averaging.snapshot(messages)
    }
  }

  /** What the algorithm hands from round to round. */
  get state(): State {
    return this.#training.state
  }

  /**
   * Rounds of training, then those of final averaging. Yields a report after each, and returns the parameters at the end. What a report holds is
   * valid until the next step.
   *
   * @param until - the round to stop before; calling `steps` again goes on. To the end when absent
   */
  async *steps(until: number = this.#peer.rounds): AsyncGenerator<StepReport, Float32Array> {
    const { arena } = this.#peer
    const { rounds } = this.#settings
    if (this.#start !== undefined) this.#begin(await this.#start())
    if (this.#training.role.round === undefined) await this.#finishAnswering()
    const end = Math.min(this.#rounds, until)
    while (this.#round < end) {
      const program = this.#round < rounds ? this.#training : this.#averaging
      if (this.#round === rounds) program.start(this.#modelOf(this.#training), this.#modelOf(this.#training))
      this.#fabric.signal.throwIfAborted()
      arena.inRound = true
      program.end(await program.begin(this.#round))
      if (this.#round + 1 === this.#rounds) await this.#peer.exchanges.settle()
      program.applyLate(program === this.#averaging ? this.#training : undefined)
      const model = this.#modelOf(program)
      if (arena.hasPending) await arena.settle(() => this.#fabric.sleep(this.#fabric.now()))
      arena.inRound = false
      yield this.#report(program, model)
      this.#sweep()
      if (this.#round === rounds) await this.#finishAnswering()
    }
    const program = this.#round > rounds ? this.#averaging : this.#training
    return this.#modelOf(program).values
  }

  /** How many rounds this peer has. */
  get #rounds(): number {
    if (this.#training.role.round === undefined) return 0
    return this.#isServer ? this.#settings.rounds : this.#peer.rounds
  }

  get #isServer(): boolean {
    return this.#settings.servers?.includes(this.#fabric.self) === true
  }

  #begin(start: Float32Array): void {
    this.#start = undefined
    const { arena } = this.#peer
    const x = arena.compute(start.length, (out, from, to) => out.set(start.subarray(from, to), from))
    this.#peer.origin = x
    this.#training.start(x, linear([0, x]))
    arena.sweep(this.#roots(), true)
  }

  #restore(saved: State): void {
    this.#start = undefined
    checkFits(saved, this.#expected())
    const { round, drawn, optimisers, origin, training, averaging, isCut } = saved
    checkCounts({ round, drawn }, this.#peer.rounds)
    this.#round = round as number
    this.#peer.gradients.batches.skipTo(drawn as number)
    this.#peer.optimisers = optimisers as Record<string, State>
    this.#peer.origin = (origin as State).x as Vector | undefined
    this.#training.restore(training as State)
    this.#averaging.restore(averaging as State)
    if (isCut === 1) this.#peer.startCodecsAnew()
    this.#peer.arena.sweep(this.#roots(), true)
  }

  /** What a session of such a peer has at its start; nothing in records of the state, which may have something else in every round. */
  #expected(): State {
    const { arena, length } = this.#peer
    const zero = arena.compute(length, (out, from, to) => out.fill(0, from, to))
    this.#training.start(zero, zero)
    const training = { ...this.#training.snapshot('without early'), state: withoutRecords(this.#training.state) }
    return { ...this.#snapshot('without early'), training, isCut: 0 }
  }

  /** Ends a round. */
  #report(program: Program, model: Vector): StepReport {
    const { rate, batchSize, accumulate = 1, rounds } = this.#settings
    const round = this.#round++
    const isTraining = program === this.#training
    const { waited, missing, unsent, distances, outliers, moves } = this.#peer.takeNotes()
    return {
      round,
      phase: isTraining ? 'train' : 'average',
      loss: isTraining ? this.#peer.gradients.loss : undefined,
      rate: isTraining ? rate(round) : undefined,
      samples: Math.min(round + 1, rounds) * batchSize * accumulate,
      waited,
      disagreement: rootMeanSquare(distances),
      distances,
      outliers,
      missing,
      unsent,
      moves,
      mass: isTraining && this.#keepsMass ? massOf(this.#training.state) : undefined,
      parameters: model.values
    }
  }

  /** No numbers, where a role has no model, as a server that holds a part of it. */
  #modelOf(program: Program): Vector {
    const model = program.model()
    if (model === undefined) return this.#peer.arena.adopt(nothing)
    if (this.#peer.hasFrozen) model.whenDone(() => this.#peer.keepFrozen(model))
    return model
  }

  /** Releases what the last round has left. */
  #sweep(): void {
    if (!this.#peer.hasFrozen) this.#peer.origin = undefined
    this.#peer.arena.sweep(this.#roots(), true)
  }

  #roots(): readonly State[] {
    const { optimisers, origin } = this.#peer
    const { state } = this.#averaging
    return origin === undefined
      ? [this.#training.state, state, optimisers]
      : [this.#training.state, state, optimisers, { origin }]
  }

  #acceptDone(envelope: Envelope<VectorMessage>): void {
    const { from, message } = envelope
    if (message.vector.length > 0)
      return this.#fabric.reject(envelope, 'parameters in a message that says no more than an end')
    this.#peer.presence.heard(from)
    this.#done.add(from)
  }

  /** Answers until nobody asks any more. */
  async #finishAnswering(): Promise<void> {
    const { algorithm, servers = [], workers } = this.#settings
    const others = this.#isServer ? workers : servers.length > 0 ? servers : [...this.#peer.mixings.neighbours]
    const isAsked = this.#training.role.answers !== undefined
    if (!isAsking(algorithm)) return
    if (!this.#isServer) {
      for (const to of others)
        this.#fabric.send(to, { kind: doneKind, round: this.#round, vector: new Float32Array(0) })
    }
    if (!isAsked) return
    await this.#awaitDone(others)
    this.#done.clear()
  }

  /** A peer that was not heard for two timeouts, and has not said that it is done, is missing. */
  async #awaitDone(others: readonly PeerName[]): Promise<void> {
    const { presence, timeout } = this.#peer
    const isDone = () => others.every((name) => this.#done.has(name))
    while (!isDone()) {
      const before = presence.messages
      const deadline = this.#fabric.now() + 2 * timeout
      await this.#peer.until({
        isDone: () => isDone() || presence.messages > before,
        deadline: () => deadline,
        outcome: () => {}
      })
      if (presence.messages > before || isDone()) continue
      const missing = others.filter((name) => !this.#done.has(name))
      if (!this.#isServer) return
      const text = `${this.#fabric.self} heard nothing of ${missing.join(', ')} for ${2 * timeout} ms, and they have not ended`
      throw new NeighboursMissingError(missing, text)
    }
  }
}

const nothing = new Float32Array(0)

/** Whether peers ask each other, or servers. */
function isAsking({ answers, server }: Algorithm): boolean {
  return answers !== undefined || server?.answers !== undefined
}

/** Trains one peer: yields a report per round and returns the parameters at its end. See {@link Session.steps}. */
export function train(
  fabric: Fabric<VectorMessage>,
  task: Task,
  settings: TrainingSettings
): AsyncGenerator<StepReport, Float32Array> {
  return new Session(fabric, task, settings).steps()
}
