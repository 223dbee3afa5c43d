import type { OnReadOpts } from 'node:net'
import { connect, type ConnectionOptions, type TLSSocket } from 'node:tls'
import type { Milliseconds } from '@murmuration/core'
import { suite, tune } from './secure.js'

/** Whom to call, and the key that both know. */
export interface ChannelCall {
  /** An IP address. */
  readonly host: string
  readonly port: number
  readonly id: string
  readonly key: Uint8Array
}

/** What reads the bytes of a channel: they are written to `place`, then it is told how many. */
export interface ByteSink {
  readonly place: Uint8Array
  advance(count: number): void
}

/**
 * Calls a neighbour for a data channel, and reads what comes straight to where it belongs. The socket is destroyed when the neighbour has
 * not proven within `limit` that it knows the key too. Its `close` is all that is to be listened for.
 */
export function dialChannel(call: ChannelCall, limit: Milliseconds, sink: ByteSink): TLSSocket {
  const { host, port, id, key } = call
  const options: ConnectionOptions & { readonly onread: OnReadOpts } = {
    ...suite,
    host,
    port,
    pskCallback: () => ({ psk: key, identity: id }),
    // Of certificates alone: who shows one does not know the key, whoever has signed it, and whatever the environment says of such checks.
    rejectUnauthorized: true,
    checkServerIdentity: () => new Error('it shows a certificate in place of the key'),
    onread: {
      buffer: () => sink.place,
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
