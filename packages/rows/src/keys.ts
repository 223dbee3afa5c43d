/** `node.keys`: keyed rows as a worker sees them. */
import type { Fabric } from '@murmuration/core'
import type { VectorMessage } from '@murmuration/wire'
import type { KeyPeer } from './key-peer.js'
import type { Operation } from './operation.js'

/**
 * Reads rows and adds to them, wherever they are. Keys are ascending; rows are concatenated. Each call has an
 * asynchronous form, which returns at once: its arguments must not change until `wait` has been awaited.
 *
 * Awaited operations are sequentially consistent for each key, unless the server promises less. Others are applied once
 * each, in any order.
 */
export class Keys {
  readonly #fabric: Fabric<VectorMessage>
  readonly #peer: KeyPeer
  readonly #worker: number

  /**
   * @param fabric - the fabric of the activity that waits
   * @param worker - which of the peer's workers it is, 0, 1, …
   */
  constructor(fabric: Fabric<VectorMessage>, peer: KeyPeer, worker = 0) {
    this.#fabric = fabric
    this.#peer = peer
    this.#worker = worker
  }

  /** For errors: who has sent large numbers, if somebody has. */
  get suspected(): string {
    return this.#peer.suspected
  }

  /** The worker's clock ticks, where servers use clocks. */
  tick(): Promise<void> {
    return this.wait(this.#peer.server.tick(this.#worker))
  }

  /** The worker has finished its part of the phase. */
  end(): void {
    this.#peer.server.end(this.#worker)
  }

  /** Reads the rows of `keys` into `out`. */
  pull(keys: Uint32Array, out: Float32Array): Promise<void> {
    return this.wait(this.pullAsync(keys, out))
  }

  /** Adds `values` to the rows of `keys`. */
  push(keys: Uint32Array, values: Float32Array): Promise<void> {
    return this.wait(this.pushAsync(keys, values))
  }

  /** Moves the rows of `keys` to this peer, where rows move. Does not wait for those that are already on their way. */
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

  /** The worker intends to use the rows of `keys` until tick `until` of its clock. Need not be awaited. */
  intend(keys: Uint32Array, until: number): void {
    this.#peer.server.intend(keys, this.#worker, until)
  }

  /** @throws NeighboursMissingError after two timeouts without any message */
  wait(operation: Operation): Promise<void> {
    return this.#peer.finish(this.#fabric, operation)
  }
}
