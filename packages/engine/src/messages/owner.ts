import type { Fabric, Milliseconds, PeerName, SendResult } from '@murmuration/core'
import type { VectorMessage } from '@murmuration/wire'
import type { Message, PerPeer, Route } from '../record/record.js'
import type { MessageProblem, Refused } from '../vectors/sizes.js'
import type { Presence } from '../members/presence.js'
import type { Arena, Range } from '../vectors/vector.js'

/**
 * What the channels and edges of a peer see of it. The peer itself is a class of the driver, which opens channels and
 * edges; they cannot import it without a circle.
 */
export interface Owner {
  readonly fabric: Fabric<VectorMessage>
  readonly arena: Arena
  readonly presence: Presence
  /** The peers that this one has had to exchange with so far. */
  readonly neighbours: ReadonlySet<PeerName>
  /** The number of parameters. */
  readonly length: number
  /** The ranges in which a vector is sent. */
  readonly ranges: readonly Range[]
  /** The current round, or the next one. */
  readonly round: number
  /** Messages have rounds below this. */
  readonly rounds: number
  /** The number of peers that train. */
  readonly workers: number
  /** How long to wait for a message. */
  readonly timeout: Milliseconds
  /** Processes messages until an expectation is met. Returns its outcome. */
  until<Outcome>(expectation: Expectation<Outcome>): Promise<Outcome>
  /** The fabric's `send`; also tells codecs when to restart. */
  send(to: PeerName, message: VectorMessage): SendResult
  /** Records time spent waiting. */
  waited(time: Milliseconds): void
  unsent(peer: PeerName): void
  /** Records what was collected, for the round's report. Returns what must not be used of it. */
  collected(
    route: Route,
    mine: Message | undefined,
    theirs: PerPeer<Message>,
    areModels: boolean
  ): readonly Refused[] | Promise<readonly Refused[]>
  /** What is wrong with the vectors of a message that is compared with none of this peer's; see sizes.ts. */
  problemOf(from: PeerName, message: Message): MessageProblem | undefined
  /** A message is not used: a fault of its sender, unless another may be the cause. */
  refuse(from: PeerName, round: number, problem: MessageProblem): void
  missed(peers: readonly PeerName[]): void
}

/** What is awaited, for how long, and the outcome. */
export interface Expectation<Outcome> {
  isDone(): boolean
  /** When to give up; called before each wait. */
  deadline(): Milliseconds
  /** The peers that are awaited; none in particular when absent. */
  awaited?(): readonly PeerName[]
  /** Called once, when it is done or given up. */
  outcome(): Outcome | Promise<Outcome>
}

/** The traits of a channel. */
export interface ChannelTraits {
  readonly name: string
  /** Its number on the wire, the same at all peers. */
  readonly kind: number
  /** Whether a missing message is an error. */
  readonly isReliable: boolean
  /** Whether the first vector of a message is its sender's model. */
  readonly carriesModels?: boolean
}
