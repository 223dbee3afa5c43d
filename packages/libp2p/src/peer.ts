import { randomUUID } from 'node:crypto'
import type { Connection, Libp2p, Stream } from '@libp2p/interface'
import {
  type Fabric,
  InputError,
  type Links,
  type Milliseconds,
  NeighboursMissingError,
  type PeerName,
  RefusedError,
  StoppedError,
  type Topology
} from '@murmuration/core'
import { createRandom } from '@murmuration/random'
import { lengthOf, type VectorMessage } from '@murmuration/vectors'
import { Bell } from './bell.js'
import { realClock } from './clock.js'
import { controlProtocol, exchangeProtocol, type Limits, limitsOf } from './constants.js'
import type { LinkContext } from './context.js'
import type { PeerEvent, PeerEventListener } from './events.js'
import { NetworkFabric } from './fabric.js'
import type { Identity } from './identity.js'
import { Mailbox } from './mailbox.js'
import type { NeighbourStatus } from './neighbour.js'
import { Neighbourhood } from './neighbourhood.js'
import { createNode, startNode } from './node.js'
import { checkRoster, type RosterEntry } from './roster.js'
import { patientLimits } from './shaping/patience.js'
import { Shaper } from './shaping/shaper.js'
import type { Terms } from './terms.js'
import type { Traffic } from './traffic.js'
import { VectorPool } from './vector-pool.js'

/** What a peer needs to know before it listens. */
export interface PeerOptions {
  readonly self: PeerName
  readonly identity: Identity
  /** The neighbours are all peers that one of its rounds lets this peer send to or receive from. */
  readonly topology: Topology
  /** The seed of the run. The dice of the fabric depend on it and on `self`. */
  readonly seed: number
  /** Multiaddrs to listen on; port 0 takes a free one. */
  readonly listen: readonly string[]
  readonly terms: Terms
  readonly onEvent?: PeerEventListener
  readonly limits?: Partial<Limits>
  /**
   * Links that the connections of this peer are to be as slow as, for trying out real peers on one machine. All peers have to
   * be given the same. Shared pipes cannot be shaped. See {@link Shaper} for what is shaped.
   */
  readonly links?: Links | undefined
}

/** This machine's peer on the network. */
export interface Peer {
  /** The libp2p peer id. */
  readonly id: string
  /** The multiaddrs by which others reach it, its id included. */
  readonly addresses: readonly string[]
  readonly fabric: Fabric<VectorMessage>
  /**
   * Calls the neighbours and lets them call. To be called once. Resolves when all are ready in both directions.
   * Rejects with a NeighboursMissingError after `patience`, with a RefusedError as soon as one refuses or is refused, with an
   * InputError for a roster that does not fit, and with a StoppedError when stopped. The links are kept up, also
   * after a rejection, until `close`.
   */
  connect(roster: readonly RosterEntry[], patience: Milliseconds): Promise<void>
  /** How things stand with each neighbour, in the order of their names. */
  neighbours(): readonly NeighbourStatus[]
  /** What was sent and received, over all neighbours. */
  traffic(): Traffic
  /** Makes the fabric's waits reject with a StoppedError. The links stay up, so that `close` can say goodbye. */
  stop(reason?: string): void
  /** Stops, waits (no longer than `limits.closePatience`) for acknowledgements, tells the neighbours, and shuts down. */
  close(reason?: string): Promise<void>
}

/** Creates a peer that listens. Until `connect` has told it who is who, it lets nobody in. Throws InputErrors. */
export async function createPeer(options: PeerOptions): Promise<Peer> {
  if (!options.topology.peers.includes(options.self)) {
    throw new InputError(`"${options.self}" is no peer of the topology; it has ${options.topology.peers.join(', ')}`)
  }
  const shaper = shaperOf(options, (id) => peer.nameOf(id))
  const limits = patientLimits(limitsOf(options.limits), shaper?.slowness ?? 0)
  const { identity, listen } = options
  const refusalOf = (id: string, address: string) => peer.refusalOf(id, address)
  const node = await createNode({ identity, listen, limits, refusalOf, shaper })
  const peer = new NetworkPeer(options, limits, node, shaper)
  await peer.start()
  return peer
}

function shaperOf(
  { links, self, topology, seed, terms }: PeerOptions,
  nameOf: (id: string) => PeerName | undefined
): Shaper | undefined {
  if (links === undefined) return undefined
  const random = createRandom(seed, self).stream('links')
  return new Shaper({ links, self, topology, frameBytes: 4 * lengthOf(terms.schema), nameOf, random })
}

class NetworkPeer implements Peer {
  readonly id: string
  readonly fabric: NetworkFabric
  readonly #options: PeerOptions
  readonly #limits: Limits
  readonly #node: Libp2p
  readonly #shaper: Shaper | undefined
  readonly #neighbourhood: Neighbourhood
  readonly #mailbox: Mailbox<VectorMessage>
  readonly #pool: VectorPool
  readonly #stopping = new AbortController()
  readonly #closing = new AbortController()
  readonly #changed = new Bell()
  readonly #strangers = new Set<string>()
  #closed: Promise<void> | undefined

  constructor(options: PeerOptions, limits: Limits, node: Libp2p, shaper: Shaper | undefined) {
    this.#options = options
    this.#limits = limits
    this.#node = node
    this.#shaper = shaper
    this.id = options.identity.id
    this.#pool = new VectorPool(lengthOf(options.terms.schema))
    this.#mailbox = new Mailbox(realClock, (from) => this.#neighbourhood.taken(from))
    this.fabric = this.#createFabric()
    this.#neighbourhood = new Neighbourhood(this.#context(), options.topology, this.#changed)
  }

