import type { Connection, Libp2p, StreamHandler } from '@libp2p/interface'
import {
  InputError,
  type Milliseconds,
  NeighboursMissingError,
  type PeerName,
  RefusedError,
  StoppedError
} from '@murmuration/core'
import { hashText } from '@murmuration/vectors'
import { AdmissionDesk, oncePerConnection } from './admission/desk.js'
import { admissionProtocol } from './admission/protocol.js'
import { afterTurn, onWaking, realClock } from './base/clock.js'
import { controlProtocol, exchangeProtocol, type Limits } from './base/constants.js'
import type { LinkContext } from './links/context.js'
import { maxPadding } from './links/control-messages.js'
import { contextOf } from './create-context.js'
import type { PeerEvent } from './base/events.js'
import { NetworkFabric } from './fabric.js'
import { OwnReach } from './discovery/own-reach.js'
import { SharedFacts } from './questions/shared-facts.js'
import { neededBy } from './base/membership.js'
import type { NeighbourStatus } from './links/neighbour.js'
import { Listening } from './links/notes.js'
import { startNode } from './node/node.js'
import type { Peer, PeerOptions } from './peer.js'
import type { PeerDirectory } from './addresses/peer-directory.js'
import { PeerSet } from './links/peer-set.js'
import { checkPeerList, type PeerListEntry, runOf } from './addresses/peer-list.js'
import type { Circuit } from './relay/circuit.js'
import type { Shaper } from './shaping/shaper.js'
import { IdentitySigner } from './base/signer.js'
import type { Traffic } from './base/traffic.js'

/** The timeout of a ping. */
const pingTimeout: Milliseconds = 10_000

/** The time in which a link must answer after this machine may have slept. */
const wakingTimeout: Milliseconds = 5_000

/** A peer over its libp2p node. */
export class NetworkPeer implements Peer {
  readonly id: string
  readonly fabric: NetworkFabric
  readonly signer: IdentitySigner
  readonly #options: PeerOptions
  readonly #context: LinkContext
  readonly #peers: PeerSet
  readonly #shaper: Shaper | undefined
  readonly #facts: SharedFacts
  readonly #reach: OwnReach
  readonly #desk: AdmissionDesk | undefined
  readonly #closing = new AbortController()
  #closed: Promise<void> | undefined
  #isAborted = false

  /**
   * @param directory - decides which peers may connect to the node
   * @param circuit - the node's connections through relays
   */
  constructor(
    options: PeerOptions,
    limits: Limits,
    node: Libp2p,
    directory: PeerDirectory,
    circuit: Circuit,
    shaper?: Shaper
  ) {
    const { identity, self, topology } = options
    this.id = identity.id
    this.signer = new IdentitySigner(identity, options.runSettings, (name) => directory.entry(name)?.id)
    this.#options = options
    this.#shaper = shaper
    const places = new Set(options.admission?.places)
    const listed = topology.peers.filter((name) => !places.has(name))
    const listening = new Listening((error) => this.fabric.fail('the listener of notes', error))
    const onEvent = (event: PeerEvent) => this.#onEvent(event)
    const signal = this.#closing.signal
    this.#context = contextOf({ ...options, onEvent }, limits, node, directory, signal, listening)
    const { admission } = options
    this.#peers = new PeerSet(this.#context, neededBy(options), admission?.places)
    const onRemoved = (error: RefusedError) => this.fabric.stop(error)
    this.#desk = admission && new AdmissionDesk(this.#context, this.#peers, admission, onRemoved)
    const desk = this.#desk
    this.#context.greet = desk && oncePerConnection((connection) => desk.greet(connection))
    directory.mayKnock = this.#desk !== undefined
    directory.isShutOut = (name) => this.#peers.isShutOut(name)
    directory.onFlood = (connection, detail) => this.#peers.flooded(connection, detail)
    this.fabric = new NetworkFabric(this.#context, topology, this.#peers)
    const { servers = [] } = options
    this.#facts = new SharedFacts(
      { self, peers: listed, servers, timeout: limits.handshakeTimeout },
      this.fabric,
      this.#peers
    )
    this.#reach = new OwnReach(options, this.#context, this.#peers, circuit)
  }

