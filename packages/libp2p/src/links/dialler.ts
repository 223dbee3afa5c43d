import type { Connection, Stream } from '@libp2p/interface'
import type { Milliseconds, PeerName } from '@murmuration/core'
import { TimeoutError, multiaddr } from '#platform/libraries/base.js'
import type { Signal } from '../base/signal.js'
import { tcpHost } from '../addresses/channel-address.js'
import { realClock } from '../base/clock.js'
import { exchangeProtocol } from '../base/constants.js'
import { connectionsTo, isOpen, type LinkContext } from './context.js'
import type { ControlChannel } from './control-channel.js'
import { ProtocolFault } from './control-messages.js'
import { wordsOf } from '../base/explain.js'
import { foreignText } from '../base/foreign-text.js'
import { type Ways, waysTo } from '../addresses/ways.js'
import type { ViaRelay } from '../relay/bar.js'
import type { Streams } from './streams.js'
import { ownVersions } from '../base/versions.js'
import { within } from '../base/within.js'

/** Finds or dials a connection to one neighbour. */
export class Dialler {
  readonly #context: LinkContext
  readonly #name: PeerName
  /** Aborted when the neighbour has connected while a dial waited for its turn. */
  #waiting: AbortController | undefined
  #isInHurry = false

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
    this.#openConnection()?.abort(new Error('nothing more to send'))
  }

  /** Waits until the neighbour has connected, up to `limit`, unless {@link hurry} was called. */
  async awaitCall(chance: Signal, limit: Milliseconds): Promise<void> {
    const { closing } = this.#context
    const until = realClock.now() + limit
    const isOver = () => this.#openConnection() !== undefined || this.#isInHurry || closing.aborted
    while (!isOver() && realClock.now() < until) await chance.wait(until)
    this.#isInHurry = false
  }

  /** Waits until an address of the neighbour is known, as from a seed, or it has connected, up to `limit`. */
  async awaitAddress(chance: Signal, limit: Milliseconds): Promise<void> {
    const { closing } = this.#context
    const until = realClock.now() + limit
    const isOver = () => this.#hasAddress || this.#openConnection() !== undefined || closing.aborted
    while (!isOver() && realClock.now() < until) await chance.wait(until)
  }

  /** The next wait for a call ends at once. */
  hurry(): void {
    this.#isInHurry = true
  }

  /**
   * Calls `join` with the open connection. Without one, waits for a turn and dials, unless the neighbour connects
   * first.
   */
  async reach(join: (connection: Connection) => Promise<Streams | undefined>): Promise<Streams | undefined> {
    const existing = this.#openConnection()
    if (existing !== undefined) return join(await this.#greeted(existing))
    if (!this.#hasAddress) throw new Error('its address is unknown, and it has not connected')
    const { turns, closing } = this.#context
    const waiting = new AbortController()
    this.#waiting = waiting
    const call = async () => {
      this.#waiting = undefined
      return join(await this.#greeted(this.#openConnection() ?? (await this.#connect())))
    }
    try {
      // The handshake after the connection computes as much as the connection itself, so the turn lasts until the
      // answer to the hello.
      return await turns.take(call, AbortSignal.any([closing, waiting.signal]))
    } catch (error) {
      if (waiting.signal.aborted) return call()
      throw error
    }
  }

  #openConnection(): Connection | undefined {
    const id = this.#id
    const open = id === undefined ? [] : connectionsTo(this.#context.node, id).filter(isOpen)
    return open.find(({ direct }) => direct) ?? open.at(0)
  }

  get #hasAddress(): boolean {
    const { direct, relayed } = this.#ways
    return direct.length + relayed.length > 0
  }

  get #ways(): Ways {
    return waysTo(this.#id === undefined ? [] : this.#context.directory.addressesOf(this.#id))
  }

  /** Its peer id; `undefined` when it is not in the peer list. */
  get #id(): string | undefined {
    return this.#context.directory.entry(this.#name)?.id
  }

  /** A connection on which this peer, if it has dialled, has presented itself. */
  async #greeted(connection: Connection): Promise<Connection> {
    if (connection.direction === 'inbound') return connection
    try {
      await this.#context.greet?.(connection)
    } catch (error) {
      // The neighbour answers an unknown peer only once per connection.
      connection.abort(new Error('it does not admit this peer'))
      throw error
    }
    return connection
  }

  /** Dials the direct addresses; when that fails, those with signalling through a relay; and then relayed ones. */
  async #connect(): Promise<Connection> {
    const { node, limits, closing } = this.#context
    const call = (addresses: readonly string[], limit: Milliseconds) =>
      within(limit, closing, (signal) =>
        node.dial(
          addresses.map((address) => multiaddr(address)),
          { signal }
        )
      )
    const { direct, signalled, relayed } = this.#ways
    if (relayed.length === 0) return call(direct, limits.dialTimeout)
    const failures: unknown[] = []
    for (const addresses of [direct, signalled]) {
      try {
        if (addresses.length > 0) return await call(addresses, limits.dialTimeout / 2)
      } catch (error) {
        closing.throwIfAborted()
        failures.push(error)
      }
    }
    try {
      return await call(relayed, limits.dialTimeout)
    } catch (error) {
      // A refused connection at the relay does not mean that the neighbour's machine refuses.
      throw new AggregateError([...failures, new Error(`through a relay: ${wordsOf(error)}`)], 'no route to the peer', {
        cause: error
      })
    }
  }
}

/** Opens a stream to a neighbour. Throws a ProtocolFault when it does not speak the protocol. */
export async function openStream(context: LinkContext, connection: Connection, protocol: string): Promise<Stream> {
  const { limits, closing, node } = context
  try {
    return await within(limits.handshakeTimeout, closing, (signal) =>
      connection.newStream(protocol, { signal, runOnLimitedConnection: true })
    )
  } catch (error) {
    if (error instanceof Error && error.name === 'UnsupportedProtocolError') {
      const other = `it is no peer, or one of another version than this one (${ownVersions.software})`
      throw new ProtocolFault(`it does not support ${protocol}: ${other}`)
    }
    // A refused connection can look open forever, and the next attempt would use it again.
    connection.abort(new Error('no stream can be opened'))
    if (error instanceof TimeoutError) {
      throw new Error(`it did not answer within ${limits.handshakeTimeout / 1000} s`, { cause: error })
    }
    throw new Error(`${hint(node.peerId.toString())} (${foreignText(wordsOf(error))})`, { cause: error })
  }
}

/** The streams of a link to a neighbour that has sent a welcome; the stream of vectors only where these are allowed. */
export async function openStreams(
  context: LinkContext,
  connection: Connection,
  control: ControlChannel,
  via: ViaRelay | undefined
): Promise<Streams> {
  const isBarred = via?.bar !== undefined
  const exchange = isBarred ? undefined : await openStream(context, connection, exchangeProtocol)
  return { control, exchange, host: tcpHost(connection.remoteAddr) }
}

function hint(ownId: string): string {
  return `it closed the connection before the handshake: it may not have this peer's id ${ownId} in its peer list, or no peer list yet`
}
