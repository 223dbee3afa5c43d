import type { Connection } from '@libp2p/interface'
import { endFlood, type Holders, holderOf, isListed, muxerOf } from './holders.js'

/**
 * The most frames of multiplexers that wait for a listed peer, and for any other holder, over all connections. One
 * takes about 600 bytes.
 */
const maxUnreadOfPeer = 8192
const maxUnreadOfOthers = 2048

/**
 * Bounds the frames that are sent into full connections. Streams wait until there is room, but a multiplexer answers at
 * once: pings, and bytes received by updates of the window. So a holder that sends such frames and reads nothing would
 * fill the memory.
 */
export class UnreadFrames {
  readonly #holders: Holders
  /** By holder. */
  readonly #unread = new Map<string, number>()

  constructor(holders: Holders) {
    this.#holders = holders
  }

  /** To be called for each open connection. */
  watch(connection: Connection): void {
    const muxer = muxerOf(connection)
    const send = muxer?.send
    if (muxer === undefined || send === undefined) return
    const holder = holderOf(this.#holders, connection)
    const max = isListed(this.#holders, connection) ? maxUnreadOfPeer : maxUnreadOfOthers
    let unread = 0
    let isOver = false
    const count = (now: number) => {
      this.#add(holder, now - unread)
      unread = now
    }
    muxer.send = (data) => {
      const hasRoom = send.call(muxer, data)
      if (!isOver) count(hasRoom ? 0 : unread + 1)
      if (!isOver && (this.#unread.get(holder) ?? 0) > max) {
        isOver = true
        endFlood(this.#holders, connection, 'it does not read the answers to its frames')
      }
      return hasRoom
    }
    connection.addEventListener('close', () => count(0))
  }

  #add(holder: string, change: number): void {
    const unread = (this.#unread.get(holder) ?? 0) + change
    if (unread > 0) this.#unread.set(holder, unread)
    else this.#unread.delete(holder)
  }
}
