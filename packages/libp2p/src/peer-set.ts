import type { Connection, PeerId, Stream } from '@libp2p/interface'
import { InputError, invariant, type PeerName } from '@murmuration/core'
import { realClock } from './clock.js'
import type { LinkContext } from './context.js'
import { Heartbeat } from './heartbeat.js'
import type { NeighbourStatus, Refusal } from './neighbour.js'
import { PeerSession } from './peer-session.js'
import type { PeerList } from './peer-list.js'
import { sumTraffic, type Traffic } from './traffic.js'

/** Vectors of one's own that an algorithm computes in at the same time. */
const ownVectors = 6

/**
 * The sessions with other peers. Those with the peers that this one needs from the start, its neighbours for short, are kept up. Others
 * of the peer list have one from the first message on, with links while something is sent.
 */
export class PeerSet {
  readonly #context: LinkContext
  readonly #sessions = new Map<PeerName, PeerSession>()
  /** Those with memory for vectors. */
  readonly #reserved: Set<PeerName>
  readonly #places: ReadonlySet<PeerName>
  readonly #heartbeat: Heartbeat
  readonly #runs: Promise<void>[] = []
  /** Those whose links are kept up. */
  readonly #running = new Set<PeerName>()

  /**
   * @param neighbours - in the order of names
   * @param places - of peers that the peer list need not have: they come by invitation
   */
  constructor(context: LinkContext, neighbours: readonly PeerName[], places: readonly PeerName[] = []) {
    this.#places = new Set(places)
    this.#context = context
    this.#reserved = new Set(neighbours)
    for (const name of neighbours) this.#add(name, true)
    this.#heartbeat = new Heartbeat(context.limits, this.#sessions, realClock)
  }

  /** All sessions by name. */
  get sessions(): ReadonlyMap<PeerName, PeerSession> {
    return this.#sessions
  }

  /** Resolves when all links have ended. */
  get ended(): Promise<unknown> {
    return Promise.all(this.#runs)
  }

  /** Vectors that are not acknowledged and still can be. */
  get unacknowledged(): number {
    return this.#list().reduce((sum, { unacknowledged }) => sum + unacknowledged, 0)
  }

  /** Takes the peer list and calls the neighbours. Throws an InputError when one of them is not in it. */
  open(peerList: PeerList): void {
    const { directory, self } = this.#context
    invariant(!directory.isOpen, 'a peer was told to connect twice')
    const names = [...this.#sessions.keys()]
    const lacking = names.filter((name) => !peerList.byName.has(name) && !this.#places.has(name))
    if (lacking.length > 0) {
      throw new InputError(`the peer list lacks ${lacking.join(', ')}, neighbours of "${self}"; add their peer ids`)
    }
    directory.open(peerList)
    this.#reserve()
    // Each begins with those behind it, so that not all call the same one at once.
    const [behind, ahead] = [
      this.#list().filter(({ name }) => name > self),
      this.#list().filter(({ name }) => name < self)
    ]
    for (const session of [...behind, ...ahead]) this.#run(session)
    this.#heartbeat.start()
  }

  /** The session with a peer, begun now if there was none; `undefined` for one that is not in the peer list. */
  sessionWith(name: PeerName): PeerSession | undefined {
    const { self, directory, closing } = this.#context
    const known = this.#sessions.get(name)
    if (known !== undefined || name === self || closing.aborted) return known
    if (directory.entry(name) === undefined) return undefined
    const session = this.#add(name, false)
    this.#run(session)
    return session
  }

  /** As `sessionWith`, with memory for vectors. */
  sessionForVectors(name: PeerName): PeerSession | undefined {
    const session = this.sessionWith(name)
    if (session === undefined || this.#reserved.has(name)) return session
    this.#reserved.add(name)
    this.#reserve()
    return session
  }

  /** A peer was let in: it is called from now on, if there is a reason to. */
  admitted(name: PeerName): void {
    const session = this.#sessions.get(name)
    if (session === undefined) return
    session.neighbour.accept()
    this.#run(session)
    session.outgoing.retryNow()
  }

  /** A peer was put out: what there is with it ends. */
  put(name: PeerName, reason: string): void {
    const session = this.#sessions.get(name)
    session?.neighbour.refuse({ by: 'us', code: 'unknown-peer', reason })
    session?.cut()
  }

  /** A connection to a peer was opened, so its session can go on at once. */
  connected(id: PeerId): void {
    this.#find(id)?.outgoing.retryNow()
  }

  /** Serves a control stream. */
  async control(stream: Stream, connection: Connection): Promise<void> {
    const name = this.#context.directory.nameOf(connection.remotePeer.toString())
    const session = name && this.sessionWith(name)
    if (session === undefined) stream.abort(new Error('not in the peer list'))
    else await session.incoming.control(stream, connection)
  }

  /** Serves a stream of vectors. */
  exchange(stream: Stream, { remotePeer, id }: Connection): void {
    const session = this.#find(remotePeer)
    if (session === undefined) stream.abort(new Error('no neighbour'))
    else session.incoming.exchange(stream, id)
  }

  /** The neighbour that refuses or is refused, if there is one. */
  refused(): { readonly name: PeerName; readonly refusal: Refusal } | undefined {
    for (const { name, neighbour } of this.#neighbours()) {
      if (neighbour.refusal !== undefined && !this.#places.has(name)) return { name, refusal: neighbour.refusal }
    }
    return undefined
  }

  /** Whether all neighbours are. */
  get isReady(): boolean {
    return this.#neighbours().every(({ name, neighbour }) => neighbour.state === 'ready' || this.#isOpenPlace(name))
  }

  statuses(): readonly NeighbourStatus[] {
    return this.#neighbours().map(({ neighbour, outgoing }) =>
      neighbour.status(outgoing.queued, outgoing.channel.isUsed)
    )
  }

  traffic(): Traffic {
    return sumTraffic(this.#list().map(({ neighbour }) => neighbour.meter.read()))
  }

  /** Tells all peers that this one stops. */
  async leave(reason: string): Promise<void> {
    await Promise.all(this.#list().map(({ outgoing }) => outgoing.leave(reason, this.#context.limits.closeTimeout)))
  }

  /** Ends all links. */
  stop(): void {
    this.#heartbeat.stop()
    for (const session of this.#list()) session.stop()
  }

  #list(): readonly PeerSession[] {
    return [...this.#sessions.values()]
  }

  /** Whether nobody has come for a place yet. */
  #isOpenPlace(name: PeerName): boolean {
    return this.#places.has(name) && this.#context.directory.entry(name) === undefined
  }

  #neighbours(): readonly PeerSession[] {
    return this.#list().filter(({ neighbour }) => neighbour.isPermanent)
  }

  #find(id: PeerId): PeerSession | undefined {
    const name = this.#context.directory.nameOf(id.toString())
    return name && this.#sessions.get(name)
  }

  /** Keeps the links of a session up, once it is known who the peer is. */
  #run(session: PeerSession): void {
    const { name } = session
    if (this.#running.has(name) || this.#context.directory.entry(name) === undefined) return
    this.#running.add(name)
    this.#runs.push(session.run())
  }

  #add(name: PeerName, isPermanent: boolean): PeerSession {
    const session = new PeerSession(this.#context, name, isPermanent)
    this.#sessions.set(name, session)
    return session
  }

  /** Two vectors for each peer: one is written while the algorithm has the other. */
  #reserve(): void {
    this.#context.pool.reserve(2 * this.#reserved.size + ownVectors)
  }
}
