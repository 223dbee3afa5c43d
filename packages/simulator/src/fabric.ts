import {
  type Envelope,
  type Fabric,
  type Milliseconds,
  type Mixing,
  type PeerName,
  type Random,
  type SendResult,
  StoppedError,
  type Work
} from '@murmuration/core'
import type { Delivery } from './connection.js'
import type { Endpoint } from './endpoint.js'
import type { Kernel, Program } from './kernel.js'

/** What a fabric asks of its simulation. */
export interface World<Message> {
  readonly kernel: Kernel
  mixing(peer: PeerName, round: number): Mixing
  send(from: Endpoint<Message>, to: PeerName, message: Message): SendResult
  recycle(message: Message): void
  cost(work: Work<unknown>, peer: PeerName): Milliseconds
  spawn(endpoint: Endpoint<Message>, activity: (fabric: Fabric<Message>) => Promise<void>): void
  workEnded(endpoint: Endpoint<Message>, kind: string, start: Milliseconds): void
}

/** The fabric in virtual time, of one program. */
export class SimulatedFabric<Message> implements Fabric<Message> {
  readonly self: PeerName
  readonly random: Random
  readonly signal: AbortSignal
  readonly #world: World<Message>
  readonly #endpoint: Endpoint<Message>
  readonly #program: Program

  constructor(world: World<Message>, endpoint: Endpoint<Message>, program: Program) {
    this.self = endpoint.name
    this.random = endpoint.random
    this.signal = endpoint.stopping.signal
    this.#world = world
    this.#endpoint = endpoint
    this.#program = program
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

  async receive(until = Number.POSITIVE_INFINITY): Promise<Envelope<Message> | undefined> {
    this.#throwIfStopped()
    const { mailbox } = this.#endpoint
    const delivery = mailbox.take() ?? (await this.#park('a message', until, true))
    delivery?.connection.taken()
    return delivery
  }

  recycle(message: Message): void {
    this.#world.recycle(message)
  }

  async sleep(until: Milliseconds): Promise<void> {
    this.#throwIfStopped()
    await this.#park(() => `its clock to show ${until} ms`, until, false)
  }

  work<Result>(work: Work<Result>): PromiseLike<Result> {
    return new SimulatedWork(work, this.#world, this.#endpoint, this.#program)
  }

  spawn(activity: (fabric: Fabric<Message>) => Promise<void>): void {
    this.#world.spawn(this.#endpoint, activity)
  }

  /** Parks until a message comes, if that is waited for, or the clock shows `until`. */
  #park(
    what: string | (() => string),
    until: Milliseconds,
    forMessage: boolean
  ): Promise<Delivery<Message> | undefined> {
    const { kernel } = this.#world
    const program = this.#program
    const parked = kernel.park<Delivery<Message> | undefined>(program, what)
    if (forMessage) this.#endpoint.mailbox.wait(program)
    if (until < Infinity) {
      program.timer = kernel.schedule(this.#endpoint.timeOf(until), () => kernel.wake(program, undefined))
    }
    return parked
  }

  #throwIfStopped(): void {
    if (this.#endpoint.isStopping) throw this.signal.reason ?? new StoppedError()
  }
}

/**
 * Computing that is under way: it runs for real at once, and is over when the virtual clock says so. Awaiting it parks the
 * program until then.
 */
class SimulatedWork<Message, Result> implements PromiseLike<Result> {
  readonly #work: Work<Result>
  readonly #world: World<Message>
  readonly #endpoint: Endpoint<Message>
  readonly #program: Program
  readonly #start: Milliseconds
  #outcome: { readonly result: Result } | { readonly promise: Promise<Result> } | { readonly error: unknown }
  #frozen: Milliseconds
  #isOver = false
  #isAwaited = false

  constructor(work: Work<Result>, world: World<Message>, endpoint: Endpoint<Message>, program: Program) {
    this.#work = work
    this.#world = world
    this.#endpoint = endpoint
    this.#program = program
    this.#start = world.kernel.now()
    this.#frozen = endpoint.frozen(this.#start)
    this.#outcome = run(work)
    endpoint.timeUse.work(this.#start, 1)
    this.#planEnd(world.cost(work, endpoint.name))
  }

  // Awaiting is what parks the program, so it has to be seen.
  then<Fulfilled = Result, Rejected = never>(
    onFulfilled?: ((value: Result) => Fulfilled | PromiseLike<Fulfilled>) | null,
    onRejected?: ((reason: unknown) => Rejected | PromiseLike<Rejected>) | null
  ): Promise<Fulfilled | Rejected> {
    if (this.#isOver) return this.#settled().then(onFulfilled, onRejected)
    this.#isAwaited = true
    return this.#world.kernel
      .park<void>(this.#program, () => `its ${this.#work.kind} to be computed`)
      .then(() => this.#settled())
      .then(onFulfilled, onRejected)
  }

  #settled(): Promise<Result> {
    const outcome = this.#outcome
    if ('promise' in outcome) return outcome.promise
    return 'error' in outcome ? Promise.reject(outcome.error) : Promise.resolve(outcome.result)
  }

  #planEnd(inTime: Milliseconds): void {
    const { kernel } = this.#world
    kernel.schedule(kernel.now() + inTime, () => {
      if ('promise' in this.#outcome) return this.#outcome.promise.then(toNothing, toNothing).then(() => this.#end())
      return this.#end()
    })
  }

  /** What a frozen machine has missed is made up for at its thaw. */
  #end(): void {
    if (this.#program.isGone) return
    const now = this.#world.kernel.now()
    const endpoint = this.#endpoint
    const missed = endpoint.frozen(now) - this.#frozen
    this.#frozen += missed
    if (endpoint.frozenSince !== undefined) {
      endpoint.gate.held.push(() => {
        this.#frozen = endpoint.frozen(this.#world.kernel.now())
        this.#planEnd(missed)
      })
      return
    }
    if (missed > 0) {
      this.#planEnd(missed)
      return
    }
    this.#isOver = true
    endpoint.timeUse.work(now, -1)
    this.#world.workEnded(endpoint, this.#work.kind, this.#start)
    if (this.#isAwaited) this.#world.kernel.wake(this.#program, undefined)
  }
}

const toNothing = () => {}

function run<Result>(work: Work<Result>) {
  try {
    const result = work.run()
    if (!(result instanceof Promise)) return { result }
    result.catch(toNothing)
    return { promise: result }
  } catch (error) {
    return { error }
  }
}
