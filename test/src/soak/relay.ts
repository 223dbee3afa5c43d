import { type AddressInfo, connect, createServer, type Server } from 'node:net'
import { Passage } from './passage.js'

/** The size of reads; with node's own buffers the relay would be the bottleneck. */
const bufferBytes = 1 << 20

/** A relay in front of one peer: a TCP port whose connections lead to it and can be disturbed. */
export class TcpRelay {
  readonly name: string
  readonly #server: Server
  readonly #passages = new Set<Passage>()
  #isFrozen = false
  /** The next connection ends after this many bytes from the caller. */
  #ambush: number | undefined

  /**
   * @param target - the port of the peer on this machine
   * @param onBytes - called with the number of bytes that pass
   */
  constructor(name: string, target: number, onBytes: (count: number) => void) {
    this.name = name
    // When one direction has ended, the other one must continue.
    this.#server = createServer({ allowHalfOpen: true, highWaterMark: bufferBytes, noDelay: true }, (near) => {
      const options = {
        port: target,
        host: '127.0.0.1',
        allowHalfOpen: true,
        noDelay: true,
        highWaterMark: bufferBytes
      }
      const passage = new Passage(near, connect(options), onBytes, () => this.#passages.delete(passage))
      this.#passages.add(passage)
      if (this.#isFrozen) passage.freeze()
      if (this.#ambush !== undefined) passage.cutAfter(this.#ambush, true)
      this.#ambush = undefined
    })
  }

  /** Starts to listen. Returns the port. */
  async listen(): Promise<number> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve))
    return (this.#server.address() as AddressInfo).port
  }

  /** The present connections. */
  get passages(): readonly Passage[] {
    return [...this.#passages]
  }

  /** Makes the next connection end after `bytes` bytes. */
  ambush(bytes: number): void {
    this.#ambush = bytes
  }

  /** Lets no bytes through on all connections, including new ones, until it is thawed. */
  freeze(): void {
    this.#isFrozen = true
    for (const passage of this.#passages) passage.freeze()
  }

  /** Lets bytes through again. */
  thaw(): void {
    this.#isFrozen = false
    for (const passage of this.#passages) passage.thaw()
  }

  /** Cuts all connections, and stops listening. */
  close(): void {
    this.#server.close()
    for (const passage of this.#passages) passage.cut(false)
  }
}
