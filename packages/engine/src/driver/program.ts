/** A record running on one peer: its channels, its node, its state. */
import { InputError, invariant, type PeerName, type Work } from '@murmuration/core'
import type { Algorithm, AnyNode, AnyRole, Call, LateFlow, Message, Shape, State } from '../record/record.js'
import { addFlow, addSent } from '../messages/mixing.js'
import { exchangeEvery } from './needs.js'
import { type NodeProgram, ProgramNode } from './base-node.js'
import { type Answer, Caller } from '../channels/caller.js'
import type { EarlyMessages } from '../messages/message-buffer.js'
import { Mailbox } from '../channels/mailbox.js'
import type { ControlKinds, EdgePolicy } from '../edges/edge-policy.js'
import type { Peer } from './peer.js'
import { checkNext, checkNumbers, checkState, functionOf } from './first-round.js'
import type { TrainingSettings } from './training.js'
import type { Vector } from '../vectors/vector.js'

const noPeers: readonly PeerName[] = []
const noChannels: readonly never[] = []

type Late = Extract<LateFlow<State, Message>, (...given: never[]) => unknown>

/** The first wire numbers of a record's messages. */
export interface Kinds {
  readonly first: number
  readonly firstControl: number
}

export class Program implements NodeProgram {
  readonly record: Algorithm
  readonly role: AnyRole
  state: State = {}
  readonly #peer: Peer
  readonly #settings: TrainingSettings
  readonly channels: Readonly<Record<string, Mailbox | Caller>>
  /** Those whose messages carry mass that leaves its sender for good. */
  massChannels: readonly { readonly name: string; readonly mailbox: Mailbox }[] = noChannels
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
    this.channels = this.#open(kinds)
    peer.programs = peer.programs.concat(this)
    const options = record === settings.algorithm ? optionsOf(settings) : {}
    if (record.needs.store === true) peer.presence.refusals.listen(peer.fabric)
    this.#node = Object.assign(new ProgramNode(peer, this, settings, options), this.channels) as unknown as AnyNode
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

  /** Applies late flows. Those of `other`, whose rounds are over, enter like this program's own. Returns their senders. */
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

  /** The vector that is reported and evaluated. */
  model(): Vector | undefined {
    const model = this.role.model?.(this.state) ?? (this.state.x as Vector | undefined)
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

  #open({ first, firstControl }: Kinds): Readonly<Record<string, Mailbox | Caller>> {
    const opened: Record<string, Mailbox | Caller> = {}
    const { handlers } = this.#peer
    const every = exchangeEvery(this.#settings)
    let [kind, control] = [first, firstControl]
    const isReliable = this.record.needs.delivery === 'reliable'
    for (const [name, channel] of Object.entries(this.record.channels)) {
      const traits = { name, kind, isReliable, carriesModels: this.role.model === undefined && carriesModels(channel) }
      const late = this.record.edges?.[name]
      const kinds = { skip: control, withdraw: control + 1 }
      if (late !== undefined) control += 2
      if (isCall(channel)) {
        const edges = typeof late === 'number' ? { kinds, weight: late } : undefined
        const caller = new Caller(this.#peer, traits, channel, this.#answerOf(name), edges)
        handlers.set(kind++, { accept: (envelope) => this.#atOnce(() => caller.acceptAsk(envelope)) })
        handlers.set(kind++, { accept: (envelope) => caller.acceptReply(envelope) })
        opened[name] = caller
        if (edges !== undefined) this.#openEdges(caller.policy, kinds, Number.POSITIVE_INFINITY)
      } else {
        const how = typeof late === 'string' ? late : ('owed' as const)
        const edges = late === undefined ? undefined : { kinds, late: how, every }
        const mailbox = new Mailbox(this.#peer, traits, channel, edges)
        handlers.set(kind++, mailbox)
        opened[name] = mailbox
        if (edges !== undefined) this.#openEdges(mailbox.policy, kinds)
        if (late === 'added') this.massChannels = this.massChannels.concat({ name, mailbox })
      }
    }
    return opened
  }

  /** Registers the control messages of a channel's edges. */
  #openEdges(policy: EdgePolicy, kinds: ControlKinds, rounds?: number): void {
    const { handlers, exchanges } = this.#peer
    handlers.set(kinds.skip, exchanges)
    handlers.set(kinds.withdraw, exchanges)
    exchanges.add(policy, kinds, rounds)
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
  gradient(x: Vector): PromiseLike<Vector> {
    const { fabric } = this.#peer
    const work = this.#peer.gradients.work(x, this.#round)
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

function isCall(channel: Shape | Call): channel is Call {
  return typeof channel.ask === 'object'
}

/**
 * Whether a message is its sender's `x`, which is the model where a role has no other: a whole vector, without numbers
 * that belong to it.
 */
function carriesModels(channel: Shape | Call): boolean {
  const [first, ...others] = Object.entries(channel)
  return first?.[0] === 'x' && first[1] === 'vector' && others.every(([, kind]) => kind === 'vector')
}
