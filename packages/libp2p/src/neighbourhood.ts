import type { Connection, Stream } from '@libp2p/interface'
import { peerIdFromString } from '@libp2p/peer-id'
import {
  byName,
  InputError,
  invariant,
  type Milliseconds,
  type PeerName,
  type SendResult,
  type Topology
} from '@murmuration/core'
import type { VectorMessage } from '@murmuration/wire'
import type { Signal } from './signal.js'
import { realClock } from './clock.js'
import { type LinkContext, type MemberContext, openConnection } from './context.js'
import { Heartbeat } from './heartbeat.js'
import { IncomingLink } from './incoming-link.js'
import { Neighbour, type NeighbourStatus, type Refusal } from './neighbour.js'
import { OutgoingLink } from './outgoing-link.js'
import type { Roster } from './roster.js'
import { sumTraffic, type Traffic } from './traffic.js'

/** A peer with the links to and from it. */
export interface Member {
  readonly isStanding: boolean
  readonly neighbour: Neighbour
  readonly outgoing: OutgoingLink
  readonly incoming: IncomingLink
}

/** Vectors of one's own that an algorithm computes in at the same time. */
const ownVectors = 6

/**
 * The peers that this one has links with, and who is who once the roster is known. With those that it needs from the start, its neighbours for
 * short, it keeps them up. With others of the roster it has them while something is sent.
 */
export class Neighbourhood {
  readonly #context: LinkContext
  readonly #members = new Map<PeerName, Member>()
  readonly #changed: () => void
  readonly #heartbeat: Heartbeat
  #roster: Roster | undefined
  readonly #runs: Promise<void>[] = []

