/**
 * The peers agree on the last round of training: each tells its neighbours what it has measured and what it has heard.
 * Once that has reached everyone they apply the rule, and once the decision could have reached everyone, training ends:
 * so those that lacked some figures, or concluded otherwise, end in the same round. Whoever hears later ends then.
 */
import { type Envelope, type Evaluation, type GapPart, InputError, type PeerName, type Task } from '@murmuration/core'
import type { VectorMessage } from '@murmuration/wire'
import type { Handler } from '../messages/inbox.js'
import type { State } from '../record/record.js'
import { exchangeEvery } from './needs.js'
import type { Peer } from './peer.js'
import { figuresIn, StopFigures } from './stop-figures.js'
import {
  conditionCount,
  figureNames,
  type Figures,
  foundIn,
  type Stop,
  StopHistory,
  type StopSettings,
  stopText
} from './stop-rule.js'
import type { TrainingSettings } from './training.js'

/** The part of a decision; those of figures follow. */
const stopPart = 0
/**
 * Where peers come and go, one whose neighbours are lost may be so many rounds ahead of others: twice those of rule 8
 * in docs/understand/membership.md, since it knows only where they were.
 */
const nearRounds = 16

const empty = new Float32Array(0)

/** The part of a peer that knows none: no gap is small enough with it. */
const unknownPart: GapPart = { value: Number.MAX_VALUE, slope: 0, curvature: 0, spread: 0 }

/** One peer's part in the agreement. */
export class StopAgreement implements Handler {
  readonly #peer: Peer
  readonly #task: Task
  readonly #settings: TrainingSettings
  readonly #stop: StopSettings
  readonly #kind: number
  readonly #history: StopHistory
  readonly #figures: StopFigures
  /** Those that have told of the decision themselves. */
  readonly #informed = new Set<PeerName>()

  /** @param kind - the wire number of its messages */
  constructor(peer: Peer, task: Task, settings: TrainingSettings, stop: StopSettings, kind: number) {
    this.#peer = peer
    this.#task = task
    this.#settings = settings
    this.#stop = stop
    this.#kind = kind
    this.#history = stop.history ?? new StopHistory()
    this.#figures = new StopFigures(figureNames(stop))
    peer.handlers.set(kind, this)
  }

  /** Before this peer continues with a round, from a checkpoint: tells again what was on its way then. */
  begin(round: number): void {
    if (round > 0) this.#tell(round - 1)
  }

