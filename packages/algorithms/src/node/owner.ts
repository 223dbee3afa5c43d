import type { Fabric, Milliseconds, PeerName, SendResult } from '@murmuration/core'
import type { VectorMessage } from '@murmuration/wire'
import type { Message, Route } from '../record.js'
import type { Presence } from './presence.js'
import type { Arena, Range } from './vector.js'

/** What the channels of a peer share. */
export interface Owner {
  readonly fabric: Fabric<VectorMessage>
  readonly arena: Arena
  readonly presence: Presence
  /** With whom this peer has had to exchange so far. */
  readonly neighbours: ReadonlySet<PeerName>
  /** How many numbers the parameters have. */
  readonly length: number
  /** The parts that a vector travels in. */
  readonly ranges: readonly Range[]
  /** The round under way, or the one that comes next. */
  readonly round: number
  /** No message is of this round or a later one. */
  readonly rounds: number
  /** How long a message is waited for. */
  readonly timeout: Milliseconds
  /** Takes messages in as long as an expectation says. Returns what it comes to. */
  until<Outcome>(expectation: Expectation<Outcome>): Promise<Outcome>
  /** As the fabric's; it tells codecs when to start anew. */
  send(to: PeerName, message: VectorMessage): SendResult
  /** Notes time that was spent waiting. */
  waited(time: Milliseconds): void
  unsent(peer: PeerName): void
  /** Notes what was collected, for the round's report. */
  collected(
    route: Route,
    mine: Message | undefined,
    theirs: Readonly<Record<string, Message>>
  ): Promise<void> | undefined
  missed(peers: readonly PeerName[]): void
}

/** What is waited for, for how long, and what it comes to. */
export interface Expectation<Outcome> {
  isDone(): boolean
  /** When to give up; asked for before each wait. */
  deadline(): Milliseconds
  /** Who is waited for; nobody in particular when absent. */
  awaited?(): readonly PeerName[]
  /** Asked for once, when it is done or given up. */
  outcome(): Outcome | Promise<Outcome>
}

/** What tells a channel from others. */
export interface ChannelTraits {
  readonly name: string
  /** Its number on the wire, the same at all peers. */
  readonly kind: number
  /** Whether a missing message is an error. */
  readonly isReliable: boolean
}
