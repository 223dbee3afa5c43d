import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { Transform } from 'node:stream'
import type { ExecutionContext } from 'ava'

/** A proxy in front of one TCP port, for faults other than a cut. */
export interface Tap {
  /** The port to dial instead. */
  readonly port: number
  /** The number of connections so far. */
  readonly accepted: () => number
  /**
   * Passes `bytes` more bytes to the port behind, then closes that connection there cleanly and drops the rest. Happens once. Resolves when it
   * has happened.
   */
  readonly endAfter: (bytes: number) => Promise<void>
  /** Limits the bytes per second to the port behind, on each connection. */
  readonly pace: (bytesPerSecond: number) => void
  /** Passes no more bytes, in either direction, on the existing connections. */
  readonly freeze: () => void
  /** Cuts the `index`-th connection, from 0. */
  readonly cut: (index: number) => void
}

/**
 * Starts a proxy in front of `target`, until the test ends.
 *
 * @param opened - the first byte of each connection waits until it resolves; `onCall` is called before
 */
export async function tapOf(
  t: ExecutionContext,
  target: number,
  { opened, onCall }: { readonly opened?: Promise<unknown>; readonly onCall?: () => void } = {}
): Promise<Tap> {
  const valve = new Valve()
  const nears: Socket[] = []
  const pipes: (readonly [NodeJS.ReadableStream, NodeJS.WritableStream])[] = []
  const pass = (near: Socket) => {
    const far = connect(target, '127.0.0.1')
    const gate = valve.gate()
    near.pipe(gate).pipe(far).pipe(near)
    pipes.push([gate, far], [far, near])
    join(near, far)
    join(far, near)
  }
  const server = createServer((near) => {
    nears.push(near)
    onCall?.()
    if (opened === undefined) pass(near)
    else void opened.then(() => pass(near))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.close()
    for (const near of nears) near.destroy()
  })
  return {
    port: (server.address() as AddressInfo).port,
    accepted: () => nears.length,
    endAfter: (bytes) => valve.endAfter(bytes),
    pace: (bytesPerSecond) => valve.pace(bytesPerSecond),
    freeze: () => {
      for (const [from, to] of pipes) from.unpipe(to).pause()
    },
    cut: (index) => nears[index].destroy()
  }
}

/** Destroys each of two sockets when the other closes. Errors from cutting are ignored. */
function join(one: Socket, other: Socket): void {
  one.on('error', () => {})
  one.on('close', () => other.destroy())
}

/** The bytes towards the port behind, over all connections. */
class Valve {
  #left = Number.POSITIVE_INFINITY
  #rate = Number.POSITIVE_INFINITY
  #ended = () => {}

  endAfter(bytes: number): Promise<void> {
    this.#left = bytes
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
        const passed = Math.min(chunk.length, this.#left)
        this.#left -= passed
        gate.push(chunk.subarray(0, passed))
        if (this.#left === 0) open = this.#end(gate)
        if (this.#rate === Number.POSITIVE_INFINITY) done()
        else setTimeout(done, (1000 * passed) / this.#rate)
      },
      flush: (done) => done()
    })
    return gate
  }

  /** Ends the connection to the port behind; the next connection is complete again. */
  #end(gate: Transform): false {
    this.#left = Number.POSITIVE_INFINITY
    gate.push(null)
    this.#ended()
    return false
  }
}