  get sendingTime(): Milliseconds {
    return this.#context.sending.total
  }

  get vectorsBeyond(): number {
    return this.#context.pool.beyond
  }

  get incarnation(): string {
    return this.#context.incarnation
  }

  get addresses(): readonly string[] {
    return this.#reach.addresses
  }

  /** Rejects, too, if the peer was aborted meanwhile. */
  async start(): Promise<void> {
    this.#options.signal?.addEventListener('abort', this.#aborted)
    const { node } = this.#context
    const peers = this.#peers
    const streams = { maxInboundStreams: 8, maxOutboundStreams: 8, runOnLimitedConnection: true }
    await node.handle(controlProtocol, (stream, connection) => peers.control(stream, connection), streams)
    await node.handle(exchangeProtocol, (stream, connection) => peers.exchange(stream, connection), streams)
    const questions = { ...this.#facts.handlers, ...this.#reach.handlers }
    for (const [protocol, handler] of Object.entries(questions)) {
      await node.handle(protocol, this.#fromPeers(handler), streams)
    }
    if (this.#desk !== undefined) {
      const desk = this.#desk
      await node.handle(admissionProtocol, (stream, connection) => desk.serve(stream, connection), streams)
    }
    node.addEventListener('connection:open', ({ detail }) => {
      this.#desk?.opened(detail)
      greet(this.#context, detail)
      peers.connected(detail)
    })
    await startNode(node, this.#options.listen)
    await this.#reach.start()
    onWaking(() => (this.#reach.look(), askLinks(this.#peers, this.#closing.signal)), this.#closing.signal)
    // An abort before `start` had no listener.
    if (this.#options.signal?.aborted) this.#aborted()
    this.fabric.signal.throwIfAborted()
  }

  /** Answers only peers of the peer list: a seed that this peer has dialled could ask, too. */
  #fromPeers(handler: StreamHandler): StreamHandler {
    return (stream, connection) => {
      if (this.#context.directory.nameOf(connection.remotePeer.toString()) !== undefined)
        return handler(stream, connection)
      stream.abort(new Error('not in the peer list'))
    }
  }

  meet(entries: readonly PeerListEntry[]): void {
    this.fabric.signal.throwIfAborted()
    const peerList = checkPeerList(entries)
    const ownEntry = peerList.byName.get(this.#options.self)
    if (ownEntry !== undefined && ownEntry.id !== this.id) {
      throw new InputError(
        `the peer list says that "${ownEntry.name}" is ${ownEntry.id}, but this peer's key gives ${this.id}`
      )
    }
    this.#peers.open(peerList)
    this.#desk?.open()
    const { admission } = this.#options
    this.#reach.seek(admission === undefined ? runOf(peerList) : hashText(admission.runKey))
  }

  hurry(): void {
    for (const { outgoing } of this.#peers.sessions.values()) outgoing.hurry()
  }

  async connect(entries: readonly PeerListEntry[], timeout: Milliseconds): Promise<void> {
    const deadline = realClock.now() + timeout
    this.meet(entries)
    for (;;) {
      if (this.refusal !== undefined) throw this.refusal
      if (this.#peers.isReady) return
      if (realClock.now() >= deadline) throw this.#missingError(timeout)
      await this.#context.changed.wait(deadline)
      this.fabric.signal.throwIfAborted()
    }
  }

  exchangeSampleCounts(samples: number, timeout: Milliseconds): Promise<ReadonlyMap<PeerName, number>> {
    return this.#facts.exchangeSampleCounts(samples, timeout)
  }

  exchangeCheckpoints(
    rounds: readonly number[],
    timeout: Milliseconds,
    gone: readonly PeerName[] = []
  ): Promise<ReadonlyMap<PeerName, readonly number[]>> {
    return this.#facts.exchangeCheckpoints(rounds, timeout, gone)
  }

  exchangeSaved(round: number): Promise<readonly number[]> {
    return this.#facts.exchangeSaved(round)
  }

  neighbours(): readonly NeighbourStatus[] {
    return this.#peers.statuses()
  }

  get unreached(): readonly string[] {
    return this.#reach.problems
  }

  traffic(): Traffic {
    return this.#peers.traffic()
  }

  roundTrip(neighbour: PeerName, bytes = 0): Promise<Milliseconds | undefined> {
    if (!(bytes >= 0 && bytes <= maxPadding))
      throw new RangeError(`${bytes} bytes of padding, expected at most ${maxPadding}`)
    const session = this.#peers.sessions.get(neighbour)
    return session?.roundTrip(bytes, realClock.now() + pingTimeout) ?? Promise.resolve(undefined)
  }

  stop(reason?: string | Error): void {
    this.fabric.stop(reason instanceof Error ? reason : new StoppedError(reason))
  }

  readonly #aborted = (): void => this.abort(this.#options.signal?.reason)

  /**
   * Stops with this reason, and closes once those whose waits ended by it could tell others, such as that a member
   * leaves.
   */
  abort(reason: unknown): void {
    this.#isAborted = true
    this.fabric.stop(reason)
    afterTurn(() => void this.close().catch(() => {}))
  }

  close(reason = this.#isAborted ? 'stopped' : 'done'): Promise<void> {
    this.#closed ??= this.#close(reason)
    return this.#closed
  }

  async #close(reason: string): Promise<void> {
    this.#options.signal?.removeEventListener('abort', this.#aborted)
    this.stop()
    const { changed, limits, node } = this.#context
    const deadline = realClock.now() + limits.closeTimeout
    while (this.#peers.unacknowledged > 0 && realClock.now() < deadline) await changed.wait(deadline)
    // The last record of a member is told before the links end.
    await this.signer.settled()
    await this.#peers.leave(reason)
    this.#closing.abort(new StoppedError('the peer closes'))
    this.#peers.stop()
    this.#reach.stop()
    await this.#context.channels?.close()
    await this.#shaper?.flush(limits.closeTimeout)
    await node.stop()
    this.#context.directory.stop()
    await this.#reach.ended()
    await this.#peers.ended
  }

  get refusal(): RefusedError | undefined {
    const refused = this.#peers.refused()
    if (refused === undefined) return undefined
    const { name, refusal } = refused
    const { self } = this.#options
    const parties = refusal.by === 'us' ? `"${self}" refuses "${name}"` : `"${name}" refuses "${self}"`
    return new RefusedError(name, refusal.code, `${parties}: ${refusal.reason}`)
  }

  /** Another process with this peer's key was found also after the start; then this one ends. */
  #onEvent(event: PeerEvent): void {
    this.#options.onEvent?.(event)
    if (event.kind === 'admitted') this.#reach.look()
    if (event.kind !== 'refused' || event.by !== 'them' || event.code !== 'identity') return
    if (this.refusal !== undefined) this.fabric.stop(this.refusal)
  }

  #missingError(timeout: Milliseconds): NeighboursMissingError {
    const all = this.neighbours()
    const missing = all.filter(({ state }) => state !== 'ready')
    const list = missing.map(({ name, state, reason }) => `${name} (${state}: ${reason})`).join(', ')
    return new NeighboursMissingError(
      missing.map(({ name }) => name),
      [`after ${timeout / 1000} s, ${missing.length} of ${all.length} neighbours are missing: ${list}`]
        .concat(this.unreached)
        .join('; ')
    )
  }
}

/**
 * Presents this peer to a peer of the run that it has dialled, whatever for, and even if the dial was given up
 * meanwhile. Whoever uses the connection asks again, and is told of a refusal.
 */
function greet(context: LinkContext, connection: Connection): void {
  const isOfRun = context.directory.nameOf(connection.remotePeer.toString()) !== undefined
  if (connection.direction === 'outbound' && isOfRun) context.greet?.(connection).catch(() => {})
}

/** Asks all links whether they still work, and dials again at once those that do not. */
function askLinks({ sessions }: PeerSet, closing: AbortSignal): void {
  for (const session of sessions.values()) {
    session.outgoing.hurry()
    if (!session.neighbour.isUp('outgoing')) continue
    void session.roundTrip(0, realClock.now() + wakingTimeout).then((time) => {
      if (time === undefined && !closing.aborted) session.cut('no answer after this page has slept')
    })
  }
}
