/** Connections that are only counted, for tests of bounds. */
import type { Connection, MultiaddrConnection } from '@libp2p/interface'
import { multiaddr } from '@multiformats/multiaddr'

/** A connection from an IPv4 address; its peer id, and the protocols of its streams. */
export class FakeConnection extends EventTarget {
  readonly direction = 'inbound'
  readonly remoteAddr
  readonly remotePeer
  readonly streams
  readonly readBufferLength = 0
  /** The number of bytes that libp2p was given. */
  received = 0
  isOpen = true

  constructor(host: string, id: string, protocols: readonly string[] = []) {
    super()
    this.remoteAddr = multiaddr(`/ip4/${host}/tcp/4001`)
    this.remotePeer = {
      equals: (other: unknown) => other === this.remotePeer || String(other) === id,
      toString: () => id
    }
    this.streams = protocols.map((protocol) => ({ protocol }))
  }

  onData({ byteLength }: Uint8Array): void {
    this.received += byteLength
  }

  abort(): void {
    this.isOpen = false
    this.dispatchEvent(new Event('close'))
  }
}

export const asOpen = (connection: FakeConnection) => connection as unknown as Connection

export const asPending = (connection: FakeConnection) => connection as unknown as MultiaddrConnection

/** `count` connections from one address, each of another peer. */
export function fromOne(host: string, count: number): readonly FakeConnection[] {
  return Array.from({ length: count }, (_, index) => new FakeConnection(host, `${host} ${index}`))
}