  get addresses(): readonly string[] {
    return this.#node.getMultiaddrs().map(String)
  }

  async start(): Promise<void> {
    const { node, neighbourhood } = { node: this.#node, neighbourhood: this.#neighbourhood }
    const streams = { maxInboundStreams: 8, maxOutboundStreams: 8 }
    const control = (stream: Stream, connection: Connection) => neighbourhood.control(stream, connection)
    const exchange = (stream: Stream, connection: Connection) => neighbourhood.exchange(stream, connection)
    await node.handle(controlProtocol, control, streams)
    await node.handle(exchangeProtocol, exchange, streams)
    node.addEventListener('connection:open', ({ detail }) => neighbourhood.encourage(detail.remotePeer.toString()))
    await startNode(node, this.#options.listen)
    this.#emit({ kind: 'listening', addresses: this.addresses })
  }

  /** Why somebody may not connect, told once per peer id and roster. */
  refusalOf(id: string, address: string): string | undefined {
    const why = this.#neighbourhood.refusalOf(id)
    if (why !== undefined && !this.#strangers.has(id) && this.#strangers.size < 1000) {
      this.#strangers.add(id)
      this.#emit({ kind: 'stranger-refused', id, address, why })
    }
    return why
  }

  nameOf(id: string): PeerName | undefined {
    return this.#neighbourhood.nameOf(id)
  }

  async connect(entries: readonly RosterEntry[], patience: Milliseconds): Promise<void> {
    this.#stopping.signal.throwIfAborted()
    const deadline = realClock.now() + patience
    const roster = checkRoster(entries)
    const own = roster.byName.get(this.#options.self)
    if (own !== undefined && own.id !== this.id) {
      throw new InputError(`the roster says that "${own.name}" is ${own.id}, but this peer's key gives ${this.id}`)
    }
    this.#neighbourhood.open(roster)
    this.#strangers.clear()
    while (!this.#complete()) {
      if (realClock.now() >= deadline) throw this.#missing(patience)
      await this.#changed.wait(deadline)
      this.#stopping.signal.throwIfAborted()
    }
  }

  neighbours(): readonly NeighbourStatus[] {
    return this.#neighbourhood.statuses()
  }

  traffic(): Traffic {
    return this.#neighbourhood.traffic()
  }

  stop(reason?: string): void {
    if (this.#stopping.signal.aborted) return
    const error = new StoppedError(reason)
    this.#stopping.abort(error)
    this.#mailbox.stop(error)
    this.#changed.ring()
  }

  close(reason = 'done'): Promise<void> {
    this.#closed ??= this.#close(reason)
    return this.#closed
  }

  async #close(reason: string): Promise<void> {
    this.stop()
    const deadline = realClock.now() + this.#limits.closePatience
    while (this.#neighbourhood.unacknowledged > 0 && realClock.now() < deadline) await this.#changed.wait(deadline)
    await this.#neighbourhood.bye(reason)
    this.#closing.abort(new StoppedError('the peer closes'))
    this.#neighbourhood.stop()
    await this.#shaper?.flush(this.#limits.closePatience)
    await this.#node.stop()
    await this.#neighbourhood.ended
  }

  /** Whether all neighbours are ready. Throws when one never will be. */
  #complete(): boolean {
    const refused = this.#neighbourhood.refused()
    if (refused !== undefined) {
      const { name, refusal } = refused
      const who =
        refusal.by === 'us' ? `"${this.#options.self}" refuses "${name}"` : `"${name}" refuses "${this.#options.self}"`
      throw new RefusedError(name, refusal.code, `${who}: ${refusal.why}`)
    }
    return this.neighbours().every(({ state }) => state === 'ready')
  }

  #missing(patience: Milliseconds): NeighboursMissingError {
    const all = this.neighbours()
    const missing = all.filter(({ state }) => state !== 'ready')
    const list = missing.map(({ name, state, why }) => `${name} (${state}: ${why})`).join(', ')
    return new NeighboursMissingError(
      missing.map(({ name }) => name),
      `after ${patience / 1000} s, ${missing.length} of ${all.length} neighbours are missing: ${list}`
    )
  }

  #createFabric(): NetworkFabric {
    const { self, seed, topology, terms } = this.#options
    return new NetworkFabric({
      self,
      random: createRandom(seed, self),
      topology,
      elements: lengthOf(terms.schema),
      mailbox: this.#mailbox,
      pool: this.#pool,
      signal: this.#stopping.signal,
      offer: (to, message) => this.#neighbourhood.offer(to, message),
      onFailure: (why) => {
        this.#emit({ kind: 'activity-failed', why })
        this.stop(`a spawned activity failed: ${why}`)
      }
    })
  }

  #context(): LinkContext {
    const { self, terms } = this.#options
    return {
      node: this.#node,
      self,
      terms,
      elements: lengthOf(terms.schema),
      pool: this.#pool,
      limits: this.#limits,
      // Not from the seeded dice: the point is that another process with the same seed draws another.
      incarnation: randomUUID(),
      mailbox: this.#mailbox,
      random: this.fabric.random.stream('reconnecting'),
      closing: this.#closing.signal,
      emit: (event) => this.#emit(event),
      round: () => this.fabric.round
    }
  }

  #emit(event: PeerEvent): void {
    this.#options.onEvent?.(event)
  }
}
