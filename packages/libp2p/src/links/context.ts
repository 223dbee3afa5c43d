import type { Connection, Libp2p } from '@libp2p/interface'
import type { PeerName, Random } from '@murmuration/core'
import type { VectorMessage } from '@murmuration/wire'
import { peerIdFromString } from '#platform/libraries/base.js'
import type { ChannelListener } from './channel/listener.js'
import type { CodecChoice } from './codec-choice.js'
import type { Limits } from '../base/constants.js'
import type { PeerEventListener } from '../base/events.js'
import type { Mailbox } from '../vectors/mailbox.js'
import type { Listening } from './notes.js'
import type { PeerDirectory } from '../addresses/peer-directory.js'
import type { Signal } from '../base/signal.js'
import type { RunSettings } from '../base/run-settings.js'
import type { SendingTime } from '../vectors/sending-time.js'
import type { Turns } from './turns.js'
import type { VectorPool } from '../vectors/vector-pool.js'

/** What the sessions of a peer share. */
export interface LinkContext {
  readonly node: Libp2p
  readonly self: PeerName
  readonly runSettings: RunSettings
  /** How many numbers a whole vector has. */
  readonly elements: number
  /** The vectors of all neighbours. */
  readonly pool: VectorPool
  readonly limits: Limits
  /** The codecs for vectors to the neighbours that accept them. */
  readonly codec: CodecChoice
  /** Random for each created peer, so that neighbours can distinguish a restarted peer from one that reconnects. */
  readonly incarnation: string
  /** Limits how many neighbours are dialled at a time, up to the answer to the hello. */
  readonly turns: Turns
  readonly directory: PeerDirectory
  /** Accepts data channels; `undefined` where all bytes must go through libp2p. */
  readonly channels: ChannelListener | undefined
  readonly mailbox: Mailbox<VectorMessage>
  readonly listening: Listening
  /** The sending time of vectors to all peers. */
  readonly sending: SendingTime
  /** The fabric's random numbers. */
  readonly random: Random
  /** Aborted when the peer closes its links. */
  readonly closing: AbortSignal
  /** Notified when a neighbour's state changes or an acknowledgement arrives. */
  readonly changed: Signal
  /** The field of a hello or a welcome that says whether this peer allows vectors through relays. */
  readonly relays: { readonly relayVectors?: true }
  readonly emit: PeerEventListener
  /** Called for a connection that this peer has dialled, before the hello. The peer sets it. */
  greet?: ((connection: Connection) => Promise<void>) | undefined
}

/** The connections to the peer with this id, dialled by either side. */
export function connectionsTo(node: Libp2p, id: string): readonly Connection[] {
  return node.getConnections(peerIdFromString(id))
}

/** Whether a connection can be used. */
export function isOpen({ status }: Connection): boolean {
  return status === 'open'
}
