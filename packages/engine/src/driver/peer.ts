import {
  DivergedError,
  type Fabric,
  type Milliseconds,
  type NeighbourDistance,
  type Outlier,
  type PeerName,
  type SendResult,
  type Task
} from '@murmuration/core'
import { allFinite, isShorter, norm, squaredDistance } from '@murmuration/vectors'
import type { VectorMessage } from '@murmuration/wire'
import { optimiserOf } from './optimisers.js'
import { OutlierWatch, outlierText } from './outliers.js'
import type { StepOf } from '../record/optimiser-record.js'
import {
  type AnyRole,
  type Message,
  type OptimiserSettings,
  type PerPeer,
  type Route,
  type State
} from '../record/record.js'
import { inSlices } from '../vectors/slices.js'
import type { SmallList } from '../vectors/small-list.js'
import type { Tensor } from '../vectors/ranges.js'
import { keepUntrained, trainedOf } from '../vectors/untrained.js'
import { Gradients } from './gradients.js'
import { PeerEdges } from '../edges/peer-edges.js'
import { type Handler, Inbox } from '../messages/inbox.js'
import { type Layout, layoutOf } from '../vectors/layout.js'
import { maxSize, type Problem, type Refused, Sizes, suspectText, text, tooFar } from '../vectors/sizes.js'
import type { Expectation, Owner } from '../messages/owner.js'
import { Presence } from '../members/presence.js'
import { Mixings } from '../messages/route.js'
import type { TrainingSettings } from './training.js'
import { Arena, eachVector, isVector, type Keeper, type Range, reach, type Vector } from '../vectors/vector.js'
import { firstVectorOf } from '../messages/wire.js'

/** What happened in a round, for its report. */
export interface RoundNotes {
  readonly waited: Milliseconds
  readonly missing: readonly PeerName[]
  readonly unsent: readonly PeerName[]
  readonly distances: readonly NeighbourDistance[]
  readonly outliers: readonly Outlier[]
  /** The inputs and results of the run's optimiser. */
  readonly moves: readonly { readonly from: Vector; readonly to: Vector }[]
}

/** One peer of a run, whatever its algorithm: messages, memory, gradients, optimisers. */
export class Peer implements Owner, Keeper {
  readonly fabric: Fabric<VectorMessage>
  readonly arena: Arena
  readonly presence = new Presence()
  round = 0
  readonly rounds: number
  readonly timeout: Milliseconds
  readonly gradients: Gradients
  readonly mixings: Mixings
  readonly #inbox: Inbox
  readonly exchanges: PeerEdges
  /** The programs with their states. */
  programs: readonly { readonly state: State; model(): Vector | undefined }[] = nothing
  #origin: Vector | undefined
  /** The same, also when its numbers are released: to know a message that carries it. */
  #start: Vector | undefined
  /** The state of each optimiser, by name. */
  optimisers: Record<string, State> = {}
  /** The peers that were sent something since codecs restarted; undefined while none has to restart. */
  #informed: Set<PeerName> | undefined
  readonly #settings: TrainingSettings
  readonly #layout: Layout
  /** A server that only answers has no rounds. */
  readonly #hasReports: boolean
  #watch: OutlierWatch | undefined
  readonly #sizes: Sizes
  /** The size of this peer's own numbers, and in which round it was. */
  #own: { readonly round: number; readonly size: number } | undefined
  #waited = 0
  #waitedInAll = 0
  #missing: Set<PeerName> | undefined
  #unsent: Set<PeerName> | undefined
  #distances: readonly NeighbourDistance[] = nothing
  #outliers: readonly Outlier[] = nothing
  #moves: RoundNotes['moves'] = nothing

