import type { Socket } from 'node:net'

/** One connection through a relay: from the caller (near) to the peer (far) and back. */
export class Passage {
  readonly #inward: Way
  readonly #outward: Way
  readonly #sockets: readonly Socket[]
  #thaw: NodeJS.Timeout | undefined
  #state = 'open'

  constructor(near: Socket, far: Socket, onBytes: (count: number) => void, onEnd: () => void) {
    this.#sockets = [near, far]
    const cut = () => this.cut(false)
    this.#inward = new Way(near, far, onBytes, cut)
    this.#outward = new Way(far, near, onBytes, cut)
    for (const socket of this.#sockets) {
      // Cutting is the purpose; the resulting errors are ignored.
      socket.on('error', () => {})
      socket.on('close', () => {
        cut()
        onEnd()
      })
    }
  }

  /** The last fault of the connection. */
  get state(): string {
    return this.#state
  }

  /** Ends both directions: after all that was sent so far, or by a reset. */
  cut(reset: boolean): void {
    clearTimeout(this.#thaw)
    this.#state = 'cut'
    for (const socket of this.#sockets) {
      if (reset) socket.resetAndDestroy()
      else socket.destroy()
    }
  }

  /** Ends one direction in order, and drops further bytes of its sender. */
  halfClose(inward: boolean): void {
    this.#state = 'half-closed'
    this.#way(inward).end()
  }

  /** Lets no byte through, for `duration` milliseconds or until it is thawed. */
  freeze(duration?: number): void {
    this.#state = 'frozen'
    clearTimeout(this.#thaw)
    for (const way of [this.#inward, this.#outward]) way.freeze()
    if (duration !== undefined) this.#thaw = setTimeout(() => this.thaw(), duration)
  }

  /** Lets bytes through again. */
  thaw(): void {
    this.#state = 'open'
    for (const way of [this.#inward, this.#outward]) way.thaw()
  }

  /** Ends both directions as soon as `bytes` more bytes have passed in one of them. */
  cutAfter(bytes: number, inward: boolean): void {
    this.#state = `to be cut after ${bytes} bytes`
    this.#way(inward).limit = bytes
  }

  #way(inward: boolean): Way {
    return inward ? this.#inward : this.#outward
  }
}

/** One direction. */
class Way {
  /** Bytes that may still pass, where that is limited. */
  limit = Number.POSITIVE_INFINITY
  readonly #from: Socket
  readonly #to: Socket
  readonly #onBytes: (count: number) => void
  readonly #cut: () => void
  #frozen = false
  #ended = false

  constructor(from: Socket, to: Socket, onBytes: (count: number) => void, cut: () => void) {
    this.#from = from
    this.#to = to
    this.#onBytes = onBytes
    this.#cut = cut
    from.on('data', (chunk) => this.#pass(chunk))
    from.on('end', () => this.end())
    to.on('drain', () => this.#resume())
  }

  end(): void {
    this.#ended = true
    this.#to.end()
    this.#resume()
  }

  freeze(): void {
    this.#frozen = true
    this.#from.pause()
  }

  thaw(): void {
    this.#frozen = false
    if (this.#ended || !this.#to.writableNeedDrain) this.#resume()
  }

  #resume(): void {
    if (!this.#frozen) this.#from.resume()
  }

  #pass(chunk: Buffer): void {
    if (this.#ended) return
    this.#onBytes(chunk.length)
    if (chunk.length >= this.limit) {
      this.#ended = true
      this.#to.write(chunk.subarray(0, this.limit), this.#cut)
      return
    }
    this.limit -= chunk.length
    if (!this.#to.write(chunk)) this.#from.pause()
  }
}
