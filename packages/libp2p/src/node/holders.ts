import type { Connection, StreamMuxer } from '@libp2p/interface'
import { sourceOf } from '../addresses/reach.js'

/** Who is held to account for what comes over a connection. */
export interface Holders {
  /** The name of a listed peer: it is a holder of its own. All others of one source are one. */
  nameOf(id: string): string | undefined
  /** Called when a holder exceeds a bound. The connection ends in any case. */
  onFlood(connection: Connection, detail: string): void
}

/** Whether there is a listed peer at the other end of a connection. */
export function isListed(holders: Holders, { remotePeer }: Connection): boolean {
  return holders.nameOf(remotePeer.toString()) !== undefined
}

/** The id of a listed peer, or the {@link sourceOf} any other. */
export function holderOf(holders: Holders, connection: Connection): string {
  return isListed(holders, connection) ? connection.remotePeer.toString() : sourceOf(connection.remoteAddr)
}

/** Reports a flood, and ends its connection. */
export function endFlood(holders: Holders, connection: Connection, detail: string): void {
  holders.onFlood(connection, detail)
  connection.abort(new Error(detail))
}

/** The method is called for each frame, and exists, though not in libp2p's types. */
interface SendingMuxer extends StreamMuxer {
  send?(data: unknown): boolean
}

/** The multiplexer of a connection. The field exists, though not in libp2p's types. */
export function muxerOf(connection: Connection): SendingMuxer | undefined {
  return (connection as Connection & { readonly muxer?: SendingMuxer }).muxer
}
