/** A record running on one peer: its channels, its node, its state. */
import {
  byName,
  type Computation,
  InputError,
  invariant,
  type Milliseconds,
  type PeerName,
  type Random,
  type Work
} from '@murmuration/core'
import type { StepOf, Stepper } from '../record/optimiser-record.js'
import type {
  Algorithm,
  AnyNode,
  AnyRole,
  BaseNode,
  LateFlow,
  Message,
  Mixing,
  OptimiserSettings,
  RoleName,
  Route,
  State
} from '../record/record.js'
import { type Objects, objectsOf } from '../store/objects.js'
import type { Tensor } from '../vectors/ranges.js'
import { addFlow, addSent } from '../messages/mixing.js'
import type { Answer } from '../channels/caller.js'
import type { EarlyMessages } from '../messages/message-buffer.js'
import { nodeKernel } from './kernel.js'
import { isCall, type Kinds, openChannels, type OpenedChannels } from './open-channels.js'
import type { Peer } from './peer.js'
import { checkNext, checkNumbers, checkWorkParts, checkState, functionOf } from './first-round.js'
import type { TrainingSettings } from './training.js'
import { withStatistics } from '../vectors/untrained.js'
import type { Vector } from '../vectors/vector.js'

const noPeers: readonly PeerName[] = []

type Late = Extract<LateFlow<State, Message>, (...given: never[]) => unknown>

export class Program {
  readonly record: Algorithm
  readonly role: AnyRole
  state: State = {}
  readonly #peer: Peer
  readonly #settings: TrainingSettings
  readonly channels: OpenedChannels['channels']
  /** Those whose messages carry mass that leaves its sender for good. */
  readonly massChannels: OpenedChannels['massChannels']
  readonly #node: AnyNode
  #round = 0
  #answered = 0
  /** Whether the state belongs to the run, so that answers may change it. */
  #mayAnswer: boolean
  /** The state at the beginning of the current round. */
  #before: State | undefined
  /** Whether a round of the algorithm was checked: all others return the same parts. */
  #isChecked = false
  /** Whether it has a state: final averaging has none while there is training. */
  #hasStarted = false
  #isModelChecked = false
  /** Whether the algorithm has called `change`. */
  #hasChanged = false

  /** @param kinds - the wire numbers of the record's first channel, and of its first exchange's control messages */
  constructor(peer: Peer, settings: TrainingSettings, record: Algorithm, kinds: Kinds) {
    this.record = record
    this.role = roleOf({ servers: settings.servers, algorithm: record }, peer.fabric.self)
    this.#peer = peer
    this.#mayAnswer = this.role.round === undefined
    this.#settings = settings
    const opened = openChannels(peer, { settings, record, role: this.role }, kinds, {
      answerOf: (name) => this.#answerOf(name),
      atOnce: (act) => this.#atOnce(act)
    })
    this.channels = opened.channels
    this.massChannels = opened.massChannels
    peer.programs = peer.programs.concat(this)
    const options = record === settings.algorithm ? optionsOf(settings) : {}
    if (record.needs.store === true) peer.presence.refusals.listen(peer.fabric)
    const dual = record.needs.dual === true ? { dual: peer.gradients.ascent(peer) } : {}
    const kernel = record.needs.kernel && { kernel: nodeKernel(peer.gradients.kernel, peer.fabric) }
    const node = new ProgramNode(peer, this, settings, options)
    this.#node = Object.assign(node, this.channels, dual, kernel) as never
  }

  /** How many wire numbers a record's channels need. */
  static kindsOf({ channels }: Algorithm): number {
    return Object.values(channels).reduce((sum, channel) => sum + (isCall(channel) ? 2 : 1), 0)
  }

  /** How many wire numbers the control messages of a record's exchanges need. */
  static controlsOf({ edges = {} }: Algorithm): number {
    return 2 * Object.keys(edges).length
  }

