import type { Fabric, Milliseconds, PeerName, SendResult, Task } from '@murmuration/core'
import { norm } from '@murmuration/vectors'
import type { VectorMessage } from '@murmuration/wire'
import type { AnyRole, Message, PerPeer, Route, State } from '../record/record.js'
import type { SmallList } from '../vectors/small-list.js'
import { Gradients, openLines } from './gradients.js'
import { PeerEdges } from '../edges/peer-edges.js'
import { type Handler, Inbox } from '../messages/inbox.js'
import { type Layout, layoutOf } from '../vectors/layout.js'
import type { MessageProblem, Refused } from '../vectors/sizes.js'
import type { Expectation, Owner } from '../messages/owner.js'
import type { Participants } from '../members/participants.js'
import { Presence } from '../members/presence.js'
import { Mixings } from '../messages/route.js'
import { MessageChecks } from './message-checks.js'
import { OptimiserSteps } from './optimiser-steps.js'
import { Origin } from './origin.js'
import { type RoundFacts, RoundNotes } from './round-notes.js'
import type { TrainingSettings } from './training.js'
import { Arena, eachVector, type Keeper, type Range, reach, type Vector } from '../vectors/vector.js'

/** One peer of a run, whatever its algorithm: messages, memory, gradients, optimisers. */
export class Peer implements Owner, Keeper {
  readonly fabric: Fabric<VectorMessage>
  readonly arena: Arena
  readonly presence: Presence
  round = 0
  readonly rounds: number
  readonly timeout: Milliseconds
  readonly workers: number
  readonly layout: Layout
  readonly gradients: Gradients
  readonly optimisers: OptimiserSteps
  readonly mixings: Mixings
  readonly edges: PeerEdges
  readonly origin: Origin
  readonly notes = new RoundNotes()
  /** The programs with their states. */
  programs: readonly { readonly state: State; model(): Vector | undefined }[] = nothing
  readonly #inbox: Inbox
  readonly #checks: MessageChecks
  /** The peers that were sent something since codecs restarted; undefined while none has to restart. */
  #informed: Set<PeerName> | undefined
  /** The size of this peer's own numbers, and in which round it was. */
  #own: { readonly round: number; readonly size: number } | undefined

  constructor(
    fabric: Fabric<VectorMessage>,
    task: Task,
    settings: TrainingSettings,
    role: AnyRole,
    members: Participants
  ) {
    this.fabric = fabric
    this.presence = new Presence(members)
    this.#inbox = new Inbox(fabric)
    this.edges = new PeerEdges(this)
    // A peer that answers at any time has no time to compute range by range.
    this.arena = new Arena(fabric, role.answers === undefined)
    this.arena.keeper = this
    this.layout = layoutOf(task.schema, settings.fusion)
    this.rounds = settings.rounds + (settings.finalRounds ?? 0)
    this.timeout = settings.timeout
    this.workers = settings.workers.length
    this.mixings = new Mixings(fabric)
    this.origin = new Origin(this.layout.untrained)
    this.#checks = new MessageChecks(this, settings)
    const random = fabric.random.stream('batches')
    this.gradients = new Gradients(this.arena, task, settings, this.layout.untrained, random, this.#checks)
    this.gradients.lines = openLines(this, task, settings)
    // A server that only answers has no rounds, and reports none.
    this.optimisers = new OptimiserSteps(
      this.layout,
      settings.rate,
      this.#checks,
      role.round === undefined ? undefined : this.notes
    )
  }

  get length(): number {
    return this.layout.length
  }

  get ranges(): readonly Range[] {
    return this.layout.ranges
  }

  get neighbours(): ReadonlySet<PeerName> {
    return this.mixings.neighbours
  }

  /** The handlers of messages, by kind. */
  get handlers(): SmallList<Handler> {
    return this.#inbox.handlers
  }

  /** The peers that this one waits for now. */
  get awaited(): readonly PeerName[] {
    return this.#inbox.awaited
  }

  reach(sweep: number): void {
    for (const { state } of this.programs) reach(state, sweep)
    reach(this.optimisers.states, sweep)
    if (this.origin.x !== undefined) reach({ origin: this.origin.x }, sweep)
  }

  until<Outcome>(expectation: Expectation<Outcome>): Promise<Outcome> {
    return this.#inbox.until(expectation)
  }

  /** Makes codecs independent of everything that was sent before. */
  startCodecsAnew(): void {
    this.#informed = new Set()
  }

  send(to: PeerName, message: VectorMessage): SendResult {
    const informed = this.#informed
    if (informed === undefined || informed.has(to)) return this.fabric.send(to, message)
    const result = this.fabric.send(to, { ...message, startsAnew: true })
    if (result === 'queued') informed.add(to)
    return result
  }

  waited(time: Milliseconds): void {
    this.notes.waited(time)
  }

  /** How long this peer has waited for others since its start, including the current wait. */
  get waitedInAll(): Milliseconds {
    return this.notes.waitedInAll + this.#inbox.waiting
  }

  unsent(peer: PeerName): void {
    this.notes.unsent(peer)
  }

  missed(peers: readonly PeerName[]): void {
    this.notes.missed(peers)
  }

  collected(
    route: Route,
    mine: Message | undefined,
    theirs: PerPeer<Message>,
    areModels: boolean
  ): readonly Refused[] | Promise<readonly Refused[]> {
    return this.#checks.collected(route, mine, theirs, areModels)
  }

  refuse(from: PeerName, round: number, problem: MessageProblem): void {
    this.#checks.refuse(from, round, problem)
  }

  problemOf(from: PeerName, message: Message): MessageProblem | undefined {
    return this.#checks.problemOf(from, message)
  }

  /** What happened since the last call. */
  takeNotes(): RoundFacts {
    const others = this.#checks.takeOutliers()
    const facts = this.notes.take()
    return others.length === 0 ? facts : { ...facts, outliers: [...facts.outliers, ...others] }
  }

  /** The largest norm among this peer's model, or all vectors of its state, and its last gradient. */
  get ownSize(): number {
    if (this.#own?.round === this.round) return this.#own.size
    let { size } = this.gradients
    const add = ({ values }: Vector) => (size = Math.max(size, norm(values)))
    for (const program of this.programs) {
      const model = program.model()
      if (model === undefined) eachVector(program.state, add)
      else add(model)
    }
    this.#own = { round: this.round, size }
    return size
  }
}

const nothing: readonly never[] = []
