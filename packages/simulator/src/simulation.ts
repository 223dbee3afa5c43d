import {
  type Envelope,
  type Fabric,
  invariant,
  type Links,
  type Milliseconds,
  type PeerName,
  type SendResult,
  StoppedError,
  type Topology,
  type Wire,
  type Work
} from '@murmuration/core'
import { createRandom } from '@murmuration/random'
import { SimulatedFabric, type World } from './fabric.js'
import { Kernel, Program } from './kernel.js'
import { Mailbox } from './mailbox.js'

/** An endpoint beyond the peers. */
export interface Server {
  readonly name: PeerName
  /** Whose machine it runs on, and so whose line it shares; its own when absent. */
  readonly on?: PeerName
}

/** Links that are alike everywhere: one-way latency in milliseconds, bandwidth of each peer's line in bits per second. */
export function uniformLinks({ latency = 0, bandwidth = Number.POSITIVE_INFINITY }): Links {
  const infinite = Number.POSITIVE_INFINITY
  const path = { latency, jitter: 0, loss: 0, bandwidth: infinite, window: infinite, pipes: [] }
  return { access: () => ({ up: bandwidth, down: bandwidth }), path: () => path }
}

/** What is simulated. */
export interface SimulationOptions<Message> {
  readonly topology: Topology
  readonly seed: number
  readonly wire: Wire<Message>
  /**
   * Endpoints beyond the topology's peers, such as parameter servers. They have no neighbours and run the same program,
   * which goes by `fabric.self`. Everybody can send to everybody.
   */
  readonly servers?: readonly Server[]
  /** The network between them; {@link uniformLinks} for one that is alike everywhere. */
  readonly links: Links
  /** What a peer's computing takes. */
  readonly cost: (work: Work<unknown>, peer: PeerName) => Milliseconds
  /** Messages from one peer to another that are under way or wait in the mailbox; one more is 'full'. */
  readonly queueLimit?: number
  /** When a peer is told to stop. */
  readonly stops?: ReadonlyMap<PeerName, Milliseconds>
}

/** What a simulation came to. */
export interface SimulationResult {
  /** Virtual time at the end. */
  readonly elapsed: Milliseconds
  readonly messages: number
  readonly bytes: number
}

/** What each peer runs. A failure ends the simulation, a {@link StoppedError} only this peer. */
export type PeerProgram<Message> = (fabric: Fabric<Message>) => Promise<void>

/**
 * Runs `program` on every peer of the topology in virtual time, until all have ended. The same options give the same
 * result. Rejects with the first error of a program, and with a DeadlockError when all wait for ever.
 */
export async function simulate<Message>(
  options: SimulationOptions<Message>,
  program: PeerProgram<Message>
): Promise<SimulationResult> {
  const network = new Network(options)
  return network.run(program)
}

class Network<Message> {
  readonly #options: SimulationOptions<Message>
  readonly #endpoints: readonly PeerName[]
  readonly #kernel = new Kernel()
  readonly #mailboxes: ReadonlyMap<PeerName, Mailbox<Message>>
  readonly #stop: ReadonlyMap<PeerName, AbortController>
  readonly #pending = new Map<string, number>()
  #failure: { readonly error: unknown } | undefined
  #messages = 0
  #bytes = 0

  constructor(options: SimulationOptions<Message>) {
    this.#options = options
    this.#endpoints = [...options.topology.peers, ...(options.servers ?? []).map(({ name }) => name)]
    this.#mailboxes = new Map(this.#endpoints.map((peer) => [peer, new Mailbox<Message>()]))
    this.#stop = new Map(this.#endpoints.map((peer) => [peer, new AbortController()]))
  }

  async run(program: PeerProgram<Message>): Promise<SimulationResult> {
    for (const peer of this.#endpoints) this.#start(peer, program)
    for (const [peer, time] of this.#options.stops ?? []) {
      this.#kernel.schedule(time, () => this.#stop.get(peer)?.abort(new StoppedError()))
    }
    await this.#kernel.run()
    if (this.#failure !== undefined) throw this.#failure.error
    return { elapsed: this.#kernel.now(), messages: this.#messages, bytes: this.#bytes }
  }

  #start(peer: PeerName, program: PeerProgram<Message>): void {
    const handle = new Program(peer)
    const fabric = new SimulatedFabric(this.#worldOf(peer), handle)
    this.#kernel.start(
      handle,
      () => program(fabric),
      (error) => this.#ended(error)
    )
  }

  /** After the first failure all peers are stopped, so that the simulation ends. */
  #ended(error: unknown): void {
    if (error === undefined || error instanceof StoppedError || this.#failure !== undefined) return
    this.#failure = { error }
    for (const controller of this.#stop.values()) controller.abort(new StoppedError())
  }

  #worldOf(peer: PeerName): World<Message> {
    const { topology, seed, cost } = this.#options
    return {
      kernel: this.#kernel,
      mailbox: this.#mailboxOf(peer),
      random: createRandom(seed, peer),
      signal: (this.#stop.get(peer) as AbortController).signal,
      mixing: (round) => topology.mixing(peer, round),
      send: (to, message) => this.#send(peer, to, message),
      taken: (envelope) => this.#count(envelope.from, peer, -1),
      cost: (work) => cost(work, peer),
      spawn: (activity) => this.#start(peer, activity)
    }
  }

  #send(from: PeerName, to: PeerName, message: Message): SendResult {
    const { wire, links, queueLimit = 8 } = this.#options
    const { latency } = links.path(from, to)
    if (!this.#mailboxes.has(to)) return 'unreachable'
    if (this.#count(from, to, 0) >= queueLimit) return 'full'
    this.#count(from, to, 1)
    this.#messages++
    this.#bytes += wire.byteLength(message)
    const envelope: Envelope<Message> = { from, message: wire.copy(message) }
    this.#kernel.schedule(this.#kernel.now() + latency, () => this.#mailboxOf(to).deliver(envelope))
    return 'queued'
  }

  /** Changes how many messages are pending on a link, and says how many there are then. */
  #count(from: PeerName, to: PeerName, change: number): number {
    const link = `${from} ${to}`
    const pending = (this.#pending.get(link) ?? 0) + change
    invariant(pending >= 0, () => `${to} took more messages of ${from} than were sent`)
    this.#pending.set(link, pending)
    return pending
  }

  #mailboxOf(peer: PeerName): Mailbox<Message> {
    return this.#mailboxes.get(peer) as Mailbox<Message>
  }
}
