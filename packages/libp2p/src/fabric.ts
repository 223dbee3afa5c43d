import {
  type Envelope,
  type Fabric,
  invariant,
  type Milliseconds,
  type Mixing,
  messageOf,
  type PeerName,
  type Random,
  type SendResult,
  StoppedError,
  type Topology,
  type Work
} from '@murmuration/core'
import { checkHead, type VectorMessage } from '@murmuration/wire'
import { realClock } from './clock.js'
import type { Mailbox } from './mailbox.js'
import type { VectorPool } from './vector-pool.js'

/** What the fabric asks of the network. */
export interface FabricOptions {
  readonly self: PeerName
  readonly random: Random
  readonly topology: Topology
  readonly elements: number
  readonly mailbox: Mailbox<VectorMessage>
  readonly pool: VectorPool
  /** Aborted, with a StoppedError as the reason, when the peer is to stop. */
  readonly signal: AbortSignal
  readonly offer: (to: PeerName, message: VectorMessage) => SendResult
  /** Told when a neighbour has sent what the algorithm has no use for. */
  readonly reject: (from: PeerName, reason: string) => void
  /** Told when a spawned activity fails. */
  readonly onFailure: (why: string) => void
}

/** The fabric of a real machine: real time, real neighbours, computing that takes as long as it takes. */
export class NetworkFabric implements Fabric<VectorMessage> {
  readonly self: PeerName
  readonly random: Random
  readonly signal: AbortSignal
  readonly #options: FabricOptions
  readonly #isServer: boolean
  #round = 0

  constructor(options: FabricOptions) {
    this.#options = options
    this.#isServer = !options.topology.peers.includes(options.self)
    this.self = options.self
    this.random = options.random
    this.signal = options.signal
  }

  /** The last round that was sent. */
  get round(): number {
    return this.#round
  }

  now(): Milliseconds {
    return realClock.now()
  }

  neighbours(round: number): Mixing {
    invariant(!this.#isServer, () => `${this.self} is a server, which has no neighbours and no row in the topology`)
    return this.#options.topology.mixing(this.self, round)
  }

  send(to: PeerName, message: VectorMessage): SendResult {
    const { elements, offer } = this.#options
    const { offset = 0, vector } = message
    const end = offset + vector.length
    checkHead(message)
    const fits = offset === 0 ? end <= elements : vector.length > 0 && end <= elements
    invariant(fits, () => `numbers ${offset} to ${end - 1} were sent; the schema has ${elements}`)
    this.#round = Math.max(this.#round, message.round)
    return offer(to, message)
  }

  receive(until?: Milliseconds): Promise<Envelope<VectorMessage> | undefined> {
    return this.#options.mailbox.receive(until)
  }

  wake(): void {
    this.#options.mailbox.wake()
  }

  recycle({ vector }: VectorMessage): void {
    this.#options.pool.give(vector)
  }

  reject({ from, message }: Envelope<VectorMessage>, reason: string): void {
    this.recycle(message)
    this.#options.reject(from, reason)
  }

  allocate(length: number): Float32Array {
    return this.#options.pool.take(length)
  }

  free(vector: Float32Array): void {
    this.#options.pool.give(vector)
  }

  sleep(until: Milliseconds): Promise<void> {
    return this.#unlessStopped((resolve) => {
      if (until > realClock.now()) return realClock.at(until, resolve)
      const immediate = setImmediate(resolve)
      return () => clearImmediate(immediate)
    })
  }

  work<Result>(work: Work<Result>): Promise<Result> {
    const result = this.#unlessStopped<Result>((resolve, reject) => {
      run(work).then(resolve, reject)
      return () => {}
    })
    // A failure is for whoever awaits the result. Until then it must not end the process as an unhandled rejection.
    result.catch(() => {})
    return result
  }

  spawn(activity: (fabric: Fabric<VectorMessage>) => Promise<void>): void {
    activity(this).catch((error: unknown) => {
      if (!(error instanceof StoppedError)) this.#options.onFailure(messageOf(error))
    })
  }

  /** A promise that `start` settles, unless the peer is stopped before. `start` returns how to call it off. */
  #unlessStopped<T>(start: (resolve: (value: T) => void, reject: (error: unknown) => void) => () => void): Promise<T> {
    return new Promise((resolve, reject) => {
      if (this.signal.aborted) return reject(this.signal.reason)
      const settle = (act: () => void) => {
        callOff()
        this.signal.removeEventListener('abort', stopped)
        act()
      }
      const stopped = () => settle(() => reject(this.signal.reason))
      this.signal.addEventListener('abort', stopped)
      const callOff = start(
        (value) => settle(() => resolve(value)),
        (error) => settle(() => reject(error))
      )
    })
  }
}

/** Starts at once, and turns an exception into a rejection. */
async function run<Result>(work: Work<Result>): Promise<Result> {
  return work.run()
}
