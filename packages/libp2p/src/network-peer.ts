import { randomUUID } from 'node:crypto'
import { setMaxListeners } from 'node:events'
import type { Connection, Libp2p, Stream } from '@libp2p/interface'
import {
  InputError,
  type Milliseconds,
  NeighboursMissingError,
  type PeerName,
  RefusedError,
  StoppedError
} from '@murmuration/core'
import { createRandom } from '@murmuration/random'
import { lengthOf } from '@murmuration/vectors'
import type { VectorMessage } from '@murmuration/wire'
import { Signal } from './signal.js'
import { realClock } from './clock.js'
import { CodecChoice } from './codec-choice.js'
import { controlProtocol, exchangeProtocol, type Limits } from './constants.js'
import type { LinkContext } from './context.js'
import { paddingMost } from './control-messages.js'
import type { PeerEvent } from './events.js'
import { NetworkFabric } from './fabric.js'
import { Mailbox } from './mailbox.js'
import type { NeighbourStatus } from './neighbour.js'
import { neededBy, Neighbourhood } from './neighbourhood.js'
import { startNode } from './node.js'
import type { Peer, PeerOptions } from './peer.js'
import { checkRoster, type RosterEntry } from './roster.js'
import { SampleCounts, samplesProtocol } from './sample-counts.js'
import { weightOf } from './send-queue.js'
import type { Shaper } from './shaping/shaper.js'
import type { Traffic } from './traffic.js'
import { Turns } from './turns.js'
import { VectorPool } from './vector-pool.js'

/** The longest that the answer to a ping is waited for. */
const pingPatience: Milliseconds = 10_000

/** How often neighbours are asked for sample counts until all are known. */
const askEvery: Milliseconds = 100

/** A peer over its libp2p node. */
export class NetworkPeer implements Peer {
  readonly id: string
  readonly fabric: NetworkFabric
  readonly #options: PeerOptions
  readonly #limits: Limits
  readonly #node: Libp2p
  readonly #shaper: Shaper | undefined
  readonly #neighbourhood: Neighbourhood
  readonly #mailbox: Mailbox<VectorMessage>
  readonly #pool: VectorPool
  readonly #codec: CodecChoice
  readonly #stopping = new AbortController()
  readonly #closing = new AbortController()
  readonly #changed = new Signal()
  readonly #strangers = new Set<string>()
  readonly #samples: SampleCounts
  #closed: Promise<void> | undefined

  constructor(options: PeerOptions, limits: Limits, node: Libp2p, shaper: Shaper | undefined) {
    this.#options = options
    this.#limits = limits
    this.#node = node
    this.#shaper = shaper
    this.#codec = new CodecChoice(options.codec ?? 'float32')
    this.id = options.identity.id
    this.#samples = new SampleCounts(options.self, options.topology.peers, limits.handshakeTimeout)
    // Each neighbour's link listens to it, and there may be many.
    setMaxListeners(0, this.#closing.signal)
    this.#pool = new VectorPool(lengthOf(options.terms.schema))
    this.#mailbox = new Mailbox<VectorMessage>(realClock, (from) => this.#neighbourhood.taken(from), weightOf)
    this.fabric = this.#createFabric()
    this.#neighbourhood = new Neighbourhood(this.#context(), neededBy(options), this.#changed)
  }

  get vectorsBeyond(): number {
    return this.#pool.beyond
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
    await node.handle(samplesProtocol, (stream) => this.#samples.answer(stream), streams)
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

  /** Whether a peer of the roster is at this IP address. */
  isKnownHost(host: string): boolean {
    return this.#neighbourhood.isKnownHost(host)
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

  async shareSampleCounts(samples: number, patience: Milliseconds): Promise<ReadonlyMap<PeerName, number>> {
    const deadline = realClock.now() + patience
    this.#samples.tell(samples)
    for (;;) {
      await this.#askForSamples()
      const { missing } = this.#samples
      if (missing.length === 0) return this.#samples.known()
      if (realClock.now() >= deadline) {
        const list = missing.join(', ')
        throw new NeighboursMissingError(
          missing,
          `after ${patience / 1000} s, the sample counts of ${list} have not come`
        )
      }
      await this.fabric.sleep(realClock.now() + askEvery)
    }
  }

  /** Asks all neighbours at once. One that does not answer is asked again; one that contradicts another ends the run. */
  async #askForSamples(): Promise<void> {
    const asked = this.#neighbourhood.connections().map(([name, connection]) => this.#samples.ask(name, connection))
    for (const result of await Promise.allSettled(asked)) {
      if (result.status === 'rejected' && result.reason instanceof InputError) throw result.reason
    }
  }

  neighbours(): readonly NeighbourStatus[] {
    return this.#neighbourhood.statuses()
  }

  traffic(): Traffic {
    return this.#neighbourhood.traffic()
  }

  roundTrip(neighbour: PeerName, bytes = 0): Promise<Milliseconds | undefined> {
    if (!(bytes >= 0 && bytes <= paddingMost)) throw new RangeError(`${bytes} bytes of padding; at most ${paddingMost}`)
    return this.#neighbourhood.roundTrip(neighbour, bytes, realClock.now() + pingPatience)
  }

  stop(reason?: string): void {
    if (this.#stopping.signal.aborted) return
    const error = new StoppedError(reason)
    this.#stopping.abort(error)
    this.#mailbox.stop(error)
    this.#changed.notify()
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
    return this.#neighbourhood.isReady
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
      reject: (from, reason) => this.#neighbourhood.reject(from, reason),
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
      codec: this.#codec,
      // Not from the seeded dice: the point is that another process with the same seed draws another.
      incarnation: randomUUID(),
      turns: new Turns(this.#limits.dialsAtOnce),
      mailbox: this.#mailbox,
      random: this.fabric.random.stream('reconnecting'),
      sender: this.fabric.random,
      closing: this.#closing.signal,
      emit: (event) => this.#emit(event),
      round: () => this.fabric.round
    }
  }

  #emit(event: PeerEvent): void {
    this.#options.onEvent?.(event)
  }
}
