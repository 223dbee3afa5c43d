import type { Connection, Libp2p, PeerId } from '@libp2p/interface'
import type { PeerName, Random } from '@murmuration/core'
import type { VectorMessage } from '@murmuration/wire'
import type { CodecChoice } from './codec-choice.js'
import type { Limits } from './constants.js'
import type { PeerEventListener } from './events.js'
import type { Mailbox } from './mailbox.js'
import type { Terms } from './terms.js'
import type { Turns } from './turns.js'
import type { VectorPool } from './vector-pool.js'

/** What the links of a peer share. */
export interface LinkContext {
  readonly node: Libp2p
  readonly self: PeerName
  readonly terms: Terms
  /** How many numbers every vector has. */
  readonly elements: number
  /** Where vectors to receive into come from, for all neighbours. */
  readonly pool: VectorPool
  readonly limits: Limits
  /** In which vectors are written to the neighbours, if they agree. */
  readonly codec: CodecChoice
  /** Drawn when the peer was created, so that neighbours can tell a restarted peer from one that reconnects. */
  readonly incarnation: string
  /** The calls to neighbours that are under way, up to the answer to the hello, and those that wait for their turn. */
  readonly turns: Turns
  readonly mailbox: Mailbox<VectorMessage>
  /** Of the waits between calls. */
  readonly random: Random
  /** That of the fabric, which the codecs' seeds come from. */
  readonly sender: Random
  /** Aborted when the peer closes its links. */
  readonly closing: AbortSignal
  readonly emit: PeerEventListener
  /** The last round that this peer has sent. */
  readonly round: () => number
}

/** What the two links to and from one peer share. */
export interface MemberContext extends LinkContext {
  /** Whether the link stands from the start to the end. Others are built when something is sent, and let go when nothing more is. */
  readonly isStanding: boolean
}

/** A connection to `id` that stands, if there is one: who called whom does not matter. */
export function openConnection(node: Libp2p, id: PeerId): Connection | undefined {
  return node.getConnections(id).find((connection) => connection.status === 'open')
}
