import {
  type Envelope,
  type Fabric,
  invariant,
  type Milliseconds,
  type Mixing,
  messageOf,
  type NoteListener,
  type PeerName,
  type Random,
  type Receiver,
  type SendResult,
  StoppedError,
  type Topology,
  type Work
} from '@murmuration/core'
import { checkHead, type VectorMessage } from '@murmuration/wire'
import { afterTurn, realClock } from './base/clock.js'
import type { LinkContext } from './links/context.js'
import type { PeerSet } from './links/peer-set.js'

/** The fabric of a real machine: real time, real neighbours, real computation. */
export class NetworkFabric implements Fabric<VectorMessage> {
  readonly self: PeerName
  readonly random: Random
  readonly #context: LinkContext
  readonly #topology: Topology
  readonly #peers: PeerSet
  readonly #stopping = new AbortController()

  constructor(context: LinkContext, topology: Topology, peers: PeerSet) {
    this.#context = context
    this.#topology = topology
    this.#peers = peers
    this.self = context.self
    this.random = context.random
  }

  get signal(): AbortSignal {
    return this.#stopping.signal
  }

  get isStopping(): boolean {
    return this.signal.aborted
  }

  stop(reason: unknown): void {
    if (this.signal.aborted) return
    this.#stopping.abort(reason)
    this.#context.listening.stop()
    this.#context.mailbox.stop(reason)
    this.#context.changed.notify()
  }

  /** Stops because a part of the program that is not awaited has failed. */
  fail(part: string, error: unknown): void {
    const reason = messageOf(error)
    this.#context.emit({ kind: 'activity-failed', reason })
    this.stop(new StoppedError(`${part} failed: ${reason}`))
  }

  now(): Milliseconds {
    return realClock.now()
  }

  neighbours(round: number): Mixing {
    const isServer = !this.#topology.peers.includes(this.self)
    invariant(!isServer, () => `${this.self} is a server, which has no neighbours and no row in the topology`)
    return this.#topology.mixing(this.self, round)
  }

  send(to: PeerName, message: VectorMessage): SendResult {
    const { elements } = this.#context
    const { offset = 0, vector } = message
    const end = offset + vector.length
    checkHead(message)
    const fits = offset === 0 ? end <= elements : vector.length > 0 && end <= elements
    invariant(fits, () => `numbers ${offset} to ${end - 1} were sent; the schema has ${elements}`)
    return this.#peers.sessionForVectors(to)?.outgoing.offer(message) ?? 'unreachable'
  }

  tell(to: PeerName, note: string): void {
    this.#peers.sessionWith(to)?.outgoing.tell(note)
  }

  listen(listener: NoteListener): void {
    this.#context.listening.start(listener)
  }

  receive(
    until?: Milliseconds,
    _receiver?: Receiver<VectorMessage>,
    waitsFor?: object
  ): Promise<Envelope<VectorMessage> | undefined> {
    return this.#context.mailbox.receive(until, waitsFor)
  }

  wake(waitsFor?: object): void {
    this.#context.mailbox.wake(waitsFor)
  }

  recycle({ vector }: VectorMessage): void {
    this.#context.pool.release(vector)
  }

  reject({ from, message }: Envelope<VectorMessage>, reason: string): void {
    this.recycle(message)
    this.#peers.sessionWith(from)?.incoming.reject(reason)
  }

  allocate(length: number): Float32Array {
    return this.#context.pool.acquire(length)
  }

  free(vector: Float32Array): void {
    this.#context.pool.release(vector)
  }

  sleep(until: Milliseconds): Promise<void> {
    return this.#unlessStopped((resolve) => {
      if (until > realClock.now()) return realClock.at(until, resolve)
      return afterTurn(resolve)
    })
  }

  work<Result>(work: Work<Result>): Promise<Result> {
    const result = this.#unlessStopped<Result>((resolve, reject) => {
      run(work).then(resolve, reject)
      return () => {}
    })
    // The code that awaits the result handles a failure. Until then it must not end the process as an unhandled
    // rejection.
    result.catch(() => {})
    return result
  }

  spawn(activity: (fabric: Fabric<VectorMessage>) => Promise<void>): void {
    activity(this).catch((error: unknown) => {
      if (!(error instanceof StoppedError) && error !== this.signal.reason) this.fail('a spawned activity', error)
    })
  }

  /** A promise that `start` settles, unless the peer is stopped before. `start` returns a function that cancels it. */
  #unlessStopped<T>(start: (resolve: (value: T) => void, reject: (error: unknown) => void) => () => void): Promise<T> {
    return new Promise((resolve, reject) => {
      if (this.signal.aborted) return reject(this.signal.reason)
      const settle = (act: () => void) => {
        cancel()
        this.signal.removeEventListener('abort', stopped)
        act()
      }
      const stopped = () => settle(() => reject(this.signal.reason))
      this.signal.addEventListener('abort', stopped)
      const cancel = start(
        (value) => settle(() => resolve(value)),
        (error) => settle(() => reject(error))
      )
    })
  }
}

/** Starts at once, and turns a synchronous exception into a rejection. */
async function run<Result>(work: Work<Result>): Promise<Result> {
  return work.run()
}