  constructor(fabric: Fabric<VectorMessage>, task: Task, settings: TrainingSettings, role: AnyRole) {
    this.fabric = fabric
    this.#inbox = new Inbox(fabric)
    this.#settings = settings
    this.#hasReports = role.round !== undefined
    this.exchanges = new PeerEdges(this)
    // A peer that answers at any time has no time to compute range by range.
    this.arena = new Arena(fabric, role.answers === undefined)
    this.arena.keeper = this
    this.#layout = layoutOf(task.schema, settings.fusion)
    this.rounds = settings.rounds + (settings.finalRounds ?? 0)
    this.timeout = settings.timeout
    this.mixings = new Mixings(fabric)
    const random = fabric.random.stream('batches')
    this.gradients = new Gradients(this.arena, task, settings, this.#layout.untrained, random, this)
    this.#sizes = new Sizes({ round: () => this.round, size: () => this.#ownSize() })
  }

  /** The parameters that all peers start with, as long as they are needed. */
  get origin(): Vector | undefined {
    return this.#origin
  }

  set origin(x: Vector | undefined) {
    this.#origin = x
    this.#start ??= x
  }

  get workers(): number {
    return this.#settings.workers.length
  }

  get length(): number {
    return this.#layout.length
  }

  /** Where each tensor lies in the parameters. */
  get tensors(): readonly Tensor[] {
    return this.#layout.tensors
  }

  get ranges(): readonly Range[] {
    return this.#layout.ranges
  }

  reach(sweep: number): void {
    for (const { state } of this.programs) reach(state, sweep)
    reach(this.optimisers, sweep)
    if (this.origin !== undefined) reach({ origin: this.origin }, sweep)
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

  until<Outcome>(expectation: Expectation<Outcome>): Promise<Outcome> {
    return this.#inbox.until(expectation)
  }

  /** One step of an optimiser. The peer keeps its state under `slot`: 'main' for the run's optimiser. */
  step(slot: string, settings: OptimiserSettings, base: Vector, gradient: Vector, of: Required<StepOf>): Vector {
    const { offset, round } = of
    const [optimiser, options] = optimiserOf(settings)
    const key = base.length === this.length ? slot : `${slot} ${offset}`
    const state = this.optimisers[key] ?? optimiser.start(options, base)
    const rate = this.#settings.rate(round)
    const next = optimiser.step(options, state, base, gradient, rate)
    this.optimisers[key] = next.state
    const isMain = slot === 'main'
    if (this.#layout.untrained.length > 0)
      next.x.whenDone((out) => keepUntrained(out, this.#layout.untrained, { base, gradient, first: offset, isMain }))
    next.x.whenDone((numbers) => {
      if (isShorter(numbers, maxSize)) return
      // Frozen parameters may be of any size.
      const isFinite = allFinite(numbers)
      const size = isFinite ? norm(trainedOf(numbers, this.#layout.untrained, offset)) : Number.POSITIVE_INFINITY
      if (size < maxSize) return
      throw this.diverged(round, `the parameters ${isFinite ? `grew to ${text(size)}` : 'are not finite'}`)
    })
    if (isMain && this.#hasReports) this.#report(base, next.x)
    return next.x
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
    this.#waited += time
    this.#waitedInAll += time
  }

  /** How long this peer has waited for others since its start, including the current wait. */
  get waitedInAll(): Milliseconds {
    return this.#waitedInAll + this.#inbox.waiting
  }

  unsent(peer: PeerName): void {
    this.#unsent ??= new Set()
    this.#unsent.add(peer)
  }

  missed(peers: readonly PeerName[]): void {
    this.#missing ??= new Set()
    for (const peer of peers) this.#missing.add(peer)
  }

  collected(
    { round, from }: Route,
    mine: Message | undefined,
    theirs: PerPeer<Message>,
    areModels: boolean
  ): readonly Refused[] | Promise<readonly Refused[]> {
    const ownVector = mine && firstVectorOf(mine)
    if (mine === undefined || ownVector?.length !== this.length) return this.#problemsOf(from, theirs, false)
    const x = ownVector.values
    const distances = new Array<{ readonly from: PeerName; distance: number }>(from.length)
    let count = 0
    for (const name of from) if (theirs[name] !== undefined) distances[count++] = { from: name, distance: 0 }
    distances.length = count
    const slices = inSlices(this.fabric, x.length, (start, end) => {
      for (const each of distances) {
        const { values } = firstVectorOf(theirs[each.from] as Message) as Vector
        each.distance += squaredDistance(x, values, start, end)
      }
    })
    const found = () => {
      const far = this.#note(round, distances, ownVector, areModels)
      return hasOther(mine, ownVector) ? this.#withOthers(far, from, theirs) : far
    }
    return slices === undefined ? found() : slices.then(found)
  }

  refuse(from: PeerName, round: number, { grade, reason }: Problem): void {
    if (grade === 'large') return
    this.fabric.reject({ from, message: { kind: 0, round, vector: new Float32Array(0) } }, reason)
  }

  problemOf(from: PeerName, message: Message, compared?: Vector): Problem | undefined {
    for (const field in message) {
      const value = message[field]
      if (!isVector(value) || value === compared) continue
      const problem = this.#sizes.problemOf(from, value.values)
      if (problem !== undefined) return problem
    }
    return undefined
  }

  /** @param isFirstCompared - whether the first vector of each message is compared with this peer's */
  #problemsOf(from: readonly PeerName[], theirs: PerPeer<Message>, isFirstCompared: boolean): readonly Refused[] {
    let refused: readonly Refused[] = nothing
    for (const name of from) {
      const message = theirs[name]
      const problem = message && this.problemOf(name, message, isFirstCompared ? firstVectorOf(message) : undefined)
      if (problem !== undefined) refused = [...refused, { ...problem, from: name }]
    }
    return refused
  }

  /** What must not be used of a round's messages, of which only the first vectors were compared with this peer's. */
  #withOthers(far: readonly Refused[], from: readonly PeerName[], theirs: PerPeer<Message>): readonly Refused[] {
    const others = this.#problemsOf(from, theirs, true)
    if (far.length === 0) return others
    return [...far, ...others.filter((other) => !far.some((each) => each.from === other.from))]
  }

  /**
   * Notes a round's distances for its report. Returns those that are too large to mix.
   *
   * @param distances - squared so far
   */
  #note(
    round: number,
    distances: { readonly from: PeerName; distance: number }[],
    ownVector: Vector,
    areModels: boolean
  ): readonly Refused[] {
    for (const each of distances) each.distance = Math.sqrt(each.distance)
    const normOf = () => norm(ownVector.values)
    this.#watch ??= new OutlierWatch(ownVector === this.#start)
    this.#outliers = this.#watch.take(round, distances, normOf)
    const far = tooFar(distances, normOf)
    if (areModels) this.#distances = far.length === 0 ? distances : distances.filter((each) => isNear(each, far))
    return far
  }

  /** The largest norm among this peer's model, or all vectors of its state, and its last gradient. */
  #ownSize(): number {
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

  /** What happened since the last call. */
  takeNotes(): RoundNotes {
    const others = this.#sizes.takeOutliers()
    const notes = {
      waited: this.#waited,
      missing: this.#missing === undefined ? noPeers : [...this.#missing],
      unsent: this.#unsent === undefined ? noPeers : [...this.#unsent],
      distances: this.#distances,
      outliers: others.length === 0 ? this.#outliers : [...this.#outliers, ...others],
      moves: this.#moves
    }
    this.#waited = 0
    this.#missing = undefined
    this.#unsent = undefined
    this.#distances = nothing
    this.#outliers = nothing
    this.#moves = nothing
    return notes
  }

  /** Restores the frozen parameters of the start, which sums have rounded. */
  keepFrozen(x: Vector): void {
    const start = this.origin
    if (start === undefined) return
    for (const { offset, length, momentum } of this.#layout.untrained) {
      if (momentum === 1) x.values.set(start.values.subarray(offset, offset + length), offset)
    }
  }

  /** Keeps a step for the report of the current round. */
  #report(from: Vector, to: Vector): void {
    from.isOfRound = true
    to.isOfRound = true
    const move = { from, to }
    this.#moves = this.#moves.length === 0 ? [move] : [...this.#moves, move]
  }

  /** Whether any parameter is frozen. */
  get hasFrozen(): boolean {
    return this.#layout.untrained.some(({ momentum }) => momentum === 1)
  }

  /** If training diverges after an outlier was mixed in, the error names its sender. */
  diverged(round: number, found: string): DivergedError {
    const { algorithm, rate } = this.#settings
    const compresses = Object.hasOwn(algorithm.options.shape, 'compressor')
    const advice = compresses ? 'lower the rate, or compress less' : 'lower the rate'
    const error = new DivergedError(
      `training diverged in round ${round}: ${found}, at a learning rate of ${rate(round)}; ${advice}`
    )
    const suspects = [...(this.#watch?.suspects ?? []).map(outlierText), ...this.#sizes.suspects.map(suspectText)]
    if (suspects.length === 0) return error
    return new DivergedError(
      `training diverged in round ${round} after ${suspects.join(', and ')}; a peer named here sends wrong numbers, ` +
        'or forwards those of another; if all of them train as they should, lower the rate',
      { cause: error }
    )
  }
}

function isNear({ from }: NeighbourDistance, far: readonly Refused[]): boolean {
  return far.every((each) => each.from !== from)
}

/** Whether a message has a vector besides its first one. */
function hasOther(message: Message, first: Vector): boolean {
  for (const field in message) if (message[field] !== first && isVector(message[field])) return true
  return false
}

const noPeers: readonly PeerName[] = []
const nothing: readonly never[] = []
