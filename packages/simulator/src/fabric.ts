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
import type { Kernel, Program } from './kernel.js'
import type { Mailbox } from './mailbox.js'

/** What a simulated peer needs of its world. */
export interface World<Message> {
  readonly kernel: Kernel
  readonly mailbox: Mailbox<Message>
  readonly random: Random
  readonly signal: AbortSignal
  mixing(round: number): Mixing
  send(to: PeerName, message: Message): SendResult
  /** Told when the peer has taken a message out of its mailbox. */
  taken(envelope: Envelope<Message>): void
  cost(work: Work<unknown>): Milliseconds
  spawn(activity: (fabric: Fabric<Message>) => Promise<void>): void
}

/** The fabric in virtual time, of one program. */
export class SimulatedFabric<Message> implements Fabric<Message> {
  readonly #world: World<Message>
  readonly #program: Program

  constructor(world: World<Message>, program: Program) {
    this.#world = world
    this.#program = program
  }

  get self(): PeerName {
    return this.#program.peer
  }

  get random(): Random {
    return this.#world.random
  }

  get signal(): AbortSignal {
    return this.#world.signal
  }

  now(): Milliseconds {
    return this.#world.kernel.now()
  }

  neighbours(round: number): Mixing {
    return this.#world.mixing(round)
  }

  send(to: PeerName, message: Message): SendResult {
    return this.#world.send(to, message)
  }

  async receive(until = Number.POSITIVE_INFINITY): Promise<Envelope<Message> | undefined> {
    this.#throwIfStopped()
    const { mailbox } = this.#world
    const envelope = mailbox.take() ?? (await this.#park('a message', until, (wake) => mailbox.wait(wake)))
    if (envelope !== undefined) this.#world.taken(envelope)
    return envelope
  }

  /** Copies are left to the garbage collector. */
  recycle(): void {}

  async sleep(until: Milliseconds): Promise<void> {
    this.#throwIfStopped()
    await this.#park(`the time ${until} ms`, until, () => () => {})
  }

  work<Result>(work: Work<Result>): PromiseLike<Result> {
    return new SimulatedWork(work, this.#world, this.#program)
  }

  spawn(activity: (fabric: Fabric<Message>) => Promise<void>): void {
    this.#world.spawn(activity)
  }

  /** Parks until `wait` wakes, the clock shows `until`, or the peer is stopped; and then undoes the other two. */
  #park<Value>(
    what: string,
    until: Milliseconds,
    wait: (wake: (value: Value) => void) => () => void
  ): Promise<Value | undefined> {
    const { kernel, signal } = this.#world
    return kernel.park<Value | undefined>(this.#program, what, (wake, fail) => {
      const undo: (() => void)[] = []
      const once =
        <Argument>(act: (argument: Argument) => void) =>
        (argument: Argument) => {
          for (const step of undo) step()
          act(argument)
        }
      const stop = once(() => fail(signal.reason))
      signal.addEventListener('abort', stop)
      undo.push(() => signal.removeEventListener('abort', stop))
      undo.push(wait(once(wake)))
      if (Number.isFinite(until)) undo.push(kernel.schedule(until, () => once(wake)(undefined)))
    })
  }

  #throwIfStopped(): void {
    if (this.signal.aborted) throw this.signal.reason ?? new StoppedError()
  }
}

/**
 * Computing that is under way: it runs for real at once, and is over when the virtual clock says so. Awaiting it parks the
 * program until then.
 */
class SimulatedWork<Result> implements PromiseLike<Result> {
  readonly #kind: string
  readonly #kernel: Kernel
  readonly #program: Program
  readonly #result: Promise<Result>
  #over = false
  #wake: (() => void) | undefined

  constructor(work: Work<Result>, { kernel, cost }: Pick<World<never>, 'kernel' | 'cost'>, program: Program) {
    this.#kind = work.kind
    this.#kernel = kernel
    this.#program = program
    this.#result = (async () => work.run())()
    const settled = this.#result.then(
      () => {},
      () => {}
    )
    kernel.schedule(kernel.now() + cost(work), async () => {
      await settled
      this.#over = true
      this.#wake?.()
    })
  }

  // Awaiting is what parks the program, so it has to be seen.
  then<Fulfilled = Result, Rejected = never>(
    onFulfilled?: ((value: Result) => Fulfilled | PromiseLike<Fulfilled>) | null,
    onRejected?: ((reason: unknown) => Rejected | PromiseLike<Rejected>) | null
  ): Promise<Fulfilled | Rejected> {
    return this.#waitUntilOver()
      .then(() => this.#result)
      .then(onFulfilled, onRejected)
  }

  async #waitUntilOver(): Promise<void> {
    if (this.#over) return
    await this.#kernel.park<void>(this.#program, `its ${this.#kind} to be computed`, (wake) => {
      this.#wake = () => wake()
    })
  }
}
