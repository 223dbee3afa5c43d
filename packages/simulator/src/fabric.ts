import {
  type Envelope,
  type Fabric,
  type Milliseconds,
  type Mixing,
  type NoteListener,
  type PeerName,
  type Random,
  type Receiver,
  type SendResult,
  type Work
} from '@murmuration/core'
import type { Delivery } from './connection.js'
import type { Endpoint } from './endpoint.js'
import type { Event } from './event-queue.js'
import type { Kernel } from './kernel.js'
import type { KernelProgram, WaitList } from './program.js'

/** What a fabric needs of its simulation. */
export interface SimulatedWorld<Message> {
  readonly kernel: Kernel
  mixing(peer: PeerName, round: number): Mixing
  send(from: Endpoint<Message>, to: PeerName, message: Message): SendResult
  tell(from: Endpoint<Message>, to: PeerName, note: string): void
  recycle(message: Message): void
  allocate(length: number): Float32Array
  free(vector: Float32Array): void
  reject(envelope: Envelope<Message>): void
  cost(work: Work<unknown>, peer: PeerName): Milliseconds
  /** Stops one endpoint. */
  leave(endpoint: Endpoint<Message>, reason: unknown): void
  spawn(endpoint: Endpoint<Message>, activity: (fabric: Fabric<Message>) => Promise<void>): void
  workEnded(endpoint: Endpoint<Message>, kind: string, start: Milliseconds): void
}

/** The fabric in virtual time, of one program. */
export class SimulatedFabric<Message> implements Fabric<Message> {
  readonly self: PeerName
  readonly random: Random
  readonly #world: SimulatedWorld<Message>
  readonly #endpoint: Endpoint<Message>
  readonly #program: KernelProgram

  constructor(world: SimulatedWorld<Message>, endpoint: Endpoint<Message>, program: KernelProgram) {
    this.self = endpoint.name
    this.random = endpoint.random
    this.#world = world
    this.#endpoint = endpoint
    this.#program = program
  }

  get signal(): AbortSignal {
    return this.#endpoint.signal
  }

  get isStopping(): boolean {
    return this.#endpoint.isStopping
  }

  stop(reason: unknown): void {
    if (!this.isStopping) this.#world.leave(this.#endpoint, reason)
  }

  now(): Milliseconds {
    return this.#endpoint.clock(this.#world.kernel.now())
  }

  neighbours(round: number): Mixing {
    return this.#world.mixing(this.self, round)
  }

  send(to: PeerName, message: Message): SendResult {
    return this.#world.send(this.#endpoint, to, message)
  }

  tell(to: PeerName, note: string): void {
    this.#world.tell(this.#endpoint, to, note)
  }