  /** Starts with these parameters. */
  start(x: Vector, zero: Vector): void {
    this.#hasStarted = true
    const state: unknown = this.role.start({ x, zero }, this.#node)
    checkState(functionOf('start', this.record), state)
    this.state = state
  }

  /** Begins a round. Pass its result to `end`. */
  begin(k: number): Promise<State | void> | undefined {
    const { role, state } = this
    this.#round = k
    this.#mayAnswer = true
    if (role.answers === undefined) return role.round?.(this.#node, state, k)
    // Answers may replace the state meanwhile.
    this.#peer.arena.pin(state, 1)
    this.#before = state
    return role.round?.(this.#node, state, k)
  }

  /** Ends a round. The state is its result, or what it has changed. */
  end(next: State | void): void {
    if (!this.#isChecked) this.#check(next)
    if (next !== undefined) this.state = next
    if (this.role.answers === undefined) return
    if (this.#before !== undefined) this.#peer.arena.pin(this.#before, -1)
    this.#before = undefined
    invariant(next === undefined, `${this.record.name} answers at any time, so only node.change may change its state`)
  }

  /** Checks what the first round has returned. Throws an InputError that names the algorithm, or the user's module. */
  #check(next: State | void): void {
    const source = functionOf('round', this.record)
    if (this.role.answers !== undefined && next !== undefined)
      throw new InputError(
        `${source} returns a state, expected nothing: where there are answers, only node.change may change it`
      )
    const expectsNothing = this.role.answers !== undefined || this.#hasChanged
    if (next !== undefined || !expectsNothing) checkNext(source, next, this.state)
    this.#isChecked = true
  }

  /** The state was handed over: nothing enters it any longer. */
  close(): void {
    this.#mayAnswer = false
  }

  /**
   * Applies late flows. Those of `other`, whose rounds are over, enter like this program's own. Returns their senders.
   */
  applyLate(other?: Program): readonly PeerName[] {
    const from = this.#enterLate(this, noPeers)
    return other === undefined || other === this ? from : this.#enterLate(other, from)
  }

  /** Applies the late flows of a program's channels. Returns `from` with their senders. */
  #enterLate(program: Program, from: readonly PeerName[]): readonly PeerName[] {
    let senders = from
    for (const name in program.channels) {
      const late = lateOf(program.record.edges?.[name])
      if (late === undefined) continue
      for (const flow of program.channels[name].policy.takeFlows()) {
        // Mass does not enter models.
        if (program !== this && late === addSent) continue
        this.state = late(this.state, flow, program.#node.options)
        senders = [...senders, flow.from]
      }
    }
    return senders
  }

  /** The model in a state of this program; undefined where a role has none. */
  modelIn(state: State): Vector | undefined {
    return this.role.model?.(state) ?? (state.x as Vector | undefined)
  }

  /** The vector that is reported and evaluated. */
  model(): Vector | undefined {
    const model = this.modelIn(this.state)
    if (!this.#isModelChecked && this.#hasStarted) this.#checkModel(model)
    return model
  }

  /** Servers may hold a part of the parameters, or none. */
  #checkModel(model: unknown): void {
    this.#isModelChecked = true
    if (this.#settings.servers?.includes(this.#peer.fabric.self) === true) return
    const source = this.role.model === undefined ? 'the vector x of the state' : 'model'
    checkNumbers(functionOf(source, this.record), model, this.#peer.length)
  }

  /** Everything to be saved. */
  snapshot(messages: EarlyMessages): State {
    const channels: Record<string, State> = {}
    for (const name in this.channels) channels[name] = this.channels[name].saved(messages)
    return { answered: this.#answered, state: this.state, channels }
  }

  restore({ answered, state, channels }: State): void {
    this.#answered = answered as number
    this.state = state as State
    for (const name in this.channels) this.channels[name].restore((channels as State)[name] as State)
  }

  #answerOf(name: string): Answer | undefined {
    const answer = this.role.answers?.[name]
    if (answer === undefined) return undefined
    return (ask, from) => {
      if (!this.#mayAnswer) return undefined
      const { state, reply } = answer(this.#node, this.state, ask, from)
      if (this.#answered === 0) checkNext(functionOf(`answers.${name}`, this.record), state, this.state)
      this.#answered++
      return { reply, accept: () => (this.state = state) }
    }
  }

  /** What `act` computes belongs to the state or to nothing: the rest is released when it ends. */
  #atOnce(act: () => void): void {
    const { arena } = this.#peer
    const wasInRound = arena.inRound
    arena.inRound = false
    act()
    arena.inRound = wasInRound
    arena.sweep(false)
  }

  /** The time that the rate depends on: the round; for a role without rounds, how often each worker has asked. */
  get time(): number {
    return this.role.round === undefined ? Math.floor(this.#answered / this.#settings.workers.length) : this.#round
  }

  /** Changes the state at once. */
  change(change: (state: State) => State): void {
    this.#atOnce(() => {
      const next = change(this.state)
      if (!this.#hasChanged) checkNext(functionOf('a change', this.record), next, this.state)
      this.#hasChanged = true
      this.state = next
    })
  }

  /** The gradient at x on the next batch. */
  gradient(x: Vector): Computation<Vector> {
    const { fabric, gradients, layout } = this.#peer
    if (gradients.lines !== undefined) return gradients.byLines(gradients.lines, x, this.#round)
    const work = gradients.work(x, this.#round)
    if (work.parts !== undefined) checkWorkParts(work.parts, layout.tensors)
    return this.role.answers === undefined ? fabric.work(work) : this.#besideAnswers(work)
  }

  /** Computes in an activity of its own, so that this one can answer meanwhile. */
  #besideAnswers(work: Work<Vector>): PromiseLike<Vector> {
    const { fabric } = this.#peer
    let outcome: (() => Vector) | undefined
    fabric.spawn(async (spawned) => {
      try {
        const gradient = await spawned.work(work)
        outcome = () => gradient
      } catch (error) {
        outcome = () => {
          throw error
        }
      }
      spawned.wake()
    })
    const expectation = {
      isDone: () => outcome !== undefined,
      deadline: () => Number.POSITIVE_INFINITY,
      outcome: () => (outcome as () => Vector)()
    }
    let taken: Promise<Vector> | undefined
    // Messages are processed only while the gradient is awaited.
    return {
      then: (onFulfilled, onRejected) => (taken ??= this.#peer.until(expectation)).then(onFulfilled, onRejected)
    }
  }
}

/** Parsed once for all peers that share their settings. */
const parsed = new WeakMap<TrainingSettings, unknown>()

function optionsOf(settings: TrainingSettings): unknown {
  if (!parsed.has(settings)) parsed.set(settings, settings.algorithm.options.parse(settings.options ?? {}))
  return parsed.get(settings)
}

/** What a peer does in a run. */
export function roleOf(
  { algorithm, servers }: Pick<TrainingSettings, 'algorithm' | 'servers'>,
  peer: PeerName
): AnyRole {
  return servers?.includes(peer) === true ? (algorithm.server ?? algorithm) : algorithm
}

/** How late flows of a channel enter the state, if they do. */
function lateOf(how: LateFlow<State, Message> | number | undefined): Late | undefined {
  if (typeof how === 'number') return addFlow
  if (how === 'added') return addSent
  return typeof how === 'function' ? how : undefined
}

const plainSgd = { name: 'sgd' }

/** What an algorithm sees, without its channels. It is a class, since closures for each peer would cost memory. */
class ProgramNode implements Omit<BaseNode<unknown, State>, 'dual' | 'kernel'> {
  readonly options: unknown
  readonly peers: (role?: RoleName) => readonly PeerName[]
  readonly rate: (round: number) => number
  readonly #peer: Peer
  readonly #program: Program
  readonly #settings: TrainingSettings
  #store: Objects | undefined

  constructor(peer: Peer, program: Program, settings: TrainingSettings, options: unknown) {
    this.options = options
    this.peers = peersOf(settings)
    this.rate = settings.rate
    this.#peer = peer
    this.#program = program
    this.#settings = settings
  }

  get self(): PeerName {
    return this.#peer.fabric.self
  }

  get rounds(): number {
    return this.#settings.rounds
  }

  get first(): number {
    return this.#settings.first ?? 0
  }

  get timeout(): Milliseconds {
    return this.#settings.timeout
  }

  get tensors(): readonly Tensor[] {
    return this.#peer.layout.tensors
  }

  get store(): Objects {
    return (this.#store ??= objectsOf(this.#settings.store, this.#peer.fabric, this.#peer.arena))
  }

  mixing(round: number): Mixing {
    return this.#peer.mixings.of(round)
  }

  route(round: number, members: readonly PeerName[] = this.#settings.workers): Route {
    const { needs, name, server } = this.#program.record
    invariant(
      needs.reach === 'everyone' || server !== undefined,
      `${name} uses a route to all peers without "needs: { reach: 'everyone' }"`
    )
    const peer = this.self
    const others = members.filter((member) => member !== peer).sort(byName)
    return { peer, round, to: others, from: others }
  }

  gradient(x: Vector): Computation<Vector> {
    return this.#program.gradient(x)
  }

  step(base: Vector, gradient: Vector, of?: StepOf): Vector {
    return this.#step('main', this.#settings.optimiser ?? plainSgd, base, gradient, of)
  }

  optimiser(name: string, chosen: OptimiserSettings): Stepper {
    return { step: (base, gradient, of) => this.#step(name, chosen, base, gradient, of) }
  }

  withStatistics(to: Vector, from: Vector, first?: number): Vector {
    return withStatistics(to, from, this.#peer.layout.untrained, first)
  }

  random(purpose: string, round: number): Random {
    return this.#peer.fabric.random.stream(`${purpose} ${round}`)
  }

  change(change: (state: State) => State): void {
    this.#program.change(change)
  }

  #step(slot: string, settings: OptimiserSettings, base: Vector, gradient: Vector, of: StepOf = {}): Vector {
    const { offset = 0, round = this.#program.time } = of
    return this.#peer.optimisers.step(slot, settings, base, gradient, { offset, round })
  }
}

/** The same function for all peers of a run; records may take it out of the node. */
const peersOfSettings = new WeakMap<TrainingSettings, (role?: RoleName) => readonly PeerName[]>()

function peersOf(settings: TrainingSettings): (role?: RoleName) => readonly PeerName[] {
  const { workers, servers = [] } = settings
  const peers = peersOfSettings.get(settings) ?? ((role = 'worker') => (role === 'worker' ? workers : servers))
  peersOfSettings.set(settings, peers)
  return peers
}
