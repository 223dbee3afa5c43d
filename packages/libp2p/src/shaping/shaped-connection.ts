import type { AbortOptions, MultiaddrConnection } from '@libp2p/interface'
import { AbstractMultiaddrConnection, Uint8ArrayList } from '#platform/libraries/base.js'
import { Signal } from '../base/signal.js'
import type { AccessLines, LineUser } from './access-lines.js'
import { type Flight, ShapedFlow } from './flow.js'
import { type ShapedPath, unknownRoute } from './route.js'
import { StampReader, stamped } from './stamps.js'

/**
 * The most bytes in the inner connection's write buffer; beyond, the flow is held until the inner connection is idle.
 */
const congested = 256 << 10

/**
 * A connection with simulated delays. Sent bytes pass this peer's up line and are in flight before the system gets
 * them; bytes that the system has received pass this peer's down line. Back-pressure: it stops its writer, or reading
 * from the system, while more bytes wait for a line than the line takes in about 100 ms.
 */
export class ShapedConnection extends AbstractMultiaddrConnection implements LineUser {
  readonly out: ShapedFlow
  readonly in: ShapedFlow
  readonly #inner: MultiaddrConnection
  readonly #lines: AccessLines
  readonly #stamps = new StampReader()
  readonly #changed = new Signal()
  #route = unknownRoute
  #isPaused = false
  /** The far side has closed; bytes that arrived before must still be delivered. */
  #isEnding = false

  constructor(inner: MultiaddrConnection, lines: AccessLines) {
    const { remoteAddr, direction, log, inactivityTimeout, maxReadBufferLength } = inner
    super({ remoteAddr, direction, log, inactivityTimeout, maxReadBufferLength })
    this.#inner = inner
    this.#lines = lines
    this.out = new ShapedFlow((flights) => this.#write(flights))
    this.in = new ShapedFlow((flights) => this.onData(new Uint8ArrayList(...flights.map(({ bytes }) => bytes))))
    lines.join(this)
    inner.addEventListener('message', ({ data }) => this.#arrive(data))
    // In a microtask: bytes that are sent while libp2p dispatches `idle` would not be written.
    inner.addEventListener('idle', () => queueMicrotask(() => this.#goOn()))
    inner.addEventListener('close', ({ error }) => this.#end(error))
    this.addEventListener('close', () => this.#leave())
  }

  /** Sets the route of bytes that are sent from now on. */
  set route(route: ShapedPath) {
    this.#route = route
    this.out.cap = route.cap
  }

  override sendData(data: Uint8ArrayList): { readonly sentBytes: number; readonly canSendMore: boolean } {
    const sentBytes = data.byteLength
    this.out.offer(data, this.#lines.now(), this.#route.delay())
    this.#lines.run()
    return { sentBytes, canSendMore: this.out.waiting <= 2 * this.#lines.up.reserve(this.out) }
  }

  settle(): void {
    if (this.writableNeedsDrain && this.out.waiting <= this.#lines.up.reserve(this.out)) this.safeDispatchEvent('drain')
    this.#balance()
    this.#changed.notify()
    if (this.#isEnding && this.in.load === 0) this.onTransportClosed()
  }

  /** Resolves when all sent bytes were written to the inner connection, or when that has closed. */
  async flush(signal?: AbortSignal): Promise<void> {
    const wake = () => this.#changed.notify()
    signal?.addEventListener('abort', wake)
    try {
      while (this.out.load > 0) {
        signal?.throwIfAborted()
        await this.#changed.wait()
      }
    } finally {
      signal?.removeEventListener('abort', wake)
    }
  }

  override async sendClose(options?: AbortOptions): Promise<void> {
    await this.flush(options?.signal)
    await this.#inner.close(options)
  }

  /** Resets the far side at once: bytes in flight are lost. */
  override sendReset(error: Error): void {
    this.#inner.abort(error)
  }

  override sendPause(): void {
    this.in.hold()
  }

  override sendResume(): void {
    this.in.letGo(this.#lines.now())
    this.#lines.run()
  }

  #write(flights: readonly Flight[]): void {
    if (this.#inner.status !== 'open') return
    this.#inner.send(stamped(flights))
    if (this.#inner.writeBufferLength > congested) this.out.hold()
  }

  /** The inner connection's write buffer is empty. */
  #goOn(): void {
    this.out.letGo(this.#lines.now())
    this.#lines.run()
  }

  #arrive(data: Uint8Array | Uint8ArrayList): void {
    const now = this.#lines.now()
    for (const { bytes, due, isEnd } of this.#stamps.read(data)) {
      const since = Math.min(due, now)
      this.#lines.down.makeUp(since, bytes.byteLength)
      this.in.offer(bytes, since, 0, isEnd)
    }
    this.#lines.run()
  }

  /** Pauses reading while too many bytes wait for the line. */
  #balance(): void {
    if (this.#inner.status !== 'open') return
    const reserve = this.#lines.down.reserve(this.in)
    if (!this.#isPaused && this.in.waiting > 2 * reserve) {
      this.#isPaused = true
      this.#inner.pause()
    } else if (this.#isPaused && this.in.waiting <= reserve) {
      this.#isPaused = false
      this.#inner.resume()
    }
  }

  #end(error: Error | undefined): void {
    this.out.clear()
    if (error !== undefined) this.abort(error)
    this.#isEnding = true
    this.#lines.run()
  }

  #leave(): void {
    this.#lines.leave(this)
    this.out.clear()
    this.in.clear()
    this.#changed.notify()
    this.#lines.run()
  }
}