  listen(listener: NoteListener): void {
    if (!this.#endpoint.isStopping) this.#endpoint.listener = listener
  }

  receive(
    until = Number.POSITIVE_INFINITY,
    receiver?: Receiver<Message>,
    waitsFor?: object
  ): Promise<Envelope<Message> | undefined> {
    if (this.#endpoint.isStopping) return this.#refuse()
    const delivery = this.#endpoint.mailbox.take()
    if (delivery === undefined) {
      this.#program.receiver = receiver
      this.#program.waitsFor = waitsFor
      return this.#park('a message', until, true)
    }
    delivery.connection.taken(delivery)
    return Promise.resolve(delivery)
  }

  wake(waitsFor?: object): void {
    const program = this.#endpoint.mailbox.first(waitsFor)
    if (program !== undefined) this.#world.kernel.wake(program, undefined)
  }

  recycle(message: Message): void {
    this.#world.recycle(message)
  }

  reject(envelope: Envelope<Message>): void {
    this.#world.reject(envelope)
  }

  allocate(length: number): Float32Array {
    return this.#world.allocate(length)
  }

  free(vector: Float32Array): void {
    this.#world.free(vector)
  }

  async sleep(until: Milliseconds): Promise<void> {
    if (this.#endpoint.isStopping) return this.#refuse()
    await this.#park(() => `its clock to show ${until} ms`, until, false)
  }

  work<Result>(work: Work<Result>): PromiseLike<Result> {
    return new SimulatedWork(work, this.#world, this.#endpoint, this.#program)
  }

  spawn(activity: (fabric: Fabric<Message>) => Promise<void>): void {
    this.#world.spawn(this.#endpoint, activity)
  }

  /** Parks until a message arrives, if one is awaited, or the clock shows `until`. */
  #park(
    what: string | (() => string),
    until: Milliseconds,
    forMessage: boolean
  ): Promise<Delivery<Message> | undefined> {
    const { mailbox } = this.#endpoint
    const deadline = until < Number.POSITIVE_INFINITY ? this.#endpoint.timeOf(until) : until
    return this.#world.kernel.park(this.#program, what, deadline, forMessage ? mailbox : undefined)
  }

  #refuse(): Promise<never> {
    return Promise.reject(this.signal.reason)
  }
}

/**
 * A computation in progress: it really runs at once, and ends when the virtual clock says so. Awaiting it parks the
 * program until then.
 */
class SimulatedWork<Message, Result> implements PromiseLike<Result>, Event, WaitList {
  /** When its time is up. */
  time: Milliseconds = Number.NaN
  cancelled = false
  readonly #kind: string
  readonly #world: SimulatedWorld<Message>
  readonly #endpoint: Endpoint<Message>
  readonly #program: KernelProgram
  readonly #start: Milliseconds
  /** The result; a promise while it is computed on another thread. */
  #result: Result | Promise<Result> | undefined
  #error: unknown
  #hasFailed = false
  #frozen: Milliseconds
  #isOver = false
  #isAwaited = false

  constructor(work: Work<Result>, world: SimulatedWorld<Message>, endpoint: Endpoint<Message>, program: KernelProgram) {
    this.#kind = work.kind
    this.#world = world
    this.#endpoint = endpoint
    this.#program = program
    this.#start = world.kernel.now()
    this.#frozen = endpoint.frozen(this.#start)
    this.#run(work)
    endpoint.timeUse.work(this.#start, 1)
    this.#planEnd(world.cost(work, endpoint.name))
  }

  // Awaiting parks the program, so the class implements `then` itself.
  then<Fulfilled = Result, Rejected = never>(
    onFulfilled?: ((value: Result) => Fulfilled | PromiseLike<Fulfilled>) | null,
    onRejected?: ((reason: unknown) => Rejected | PromiseLike<Rejected>) | null
  ): Promise<Fulfilled | Rejected> {
    return (this.#isOver ? this.#outcome() : this.#wait()).then(onFulfilled, onRejected)
  }

  /** The program was woken by something else, such as a stop: it no longer waits for this. */
  forget(): void {
    this.#isAwaited = false
  }

  /** The time is up; the result may still be computed on another thread. */
  fire(): void | Promise<void> {
    const result = this.#result
    if (!(result instanceof Promise)) return this.#end()
    return this.#settle(result).then(() => this.#end())
  }

  #run(work: Work<Result>): void {
    try {
      this.#result = work.run()
      // A failure is handled when its time is up.
      if (this.#result instanceof Promise) this.#result.catch(() => {})
    } catch (error) {
      this.#fail(error)
    }
  }

  async #settle(result: Promise<Result>): Promise<void> {
    try {
      this.#result = await result
    } catch (error) {
      this.#fail(error)
    }
  }

  #fail(error: unknown): void {
    this.#result = undefined
    this.#error = error
    this.#hasFailed = true
  }

  #outcome(): Promise<Result> {
    return this.#hasFailed ? Promise.reject(this.#error) : Promise.resolve(this.#result as Result)
  }

  #wait(): Promise<Result> {
    this.#isAwaited = true
    this.#program.waitList = this
    return this.#world.kernel.park<Result>(this.#program, () => `its ${this.#kind} to be computed`)
  }

  #planEnd(inTime: Milliseconds): void {
    const { kernel } = this.#world
    this.time = kernel.now() + inTime
    kernel.add(this)
  }

  /** Time that a frozen machine has missed is added after its thaw. */
  #end(): void {
    if (this.#program.isGone) return
    const { kernel } = this.#world
    const now = kernel.now()
    const endpoint = this.#endpoint
    const missed = endpoint.frozen(now) - this.#frozen
    this.#frozen += missed
    if (endpoint.frozenSince !== undefined) {
      endpoint.gate.hold(() => {
        this.#frozen = endpoint.frozen(kernel.now())
        this.#planEnd(missed)
      })
      return
    }
    if (missed > 0) return this.#planEnd(missed)
    this.#isOver = true
    endpoint.timeUse.work(now, -1)
    this.#world.workEnded(endpoint, this.#kind, this.#start)
    if (!this.#isAwaited) return
    if (this.#hasFailed) kernel.fail(this.#program, this.#error)
    else kernel.wake(this.#program, this.#result)
  }
}