  /** Why training ends with this round, which has ended; undefined where it does not. */
  reason(round: number): string | undefined {
    const reached = roundOfRun(round, this.#settings)
    const isDue = (evaluated: number) => exchangeAfter(evaluated, this.#stop.hops, this.#settings) <= reached
    const { workers } = this.#settings
    for (const [evaluated, figures] of this.#figures.end(isDue)) {
      const present = workers.filter((name) => !this.#peer.presence.members.isGone(name))
      const found = foundIn(figures, workers.length, this.#stop.contraction)
      if (2 * figures.length > present.length) this.#history.conclude(this.#stop, evaluated, found)
    }
    const { stop } = this.#history
    return stop !== undefined && reached >= this.#lastAfter(stop.evaluated) ? stopText(stop, this.#stop) : undefined
  }

  /** Whether a round is one of the last of training, as far as this peer knows. */
  isNear(round: number): boolean {
    const { stop } = this.#history
    if (stop === undefined || round >= this.#settings.rounds) return false
    return (
      this.#lastAfter(stop.evaluated) - roundOfRun(round, this.#settings) <= nearRounds * exchangeEvery(this.#settings)
    )
  }

  /**
   * After a round: measures what the rule needs where it is time, and tells the others what is new.
   *
   * @throws InputError where the task does not measure what the rule needs
   */
  async after(round: number, model: Float32Array): Promise<void> {
    const { fabric, gradients } = this.#peer
    const { rounds, workers } = this.#settings
    const ended = roundOfRun(round, this.#settings)
    const isDue = round + 1 < rounds && (ended + 1) % this.#stop.every === 0
    const place = workers.indexOf(fabric.self)
    if (isDue && place >= 0 && this.#history.stop === undefined) {
      const { names } = this.#figures
      const part = names.includes('spread') ? (gradients.dual?.part ?? unknownPart) : {}
      const evaluation = names.includes('loss') ? await fabric.work(this.#task.evaluate(model)) : undefined
      this.#figures.take(ended, place, { ...(evaluation && figuresOf(evaluation, this.#stop)), ...part })
    }
    this.#tell(round)
  }

  /**
   * The round of the run with which training ends if the models after `evaluated` were good enough. Where peers come
   * and go, some may be ahead of others.
   */
  #lastAfter(evaluated: number): number {
    const { hops } = this.#stop
    const isLoose = this.#settings.members !== undefined && exchangeEvery(this.#settings) === 1
    return exchangeAfter(evaluated, hops + (isLoose ? Math.max(hops, nearRounds) : hops), this.#settings)
  }

  /** Tells neighbours what is new. What finds no room in a queue is told after the next round. */
  #tell(round: number): void {
    const to = receivers(this.#peer, this.#settings, round)
    this.#figures.tell((group, numbers) => {
      const results = to.map((name) => this.#send(name, round, stopPart + 1 + group, numbers))
      return !results.includes('full')
    })
    for (const name of to) if (!this.#informed.has(name)) this.#tellStop(name, round)
  }

  #tellStop(to: PeerName, round: number): void {
    const { stop } = this.#history
    if (stop !== undefined) this.#send(to, round, stopPart, [stop.evaluated, stop.condition, stop.value])
  }

  #send(to: PeerName, round: number, part: number, numbers: readonly number[]) {
    return this.#peer.fabric.send(to, { kind: this.#kind, round, part, numbers, vector: empty })
  }

  /** Others have told what is new. */
  accept(envelope: Envelope<VectorMessage>): void {
    const { fabric, round } = this.#peer
    const { from, message } = envelope
    const { workers } = this.#settings
    const { vector, part = 0, numbers = [] } = message
    const [evaluated] = numbers
    const isRound = Number.isSafeInteger(evaluated) && evaluated >= 0 && (evaluated + 1) % this.#stop.every === 0
    const isRight = vector.length === 0 && isRound
    const stop = isRight && part === stopPart ? stopIn(numbers) : undefined
    const group = part - stopPart - 1
    const figures = isRight && group >= 0 ? figuresIn(group, numbers, workers.length, this.#figures.names) : undefined
    if (stop === undefined && figures === undefined) return fabric.reject(envelope, 'a malformed message about the end')
    if (stop !== undefined) {
      this.#informed.add(from)
      return this.#history.take(stop)
    }
    // A new process does not know what its earlier one has told. And this peer may be held: it is told at once.
    this.#informed.delete(from)
    this.#tellStop(from, round)
    // What comes too late was not in the conclusion.
    if (exchangeAfter(evaluated, this.#stop.hops, this.#settings) < roundOfRun(round, this.#settings)) return
    for (const [place, each] of figures ?? []) this.#figures.take(evaluated, place, each)
  }

  saved(): State {
    return { history: this.#history.saved(), figures: this.#figures.saved() }
  }

  restore({ history, figures }: State): void {
    this.#history.restore(history as Readonly<Record<string, number>>)
    this.#figures.restore(figures as State)
  }
}

/** The round of the run that is a round of this epoch. */
function roundOfRun(round: number, { first = 0 }: TrainingSettings): number {
  return first + round
}

/** The round of the run with the exchange that comes so many exchanges after a round. */
function exchangeAfter(round: number, count: number, settings: TrainingSettings): number {
  const every = exchangeEvery(settings)
  return (Math.floor((round + 1) / every) + count) * every - 1
}

/** Servers tell all workers, and workers them; others tell all that they exchange with. */
function receivers(
  { fabric, mixings }: Peer,
  { workers, servers = [], algorithm }: TrainingSettings,
  round: number
): readonly PeerName[] {
  if (servers.length > 0) return servers.includes(fabric.self) ? workers : servers
  if (algorithm.needs.reach === 'everyone') return workers.filter((name) => name !== fabric.self)
  return [...new Set([...mixings.of(round).to, ...mixings.neighbours])]
}

function figuresOf({ loss, accuracy }: Evaluation, stop: StopSettings): Figures {
  if (accuracy === undefined && stop.accuracy !== undefined)
    throw new InputError('stop.accuracy: the task has no accuracy, expected a task that classifies; use stop.loss')
  return { loss, accuracy: accuracy ?? 0 }
}

/** The decision in a message; undefined for what no peer sends. */
function stopIn([evaluated, condition, value, ...more]: readonly number[]): Stop | undefined {
  const isCondition = Number.isInteger(condition) && condition >= 0 && condition < conditionCount
  return isCondition && Number.isFinite(value) && more.length === 0 ? { evaluated, condition, value } : undefined
}
