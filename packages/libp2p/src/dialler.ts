import { type Connection, type Stream, TimeoutError } from '@libp2p/interface'
import { multiaddr } from '@multiformats/multiaddr'
import type { Milliseconds, PeerName } from '@murmuration/core'
import type { Signal } from './signal.js'
import { realClock } from './clock.js'
import { connectionsTo, isOpen, type LinkContext } from './context.js'
import { ProtocolFault } from './control-messages.js'
import { wordsOf } from './explain.js'
import { foreignText } from './foreign-text.js'
import type { Streams } from './streams.js'
import { within } from './within.js'

/** Gets a connection to one neighbour: an open one, or one that this peer dials in its turn. */
export class Dialler {
  readonly #context: LinkContext
  readonly #name: PeerName
  /** Aborted when the neighbour has connected while a dial waited for its turn. */
  #waiting: AbortController | undefined

  constructor(context: LinkContext, name: PeerName) {
    this.#context = context
    this.#name = name
  }

  /** To be called when the neighbour has connected. */
  called(): void {
    this.#waiting?.abort()
  }

  /** Ends the connection. */
  hangUp(): void {
    this.#standing()?.abort(new Error('nothing more is sent'))
  }

  /** Waits until the neighbour has connected, up to `limit`. */
  async awaitCall(chance: Signal, limit: Milliseconds): Promise<void> {
    const { closing } = this.#context
    const until = realClock.now() + limit
    while (this.#standing() === undefined && realClock.now() < until && !closing.aborted) await chance.wait(until)
  }

  /** Joins over the open connection; without one, dials in its turn, unless the neighbour connects before. */
  async reach(join: (connection: Connection) => Promise<Streams | undefined>): Promise<Streams | undefined> {
    const standing = this.#standing()
    if (standing !== undefined) return join(standing)
    if (this.#addresses.length === 0) throw new Error('no address of it is known, and it has not called')
    const { turns, closing } = this.#context
    const waiting = new AbortController()
    this.#waiting = waiting
    const call = async () => {
      this.#waiting = undefined
      return join(this.#standing() ?? (await this.#dial()))
    }
    try {
      // What is computed for the answer to the hello is as much as for the connection, so the turn lasts until then.
      return await turns.take(call, AbortSignal.any([closing, waiting.signal]))
    } catch (error) {
      if (waiting.signal.aborted) return call()
      throw error
    }
  }

  #standing(): Connection | undefined {
    const id = this.#id
    return id === undefined ? undefined : connectionsTo(this.#context.node, id).find(isOpen)
  }

  get #addresses(): readonly string[] {
    return this.#id === undefined ? [] : this.#context.directory.addressesOf(this.#id)
  }

  /** Its peer id, unless it was put out. */
  get #id(): string | undefined {
    return this.#context.directory.entry(this.#name)?.id
  }

  async #dial(): Promise<Connection> {
    const { node, limits, closing, greet } = this.#context
    const addresses = this.#addresses.map((address) => multiaddr(address))
    const connection = await within(limits.dialTimeout, closing, (signal) => node.dial(addresses, { signal }))
    try {
      await greet?.(connection)
    } catch (error) {
      // A stranger is answered once on a connection.
      connection.abort(new Error('it does not let this peer in'))
      throw error
    }
    return connection
  }
}

/** Opens a stream to a neighbour. Throws a ProtocolFault when it does not speak the protocol. */
export async function openStream(context: LinkContext, connection: Connection, protocol: string): Promise<Stream> {
  const { limits, closing, node } = context
  try {
    return await within(limits.handshakeTimeout, closing, (signal) => connection.newStream(protocol, { signal }))
  } catch (error) {
    if (error instanceof Error && error.name === 'UnsupportedProtocolError') {
      throw new ProtocolFault(`it does not speak ${protocol}`)
    }
    // A refused connection can look open forever, and the next attempt would use it again.
    connection.abort(new Error('no stream can be opened'))
    if (error instanceof TimeoutError) {
      throw new Error(`it did not answer within ${limits.handshakeTimeout / 1000} s`, { cause: error })
    }
    throw new Error(`${hint(node.peerId.toString())} (${foreignText(wordsOf(error))})`, { cause: error })
  }
}

function hint(ownId: string): string {
  return `it closed the connection before the handshake: it may not have this peer's id ${ownId} in its peer list, or no peer list yet`
}
