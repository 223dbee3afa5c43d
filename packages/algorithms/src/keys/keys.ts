/** `node.keys`: keyed rows as a worker sees them. */
import type { Fabric } from '@murmuration/core'
import type { VectorMessage } from '@murmuration/wire'
import type { KeyPeer } from './key-peer.js'
import type { Operation } from './operation.js'

/**
 * Reads rows and adds to them, wherever they are. Keys are ascending; rows lie one after the other. Each call has an asynchronous form, which returns at
 * once: what it is given must not change until `wait` has been awaited.
 *
 * Operations that are waited for are sequentially consistent for each key, unless the server promises less. Those that are not happen once each, in any order.
 */
export class Keys {
  readonly #own: Fabric<VectorMessage>
  readonly #peer: KeyPeer
  readonly #worker: number

  /**
   * @param own - the fabric of the activity that waits
   * @param worker - which of the peer's workers it is, 0, 1, …
   */
  constructor(own: Fabric<VectorMessage>, peer: KeyPeer, worker = 0) {
    this.#own = own
    this.#peer = peer
    this.#worker = worker
  }

  /** The worker's clock ticks, where servers go by clocks. */
  tick(): Promise<void> {
    return this.wait(this.#peer.server.tick(this.#worker))
  }

  /** The worker has done what it does in this phase. */
  end(): void {
    this.#peer.server.end(this.#worker)
  }

  /** Reads the rows of `keys` to `out`. */
  pull(keys: Uint32Array, out: Float32Array): Promise<void> {
    return this.wait(this.pullAsync(keys, out))
  }

  /** Adds `values` to the rows of `keys`. */
  push(keys: Uint32Array, values: Float32Array): Promise<void> {
    return this.wait(this.pushAsync(keys, values))
  }

  /** Moves the rows of `keys` to this peer, where rows move. Those that are on their way already are not waited for. */
  localize(keys: Uint32Array): Promise<void> {
    return this.wait(this.localizeAsync(keys))
  }

  pullAsync(keys: Uint32Array, out: Float32Array): Operation {
    return this.#peer.server.pull(keys, out, this.#worker)
  }

  pushAsync(keys: Uint32Array, values: Float32Array): Operation {
    return this.#peer.server.push(keys, values)
  }

  localizeAsync(keys: Uint32Array): Operation {
    return this.#peer.server.localize(keys)
  }

  /** The worker is about to use the rows of `keys`, until its clock has got to `until`. Nothing need be waited for. */
  intend(keys: Uint32Array, until: number): void {
    this.#peer.server.intend(keys, this.#worker, until)
  }

  /** @throws NeighboursMissingError after two timeouts without any message */
  wait(operation: Operation): Promise<void> {
    return this.#peer.finish(this.#own, operation)
  }
}
