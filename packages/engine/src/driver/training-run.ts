import type { PeerName, Task } from '@murmuration/core'
import { averagingRecord } from './averaging-record.js'
import { EndOfAsking } from './end-of-asking.js'
import { EndOfTraining } from './end-of-training.js'
import { massOf } from './figures.js'
import type { ModelState, TraineeRun } from '../members/participants.js'
import { exchangeEvery, nextExchange } from './needs.js'
import type { Peer } from './peer.js'
import { Program } from './program.js'
import type { Kinds } from './open-channels.js'
import type { TrainingSettings } from './training.js'
import { linear, type Vector } from '../vectors/vector.js'

/** The kind of the message by which a peer announces that it has no more requests. */
const doneKind = 0
/** How many wire numbers those that come and go need to take over states: see {@link StateTransfer}. */
const transferKinds = 3

/** How far a peer is in a run: its round, and the programs of training and of final averaging with their states. */
export class TrainingRun implements TraineeRun {
  /** The next round. */
  round = 0
  /** The weight that this peer gave up with its own state when it took another's. */
  lostMass = 0
  readonly training: Program
  readonly end: EndOfTraining
  #averaging: Program | undefined
  readonly #peer: Peer
  readonly settings: TrainingSettings

  constructor(peer: Peer, task: Task, settings: TrainingSettings) {
    const { algorithm, rounds } = settings
    this.#peer = peer
    this.settings = settings
    const firstControl = this.#averagingKinds.first + Program.kindsOf(averagingRecord)
    this.training = new Program(peer, settings, algorithm, { first: doneKind + 1, firstControl })
    // Messages may arrive before its first round.
    if (peer.rounds > rounds) void this.averaging
    this.end = new EndOfTraining(peer, task, settings, { done: doneKind, stop: this.unusedKind + transferKinds })
  }

  /** The program of final averaging; created when it is first used. */
  get averaging(): Program {
    return (this.#averaging ??= new Program(this.#peer, this.settings, averagingRecord, this.#averagingKinds))
  }

  /**
   * The wire numbers of final averaging: its channels follow those of the algorithm, and its control messages those.
   */
  get #averagingKinds(): Kinds {
    const { algorithm } = this.settings
    const first = doneKind + 1 + Program.kindsOf(algorithm)
    return { first, firstControl: first + Program.kindsOf(averagingRecord) + Program.controlsOf(algorithm) }
  }

  /** The first wire number that no program uses. */
  get unusedKind(): number {
    return this.#averagingKinds.firstControl + Program.controlsOf(averagingRecord)
  }

  get seed(): number {
    return this.settings.seed
  }

  get every(): number {
    return exchangeEvery(this.settings)
  }

  get isAtOwnPace(): boolean {
    return EndOfAsking.isUsed(this.settings) && this.round < this.settings.rounds
  }

  isFinal(round: number): boolean {
    return round >= this.settings.rounds
  }

  nextExchange(round: number): number | undefined {
    const { rounds } = this.settings
    const next = round < rounds ? nextExchange(round, this.every, rounds) : round
    return next < this.rounds ? next : undefined
  }

  /** How many rounds this peer has. */
  get rounds(): number {
    if (this.training.role.round === undefined) return 0
    const isServer = this.settings.servers?.includes(this.#peer.fabric.self) === true
    return isServer ? this.settings.rounds : this.#peer.rounds
  }

  /** The program that has the state at the beginning of the next round. */
  get last(): Program {
    return this.round > this.settings.rounds || beganOver(this) ? this.averaging : this.training
  }

  /** Begins with these parameters. */
  start(x: Vector): void {
    this.training.start(x, linear([0, x]))
    if (beganOver(this)) this.averaging.start(x, x)
    this.#peer.arena.sweep(true)
  }

  /** Begins the next round. Returns its program. */
  open(): Program {
    const { rounds } = this.settings
    const program = this.round < rounds ? this.training : this.averaging
    if (program !== this.training) this.training.close()
    if (this.round === rounds && !beganOver(this))
      program.start(this.modelOf(this.training), this.modelOf(this.training))
    return program
  }

  /**
   * Applies what has arrived late for the rounds of `program`, and of training where that is over. Returns the senders.
   */
  applyLate(program: Program): readonly PeerName[] {
    return program.applyLate(program === this.training ? undefined : this.training)
  }

  /** The state that another peer may continue from. */
  current(): ModelState | undefined {
    const x = this.last.model()
    return x && { x, round: this.round }
  }

  /** Where a weighted mean is kept, this peer's weight is that of the start again: docs/change/decisions/edges.md. */
  continueFrom({ x, round }: ModelState): void {
    if (keepsMass(this) && this.round > 0) this.lostMass += massOf(this.training.state).w
    this.round = Math.min(round, this.rounds)
    this.#peer.round = this.round
    this.training.start(x, linear([0, x]))
    if (this.round > this.settings.rounds) this.averaging.start(this.modelOf(this.training), x)
    this.#peer.optimisers.states = {}
    this.#peer.arena.sweep(true)
  }

  /** Empty where a role has no model, such as a server that holds a part of it. */
  modelOf(program: Program): Vector {
    const model = program.model()
    if (model === undefined) return this.#peer.arena.adopt(new Float32Array(0))
    const { origin } = this.#peer
    if (origin.hasFrozen) model.whenDone(() => origin.keepFrozen(model))
    return model
  }
}

/** Whether an epoch has begun after training: an algorithm that begins anew would make nothing of the model. */
function beganOver({ settings, training }: TrainingRun): boolean {
  return settings.rounds === 0 && training.role === settings.algorithm
}

/** Whether each peer has a part of a weighted mean. */
export function keepsMass({ settings }: Pick<TrainingRun, 'settings'>): boolean {
  return settings.algorithm.keeps === 'weighted mean'
}
