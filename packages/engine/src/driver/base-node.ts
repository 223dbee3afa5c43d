import { byName, invariant, type Milliseconds, type PeerName, type Random } from '@murmuration/core'
import type { Tensor } from '../vectors/ranges.js'
import type { StepOf, Stepper } from '../record/optimiser-record.js'
import type { AnyRole, BaseNode, Mixing, OptimiserSettings, RoleName, Route, State } from '../record/record.js'
import { type Objects, objectsOf } from '../store/objects.js'
import type { Peer } from './peer.js'
import type { TrainingSettings } from './training.js'
import type { Vector } from '../vectors/vector.js'

const plainSgd = { name: 'sgd' }

/** What a node asks of the program whose rounds it serves. */
export interface NodeProgram {
  readonly record: TrainingSettings['algorithm']
  readonly role: AnyRole
  /** What the rate depends on. */
  readonly time: number
  gradient(x: Vector): PromiseLike<Vector>
  change(change: (state: State) => State): void
}

/** What an algorithm sees, without its channels. It is a class, since closures for each peer would cost memory. */
export class ProgramNode implements BaseNode<unknown, State> {
  readonly options: unknown
  readonly peers: (role?: RoleName) => readonly PeerName[]
  readonly rate: (round: number) => number
  readonly #peer: Peer
  readonly #program: NodeProgram
  readonly #settings: TrainingSettings
  #store: Objects | undefined

  constructor(peer: Peer, program: NodeProgram, settings: TrainingSettings, options: unknown) {
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

  gradient(x: Vector): PromiseLike<Vector> {
    return this.#program.gradient(x)
  }

  step(base: Vector, gradient: Vector, of?: StepOf): Vector {
    return this.#step('main', this.#settings.optimiser ?? plainSgd, base, gradient, of)
  }

  optimiser(name: string, chosen: OptimiserSettings): Stepper {
    return { step: (base, gradient, of) => this.#step(name, chosen, base, gradient, of) }
  }

  withStatistics(to: Vector, from: Vector, first?: number): Vector {
    return this.#peer.gradients.withStatistics(to, from, first)
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