  /**
   * @param neighbours - whom this peer needs from the start, in the order of names
   * @param changed - notified when a neighbour's state changes or an acknowledgement comes
   */
  constructor(context: LinkContext, neighbours: readonly PeerName[], changed: Signal) {
    this.#context = context
    this.#changed = () => changed.notify()
    for (const name of neighbours) this.#add(name, true)
    this.#heartbeat = new Heartbeat(
      context.limits,
      () => this.#members.values(),
      (name) => this.#cut(name),
      realClock
    )
  }

  /** Resolves when all links have ended. */
  get ended(): Promise<unknown> {
    return Promise.all(this.#runs)
  }

  /** Vectors that peers who can still acknowledge them have not acknowledged. */
  get unacknowledged(): number {
    return this.#list()
      .filter(({ neighbour, isStanding }) => neighbour.state === 'ready' || (!isStanding && !neighbour.gone))
      .reduce((sum, { outgoing }) => sum + outgoing.queued, 0)
  }

  /** Takes the roster and calls the neighbours. Throws an InputError when one of them is not in it. */
  open(roster: Roster): void {
    invariant(this.#roster === undefined, 'a peer was told to connect twice')
    const names = [...this.#members.keys()]
    const lacking = names.filter((name) => !roster.byName.has(name))
    if (lacking.length > 0) {
      throw new InputError(
        `the roster lacks ${lacking.join(', ')}, neighbours of "${this.#context.self}"; add their peer ids`
      )
    }
    this.#roster = roster
    this.#reserve()
    // Each begins with those behind it, so that not all call the same one at once.
    const behind = names.filter((name) => name > this.#context.self)
    const ahead = names.filter((name) => name < this.#context.self)
    for (const name of [...behind, ...ahead]) this.#run(name)
    this.#heartbeat.start()
  }

  /** The connections to neighbours that stand. */
  connections(): readonly (readonly [PeerName, Connection])[] {
    return this.#list().flatMap(({ neighbour: { name } }) => {
      const entry = this.#roster?.byName.get(name)
      const connection = entry && openConnection(this.#context.node, peerIdFromString(entry.id))
      return connection === undefined ? [] : [[name, connection] as const]
    })
  }

  /** Why a peer with this id may not connect; `undefined` when it may. */
  refusalOf(id: string): string | undefined {
    if (this.#roster === undefined) return 'this peer has no roster yet'
    return this.#roster.byId.has(id) ? undefined : 'it is not in the roster'
  }

  /** Whether a peer of the roster is at this IP address. */
  isKnownHost(host: string): boolean {
    return this.#roster?.hosts.has(host) ?? false
  }

  /** The peer with this id, as far as the roster is known. */
  nameOf(id: string): PeerName | undefined {
    return this.#roster?.byId.get(id)?.name
  }

  /** Hands a message to the link to `to`. */
  offer(to: PeerName, message: VectorMessage): SendResult {
    return this.#memberCalled(to)?.outgoing.offer(message) ?? 'unreachable'
  }

  /** How long a ping with so much padding takes to a neighbour and back; `undefined` when it is not answered until `until`. */
  async roundTrip(name: PeerName, padding: number, until: Milliseconds): Promise<Milliseconds | undefined> {
    const member = this.#members.get(name)
    return member?.neighbour.answerTo(member.outgoing.ping('.'.repeat(padding)), until)
  }

  /** To be called when a message of `from` was taken from the mailbox. */
  taken(from: PeerName): void {
    this.#members.get(from)?.incoming.acknowledge()
  }

  /** To be called when the algorithm had no use for a message of `from`. */
  reject(from: PeerName, reason: string): void {
    this.#members.get(from)?.incoming.reject(reason)
  }

  /** A connection to `id` stands. */
  encourage(id: string): void {
    this.#memberOf(id)?.outgoing.encourage()
  }

  /** Serves a control stream. */
  async control(stream: Stream, connection: Connection): Promise<void> {
    const caller = this.nameOf(connection.remotePeer.toString())
    const member = caller && this.#memberCalled(caller)
    if (member === undefined) stream.abort(new Error('not in the roster'))
    else await member.incoming.control(stream, connection)
  }

  /** Serves a stream of vectors. */
  exchange(stream: Stream, connection: Connection): void {
    const caller = this.#memberOf(connection.remotePeer.toString())
    if (caller === undefined) stream.abort(new Error('no neighbour'))
    else caller.incoming.exchange(stream, connection)
  }

  /** The neighbour that refuses or is refused, if there is one. */
  refused(): { readonly name: PeerName; readonly refusal: Refusal } | undefined {
    for (const { neighbour } of this.#neighbours()) {
      if (neighbour.refusal !== undefined) return { name: neighbour.name, refusal: neighbour.refusal }
    }
    return undefined
  }

  /** Whether all neighbours are. */
  get isReady(): boolean {
    return this.#neighbours().every(({ neighbour }) => neighbour.state === 'ready')
  }

  statuses(): readonly NeighbourStatus[] {
    return this.#neighbours().map(({ neighbour, outgoing }) => neighbour.status(outgoing.queued))
  }

  traffic(): Traffic {
    return sumTraffic(this.#list().map(({ neighbour }) => neighbour.meter.read()))
  }

  /** Tells all neighbours that this peer stops. */
  async bye(reason: string): Promise<void> {
    await Promise.all(this.#list().map(({ outgoing }) => outgoing.bye(reason, this.#context.limits.closePatience)))
  }

  /** Ends all links. */
  stop(): void {
    this.#heartbeat.stop()
    for (const { outgoing, incoming } of this.#list()) {
      outgoing.stop()
      incoming.stop('this peer closes')
    }
  }

  #list(): readonly Member[] {
    return [...this.#members.values()]
  }

  #neighbours(): readonly Member[] {
    return this.#list().filter(({ isStanding }) => isStanding)
  }

  /** The peer of this name, with links from now on if it is in the roster. */
  #memberCalled(name: PeerName): Member | undefined {
    const known = this.#members.get(name)
    if (known !== undefined) return known
    const isThere = name !== this.#context.self && this.#roster?.byName.has(name) === true
    if (!isThere || this.#context.closing.aborted) return undefined
    const member = this.#add(name, false)
    this.#reserve()
    this.#run(name)
    return member
  }

  #add(name: PeerName, isStanding: boolean): Member {
    const member = memberOf({ ...this.#context, isStanding }, name, this.#changed)
    this.#members.set(name, member)
    return member
  }

  /** Two vectors for each peer: one is written while the algorithm has the other. */
  #reserve(): void {
    this.#context.pool.reserve(2 * this.#members.size + ownVectors)
  }

  #run(name: PeerName): void {
    const [own, entry] = [this.#context.self, name].map((each) => this.#roster?.byName.get(each))
    const member = this.#members.get(name)
    if (entry === undefined || member === undefined) return
    const mayBeCalled = own !== undefined && own.addresses.length > 0
    this.#runs.push(member.outgoing.run(entry, member.isStanding && mayBeCalled && entry.id < own.id))
  }

  #memberOf(id: string): Member | undefined {
    const entry = this.#roster?.byId.get(id)
    return entry && this.#members.get(entry.name)
  }

  /** Cuts all connections to a neighbour that seem dead; its links build new ones. */
  #cut(name: PeerName): void {
    const entry = this.#roster?.byName.get(name)
    if (entry === undefined) return
    for (const connection of this.#context.node.getConnections(peerIdFromString(entry.id))) {
      connection.abort(new Error('not heard for too long'))
    }
  }
}

function memberOf(context: MemberContext, name: PeerName, changed: () => void): Member {
  const neighbour = new Neighbour(name, realClock, context.emit, changed, context.limits)
  neighbour.isStanding = context.isStanding
  const link = { ...context, random: context.random.stream(name) }
  const outgoing = new OutgoingLink(link, neighbour, changed, () => incoming.tune())
  const incoming = new IncomingLink(context, neighbour, () => outgoing.encourage())
  return { isStanding: context.isStanding, neighbour, outgoing, incoming }
}

/** Who is to have a link with whom from the start. */
export interface Membership {
  readonly self: PeerName
  readonly topology: Topology
  readonly servers?: readonly PeerName[] | undefined
  readonly reach?: 'neighbours' | 'everyone' | undefined
}

/** Whom `self` needs from the start, in the order of their names. */
export function neededBy({ self, topology, servers = [], reach = 'neighbours' }: Membership): readonly PeerName[] {
  const isServer = servers.includes(self)
  const peers = isServer || reach === 'everyone' ? topology.peers : neighboursOf(self, topology)
  const all = isServer && reach === 'neighbours' ? peers : [...peers, ...servers]
  return all.filter((name) => name !== self).sort(byName)
}

/** Whom `self` sends to or receives from in any round of the topology. */
function neighboursOf(self: PeerName, topology: Topology): readonly PeerName[] {
  const names = new Set<PeerName>()
  for (let round = 0; round < topology.period; round++) {
    const { receiveFrom, sendTo } = topology.mixing(self, round)
    for (const { name } of [...receiveFrom, ...sendTo]) names.add(name)
  }
  return [...names]
}
