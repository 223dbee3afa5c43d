import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { Transform } from 'node:stream'
import type { ExecutionContext } from 'ava'
import type { TestNode } from './cluster.test.support.js'
import type { PeerListEntry } from './addresses/peer-list.js'

/** A proxy in front of one TCP port, for faults of real connections. */
export interface TcpProxy {
  /** The port to dial instead. */
  readonly port: number
  /** The number of connections so far. */
  readonly accepted: () => number
  /**
   * Passes `bytes` more bytes to the port behind, then closes that connection there cleanly and drops the rest. Happens
   * once. Resolves when it has happened.
   */
  readonly endAfter: (bytes: number) => Promise<void>
  /** Limits the bytes per second to the port behind, on each connection. */
  readonly pace: (bytesPerSecond: number) => void
  /** Passes no bytes, in either direction, on the existing connections, as a frozen machine would. */
  readonly freeze: () => void
  /** Passes bytes again. */
  readonly thaw: () => void
  /** Cuts the `index`-th connection, from 0; all without an index. Returns how many were open. */
  readonly cut: (index?: number) => number
}

/**
 * Starts a proxy in front of the port `target`, until the test ends.
 *
 * @param opened - the first byte of each connection waits until it resolves; `onCall` is called before
 */
export async function proxyTo(
  t: ExecutionContext,
  target: number,
  { opened, onCall }: { readonly opened?: Promise<unknown>; readonly onCall?: () => void } = {}
): Promise<TcpProxy> {
  const valve = new Valve()
  const accepted: Socket[] = []
  const pipes = new Map<NodeJS.ReadableStream, Socket>()
  const pass = (near: Socket) => {
    const far = connect(target, '127.0.0.1')
    const gate = valve.gate()
    near.pipe(gate).pipe(far).pipe(near)
    pipes.set(gate, far).set(far, near)
    join(near, far)
    join(far, near)
    far.on('close', () => {
      pipes.delete(gate)
      pipes.delete(far)
    })
  }
  const server = createServer((near) => {
    accepted.push(near)
    onCall?.()
    if (opened === undefined) pass(near)
    else void opened.then(() => pass(near))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const cut = (index?: number) => {
    const open = (index === undefined ? accepted : [accepted[index]]).filter(({ destroyed }) => !destroyed)
    for (const near of open) near.destroy()
    return open.length
  }
  t.teardown(() => {
    server.close()
    cut()
  })
  return {
    port: (server.address() as AddressInfo).port,
    accepted: () => accepted.length,
    endAfter: (bytes) => valve.endAfter(bytes),
    pace: (bytesPerSecond) => valve.pace(bytesPerSecond),
    freeze: () => {
      for (const [from, to] of pipes) from.unpipe(to).pause()
    },
    thaw: () => {
      for (const [from, to] of pipes) from.pipe(to)
    },
    cut
  }
}

/** Starts a proxy in front of `node`, with the node's entry in a peer list, at the proxy's address. */
export async function proxyOf(
  t: ExecutionContext,
  { name, peer }: TestNode
): Promise<TcpProxy & { readonly entry: PeerListEntry }> {
  const proxy = await proxyTo(t, Number(/tcp\/(\d+)/.exec(peer.addresses[0])?.[1]))
  return { ...proxy, entry: { name, id: peer.id, addresses: [`/ip4/127.0.0.1/tcp/${proxy.port}`] } }
}

/** Destroys each of two sockets when the other closes. Errors from cutting are ignored. */
function join(one: Socket, other: Socket): void {
  one.on('error', () => {})
  one.on('close', () => other.destroy())
}

/** The bytes towards the port behind, over all connections. */
class Valve {
  #remaining = Number.POSITIVE_INFINITY
  #rate = Number.POSITIVE_INFINITY
  #ended = () => {}

  endAfter(bytes: number): Promise<void> {
    this.#remaining = bytes
    return new Promise((resolve) => (this.#ended = resolve))
  }

  pace(bytesPerSecond: number): void {
    this.#rate = bytesPerSecond
  }

  gate(): Transform {
    let open = true
    const gate = new Transform({
      transform: (chunk: Buffer, _encoding, done) => {
        if (!open) return done()
        const passed = Math.min(chunk.length, this.#remaining)
        this.#remaining -= passed
        gate.push(chunk.subarray(0, passed))
        if (this.#remaining === 0) open = this.#end(gate)
        if (this.#rate === Number.POSITIVE_INFINITY) done()
        else setTimeout(done, (1000 * passed) / this.#rate)
      },
      flush: (done) => done()
    })
    return gate
  }

  /** Ends the connection to the port behind; the next connection is complete again. */
  #end(gate: Transform): false {
    this.#remaining = Number.POSITIVE_INFINITY
    gate.push(null)
    this.#ended()
    return false
  }
}
