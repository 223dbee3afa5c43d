import type { Connection, PeerId, Stream } from '@libp2p/interface'
import { InputError, invariant, type PeerName } from '@murmuration/core'
import { setMaxListeners } from '#platform/libraries/base.js'
import { realClock } from '../base/clock.js'
import type { LinkContext } from './context.js'
import { Heartbeat } from './heartbeat.js'
import type { NeighbourStatus, Refusal } from './neighbour.js'
import { PeerSession } from './peer-session.js'
import type { PeerList } from '../addresses/peer-list.js'
import { sumTraffic, type Traffic } from '../base/traffic.js'

/** Vectors that an algorithm uses at the same time for its own computation. */
const ownVectors = 6

/**
 * The sessions with other peers. Those with the peers that this one needs from the start (its neighbours) are kept up.
 * Other listed peers have a session from the first message on, with links only while something is sent.
 */
export class PeerSet {
  readonly #context: LinkContext
  readonly #sessions = new Map<PeerName, PeerSession>()
  /** The peers with reserved memory for vectors. */
  readonly #reserved: Set<PeerName>
  readonly #places: ReadonlySet<PeerName>
  readonly #heartbeat: Heartbeat
  readonly #runs: Promise<void>[] = []
  /** The peers with a running session. */
  readonly #running = new Set<PeerName>()

  /**
   * @param neighbours - in the order of names
   * @param places - names that the peer list may lack, because their peers join by invitation
   */
  constructor(context: LinkContext, neighbours: readonly PeerName[], places: readonly PeerName[] = []) {
    this.#places = new Set(places)
    this.#context = context
    this.#reserved = new Set(neighbours)
    // Each neighbour's link adds a listener, and there may be many.
    setMaxListeners(0, context.closing)
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

  /** Unacknowledged vectors that may still be acknowledged. */
  get unacknowledged(): number {
    return this.#list().reduce((sum, { unacknowledged }) => sum + unacknowledged, 0)
  }

  /** Takes the peer list and dials the neighbours. Throws an InputError when one of them is not in it. */
  open(peerList: PeerList): void {
    const { directory, self } = this.#context
    invariant(!directory.isOpen, 'connect was called twice')
    const names = [...this.#sessions.keys()]
    const lacking = names.filter((name) => !peerList.byName.has(name) && !this.#places.has(name))
    if (lacking.length > 0) {
      throw new InputError(`the peer list lacks ${lacking.join(', ')}, neighbours of "${self}"; add their peer ids`)
    }
    directory.open(peerList)
    this.#reserve()
    const behind = this.#list().filter(({ name }) => name > self)
    const ahead = this.#list().filter(({ name }) => name < self)
    // Each peer begins with the names after its own, so that not all dial the same peer at once.
    for (const session of [...behind, ...ahead]) this.#run(session)
    this.#heartbeat.start()
  }

  /** The session with a peer, created if there is none; `undefined` for one that is not in the peer list. */
  sessionWith(name: PeerName): PeerSession | undefined {
    const { self, directory, closing } = this.#context
    const existing = this.#sessions.get(name)
    if (existing !== undefined || name === self || closing.aborted) return existing
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

  /** To be called when a peer was admitted: its session runs from now on. */
  admitted(name: PeerName): void {
    const session = this.#sessions.get(name)
    if (session === undefined) return
    session.neighbour.accept()
    this.#run(session)
    session.outgoing.retryNow()
  }

  /** To be called when a peer was excluded: its session ends. */
  exclude(name: PeerName, reason: string): void {
    const session = this.#sessions.get(name)
    session?.neighbour.refuse({ by: 'us', code: 'unknown-peer', reason })
    session?.cut()
  }

  /** To be called when a connection to a peer was opened: its session continues at once. */
  connected(connection: Connection): void {
    this.#find(connection.remotePeer)?.opened(connection)
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

  /** Counts a flood of a connection as a fault of the listed peer at its other end; an unknown one is refused. */
  flooded({ remotePeer, remoteAddr }: Connection, detail: string): void {
    const { directory } = this.#context
    const id = remotePeer.toString()
    const name = directory.nameOf(id)
    if (name === undefined) directory.refuse(id, remoteAddr.toString(), detail)
    else this.sessionWith(name)?.flooded(detail)
  }

  /** Whether a listed peer is shut out because of its faults. */
  isShutOut(name: PeerName): boolean {
    return this.#sessions.get(name)?.neighbour.faults.isShutOut === true
  }

  /**
   * The first of the neighbours that refuse or are refused, if these are more than half: then this peer is the one that
   * differs, not they.
   */
  refused(): { readonly name: PeerName; readonly refusal: Refusal } | undefined {
    const listed = this.#neighbours().filter(({ name }) => !this.#places.has(name))
    const refused = listed.flatMap(({ name, neighbour: { refusal } }) =>
      refusal === undefined || isTheirs(refusal) ? [] : [{ name, refusal }]
    )
    return 2 * refused.length > listed.length ? refused[0] : undefined
  }

  /** Whether all neighbours are ready; places without a peer do not count. */
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

  /** Tells all peers that this one leaves. */
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

  /** Whether no peer has taken a place yet. */
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

  /** Runs a session, once the id of its peer is known. */
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

  /** Two vectors per peer: one is received while the algorithm uses the other. */
  #reserve(): void {
    this.#context.pool.reserve(2 * this.#reserved.size + ownVectors)
  }
}

/** Whether only the refused peer is wrong: another process has its key. */
function isTheirs({ by, code }: Refusal): boolean {
  return by === 'us' && code === 'identity'
}
