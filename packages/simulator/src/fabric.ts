import {
  type Computation,
  type Envelope,
  type Fabric,
  type Milliseconds,
  type Mixing,
  type NoteListener,
  type PeerName,
  type Random,
  type Receiver,
  type SendResult,
  type Work,
  type WorkPart
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

  work<Result>(work: Work<Result>): Computation<Result> {
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

/** What a work gives. It really runs at once, on this thread or another. */
class WorkOutcome<Result> {
  #result: Result | Promise<Result> | undefined
  #error: unknown
  #hasFailed = false

  constructor(work: Work<Result>) {
    try {
      this.#result = work.run()
      // A failure is handled when its time is up.
      if (this.#result instanceof Promise) this.#result.catch(() => {})
    } catch (error) {
      this.#fail(error)
    }
  }

  /** Waits until it is there; undefined if it is. */
  settled(): Promise<void> | undefined {
    return this.#result instanceof Promise ? this.#settle(this.#result) : undefined
  }

  /** Once it is there. */
  get(): Promise<Result> {
    return this.#hasFailed ? Promise.reject(this.#error) : Promise.resolve(this.#result as Result)
  }

  /** Gives it to a parked program. */
  wake(program: KernelProgram, kernel: Kernel): void {
    if (this.#hasFailed) kernel.fail(program, this.#error)
    else kernel.wake(program, this.#result)
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
}

/**
 * A computation in progress: it ends when the virtual clock says so. Awaiting it, or one of its parts, parks the
 * program until then.
 */
class SimulatedWork<Message, Result> implements Computation<Result>, Event, WaitList {
  /** When the next part is ready, or the last. */
  time: Milliseconds = Number.NaN
  cancelled = false
  readonly parts: readonly WorkPart[] | undefined
  readonly #kind: string
  readonly #world: SimulatedWorld<Message>
  readonly #endpoint: Endpoint<Message>
  readonly #program: KernelProgram
  readonly #start: Milliseconds
  readonly #cost: Milliseconds
  readonly #outcome: WorkOutcome<Result>
  #frozen: Milliseconds
  /** How many parts are ready; infinite once it is over. */
  #ready = 0
  /** How many parts the program waits for; undefined while it does not wait for this. */
  #awaited: number | undefined

  constructor(work: Work<Result>, world: SimulatedWorld<Message>, endpoint: Endpoint<Message>, program: KernelProgram) {
    this.#kind = work.kind
    this.parts = work.parts
    this.#world = world
    this.#endpoint = endpoint
    this.#program = program
    this.#start = world.kernel.now()
    this.#frozen = endpoint.frozen(this.#start)
    this.#outcome = new WorkOutcome(work)
    endpoint.timeUse.work(this.#start, 1)
    this.#cost = world.cost(work, endpoint.name)
    this.#planNext(0)
  }

  // Awaiting parks the program, so the class implements `then` itself.
  then<Fulfilled = Result, Rejected = never>(
    onFulfilled?: ((value: Result) => Fulfilled | PromiseLike<Fulfilled>) | null,
    onRejected?: ((reason: unknown) => Rejected | PromiseLike<Rejected>) | null
  ): Promise<Fulfilled | Rejected> {
    return this.#when(Number.POSITIVE_INFINITY).then(onFulfilled, onRejected)
  }

  part(index: number): Promise<Result> {
    return this.#when(index + 1)
  }

  /** The program was woken by something else, such as a stop: it no longer waits for this. */
  forget(): void {
    this.#awaited = undefined
  }

  /** The time is up; the result may still be computed on another thread. */
  fire(): void | Promise<void> {
    const settled = this.#outcome.settled()
    return settled === undefined ? this.#reach() : settled.then(() => this.#reach())
  }

  /** The result or the error, once so many parts are ready. */
  #when(parts: number): Promise<Result> {
    if (this.#ready >= parts) return this.#outcome.get()
    this.#awaited = parts
    this.#program.waitList = this
    return this.#world.kernel.park<Result>(this.#program, () => `its ${this.#kind} to be computed`)
  }

  /** Plans when the next part is ready, or the end; the last one was at the fraction `done`. */
  #planNext(done: number): void {
    const next = this.parts?.[this.#ready]?.done ?? 1
    this.#plan((next - done) * this.#cost)
  }

  #plan(inTime: Milliseconds): void {
    const { kernel } = this.#world
    this.time = kernel.now() + inTime
    kernel.add(this)
  }

  /** A part is ready, or all. Time that a frozen machine has missed is added after its thaw. */
  #reach(): void {
    if (this.#program.isGone) return
    const { kernel } = this.#world
    const now = kernel.now()
    const endpoint = this.#endpoint
    const missed = endpoint.frozen(now) - this.#frozen
    this.#frozen += missed
    if (endpoint.frozenSince !== undefined) {
      endpoint.gate.hold(() => {
        this.#frozen = endpoint.frozen(kernel.now())
        this.#plan(missed)
      })
      return
    }
    if (missed > 0) return this.#plan(missed)
    const part = this.parts?.[this.#ready]
    if (part === undefined) return this.#end(now)
    this.#ready++
    this.#planNext(part.done)
    this.#wake()
  }

  #end(now: Milliseconds): void {
    this.#ready = Number.POSITIVE_INFINITY
    this.#endpoint.timeUse.work(now, -1)
    this.#world.workEnded(this.#endpoint, this.#kind, this.#start)
    this.#wake()
  }

  #wake(): void {
    if (this.#awaited !== undefined && this.#ready >= this.#awaited)
      this.#outcome.wake(this.#program, this.#world.kernel)
  }
}
