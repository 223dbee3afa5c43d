import type { OnReadOpts } from 'node:net'
import { connect, type ConnectionOptions, type TLSSocket } from 'node:tls'
import type { Milliseconds } from '@murmuration/core'
import { suite, tune } from './secure.js'

/** The address of the neighbour, and the key that both know. */
export interface ChannelCall {
  /** An IP address. */
  readonly host: string
  readonly port: number
  readonly id: string
  readonly key: Uint8Array
}

/** The reader of a channel: received bytes are written to `place`, then `advance` is called with their count. */
export interface ByteSink {
  readonly destination: Uint8Array
  advance(count: number): void
}

/**
 * Connects to a neighbour for a data channel, and reads received bytes straight into the sink's memory. The socket is
 * destroyed when the neighbour does not prove within `limit` that it knows the key. The caller needs to listen only for
 * `close`.
 */
export function dialChannel(call: ChannelCall, limit: Milliseconds, sink: ByteSink): TLSSocket {
  const { host, port, id, key } = call
  const options: ConnectionOptions & { readonly onread: OnReadOpts } = {
    ...suite,
    host,
    port,
    pskCallback: () => ({ psk: key, identity: id }),
    // A server that presents a certificate does not know the key. Both options refuse every certificate, whatever the
    // environment sets.
    rejectUnauthorized: true,
    checkServerIdentity: () => new Error('it sent a certificate, expected the shared key'),
    onread: {
      buffer: () => sink.destination,
      callback: (count: number) => {
        sink.advance(count)
        return true
      }
    }
  }
  const socket = connect(options)
  tune(socket)
  const timer = setTimeout(() => socket.destroy(), limit)
  socket.once('secureConnect', () => clearTimeout(timer))
  socket.once('close', () => clearTimeout(timer))
  socket.on('error', () => {})
  return socket
}
