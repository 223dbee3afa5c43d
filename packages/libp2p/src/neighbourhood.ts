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
import type { VectorMessage } from '@murmuration/vectors'
import type { Bell } from './bell.js'
import { realClock } from './clock.js'
import { type LinkContext, openConnection } from './context.js'
import { ControlChannel } from './control-channel.js'
import { Heartbeat } from './heartbeat.js'
import { IncomingLink } from './incoming-link.js'
import { Neighbour, type NeighbourStatus, type Refusal } from './neighbour.js'
import { OutgoingLink } from './outgoing-link.js'
import type { Roster, RosterEntry } from './roster.js'
import { sumTraffic, type Traffic, TrafficMeter } from './traffic.js'

/** A neighbour with the links to and from it. */
export interface Member {
  readonly neighbour: Neighbour
  readonly outgoing: OutgoingLink
  readonly incoming: IncomingLink
}

/** All neighbours of this peer, and who is who once the roster is known. */
export class Neighbourhood {
  readonly #context: LinkContext
  readonly #members: ReadonlyMap<PeerName, Member>
  readonly #heartbeat: Heartbeat
  #roster: Roster | undefined
  #ended: Promise<unknown> = Promise.resolve()

  /** @param changed - rung when a neighbour's state changes or an acknowledgement comes */
  constructor(context: LinkContext, topology: Topology, changed: Bell) {
    this.#context = context
    const ring = () => changed.ring()
    this.#members = new Map(neighboursOf(context.self, topology).map((name) => [name, member(context, name, ring)]))
    this.#heartbeat = new Heartbeat(context.limits, [...this.#members.values()], (name) => this.#cut(name))
  }

  /** Resolves when all links have ended. */
  get ended(): Promise<unknown> {
    return this.#ended
  }

  /** Vectors that neighbours who can still acknowledge them have not acknowledged. */
  get unacknowledged(): number {
    return this.#list()
      .filter(({ neighbour }) => neighbour.state === 'ready')
      .reduce((sum, { outgoing }) => sum + outgoing.queued, 0)
  }

  /** How many neighbours there are. */
  get size(): number {
    return this.#members.size
  }

  /** Takes the roster and calls the neighbours. Throws an InputError when one of them is not in it. */
  open(roster: Roster): void {
    invariant(this.#roster === undefined, 'a peer was told to connect twice')
    const pairs = this.#list().map((each) => [each, roster.byName.get(each.neighbour.name)] as const)
    const lacking = pairs.filter(([, entry]) => entry === undefined).map(([{ neighbour }]) => neighbour.name)
    if (lacking.length > 0) {
      throw new InputError(
        `the roster lacks ${lacking.join(', ')}, neighbours of "${this.#context.self}"; add their peer ids`
      )
    }
    this.#roster = roster
    const own = roster.byName.get(this.#context.self)
    const run = async ([{ outgoing }, entry]: readonly [Member, RosterEntry | undefined]) =>
      entry && outgoing.run(entry, own !== undefined && own.addresses.length > 0 && entry.id < own.id)
    // Each begins with those behind it, so that not all call the same one at once.
    const behind = pairs.filter(([{ neighbour }]) => neighbour.name > this.#context.self)
    const ahead = pairs.filter(([{ neighbour }]) => neighbour.name < this.#context.self)
    this.#ended = Promise.all([...behind, ...ahead].map(run))
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
    return this.#members.get(to)?.outgoing.offer(message) ?? 'unreachable'
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

  /** Serves a control stream, and tells one who is no neighbour so. */
  async control(stream: Stream, connection: Connection): Promise<void> {
    const caller = this.#memberOf(connection.remotePeer.toString())
    if (caller !== undefined) return caller.incoming.control(stream, connection)
    const control = new ControlChannel(stream, new TrafficMeter())
    const why = `you are no neighbour of "${this.#context.self}" in its topology; do the topology files differ?`
    control.send({ kind: 'refused', code: 'unknown-peer', why })
    await control.close(this.#context.limits.handshakeTimeout)
  }

  /** Serves a stream of vectors. */
  exchange(stream: Stream, connection: Connection): void {
    const caller = this.#memberOf(connection.remotePeer.toString())
    if (caller === undefined) stream.abort(new Error('no neighbour'))
    else caller.incoming.exchange(stream, connection)
  }

  /** The neighbour that refuses or is refused, if there is one. */
  refused(): { readonly name: PeerName; readonly refusal: Refusal } | undefined {
    for (const { neighbour } of this.#list()) {
      if (neighbour.refusal !== undefined) return { name: neighbour.name, refusal: neighbour.refusal }
    }
    return undefined
  }

  statuses(): readonly NeighbourStatus[] {
    return this.#list().map(({ neighbour, outgoing }) => neighbour.status(outgoing.queued))
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

function member(context: LinkContext, name: PeerName, changed: () => void): Member {
  const neighbour = new Neighbour(name, realClock, context.emit, changed, context.limits)
  const link = { ...context, random: context.random.stream(name) }
  const outgoing = new OutgoingLink(link, neighbour, changed, () => incoming.tune())
  const incoming = new IncomingLink(context, neighbour, () => outgoing.encourage())
  return { neighbour, outgoing, incoming }
}

/** Whom `self` sends to or receives from in any round of the topology, in the order of their names. */
function neighboursOf(self: PeerName, topology: Topology): readonly PeerName[] {
  const names = new Set<PeerName>()
  for (let round = 0; round < topology.period; round++) {
    const { receiveFrom, sendTo } = topology.mixing(self, round)
    for (const { name } of [...receiveFrom, ...sendTo]) names.add(name)
  }
  return [...names].sort(byName)
}
