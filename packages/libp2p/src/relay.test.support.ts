import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import type { ExecutionContext } from 'ava'
import type { TestNode } from './cluster.test.support.js'
import type { PeerListEntry } from './peer-list.js'

/** A proxy in front of one peer that can cut and freeze real TCP connections. */
export interface Relay {
  /** The peer list entry of the peer behind, with the proxy's address. */
  readonly entry: PeerListEntry
  /** Cuts all connections. Returns how many there were. */
  cut(): number
  /** Passes no bytes on the existing connections, as a frozen machine would. */
  freeze(): void
  /** Passes bytes again. */
  thaw(): void
}

/** Starts a proxy in front of `node`, until the test ends. */
export async function relayOf(t: ExecutionContext, { name, peer }: TestNode): Promise<Relay> {
  /** For each socket, the one that its bytes go to. */
  const pipes = new Map<Socket, Socket>()
  const join = (from: Socket, to: Socket) => {
    pipes.set(from, to)
    // Errors from cutting are expected.
    from.on('error', () => {})
    from.on('close', () => {
      pipes.delete(from)
      to.destroy()
    })
    from.pipe(to)
  }
  const target = Number(/tcp\/(\d+)/.exec(peer.addresses[0])?.[1])
  const server = createServer((near) => {
    const far = connect(target, '127.0.0.1')
    join(near, far)
    join(far, near)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const cut = () => {
    const count = pipes.size / 2
    for (const socket of [...pipes.keys()]) socket.destroy()
    return count
  }
  t.teardown(() => {
    server.close()
    cut()
  })
  const { port } = server.address() as AddressInfo
  return {
    entry: { name, id: peer.id, addresses: [`/ip4/127.0.0.1/tcp/${port}`] },
    cut,
    freeze: () => {
      for (const [from, to] of pipes) from.unpipe(to).pause()
    },
    thaw: () => {
      for (const [from, to] of pipes) from.pipe(to)
    }
  }
}
