import { InvariantError, invariant, type Milliseconds } from '@murmuration/core'
import { type Event, EventQueue } from './event-queue.js'
import type { Program, Queue } from './program.js'

/** The program whose promise is made: a function for each would be one object more for every wait. */
let parking: Program | undefined

function keepResolvers(resolve: (value: never) => void, reject: (error: unknown) => void): void {
  if (parking === undefined) return
  parking.resolve = resolve
  parking.reject = reject
}

/** A run under way, and whom to tell how it ends. */
interface Run {
  readonly until: Milliseconds
  readonly resolve: (hasEnded: boolean) => void
  readonly reject: (error: unknown) => void
}

/** All events are over and programs still wait: nothing can ever wake them. */
export class DeadlockError extends Error {
  override readonly name = 'DeadlockError'
}

/** Looks after the deadline of a program. */
class Timer implements Event {
  cancelled = false

  constructor(
    readonly kernel: Kernel,
    readonly program: Program,
    readonly time: Milliseconds
  ) {}

  fire(): void {
    this.kernel.lookAt(this.program)
  }
}

/** How many waiting programs the error of a deadlock names. */
const maxNamed = 20

/**
 * Virtual time by counting (the "baton"). Waking a program adds one to `running`, its next wait or its end takes one away,
 * and time moves only at zero. So whatever else a program awaits happens at frozen virtual time, one program runs at a
 * time, in the order of (time, sequence number), and a deadlock is an empty heap with programs that wait.
 */
export class Kernel {
  readonly #events = new EventQueue()
  readonly #programs = new Set<Program>()
  readonly #endOfStepHooks: (() => void)[] = []
  #now: Milliseconds = 0
  #running = 0
  #expected = 0
  #run: Run | undefined
  #isAdvancing = false

  /** The virtual clock. */
  now(): Milliseconds {
    return this.#now
  }

  /** Has `fire` happen at `time`, now at the earliest. */
  schedule(time: Milliseconds, fire: Event['fire']): Event {
    const event = { time: time > this.#now ? time : this.#now, cancelled: false, fire }
    this.#events.push(event)
    return event
  }

  /** Has an event happen at its time, which is now or later. */
  add(event: Event): void {
    invariant(event.time >= this.#now, () => `an event at ${event.time} ms was scheduled at ${this.#now} ms`)
    this.#events.push(event)
  }

  /** Has `action` happen once, after all that happens at the present time, before the clock moves. */
  atEndOfTimeStep(action: () => void): void {
    this.#endOfStepHooks.push(action)
  }

  /** A program will start later: until then the simulation is not over, even without programs. */
  expectProgram(): void {
    this.#expected++
  }

  /** The program that was expected starts, or never will. */
  expectedProgramCame(): void {
    this.#expected--
  }

  /** No program will start any more. */
  expectNoProgram(): void {
    this.#expected = 0
  }

  /** Starts a program at the present time. `ended` is told how it ended. */
  start(program: Program, body: () => Promise<void>, ended: (error?: unknown) => void): void {
    this.#programs.add(program)
    const begin = () => {
      if (!this.#programs.has(program)) return
      this.#running++
      body().then(
        () => this.#end(program, ended),
        (error: unknown) => this.#end(program, ended, error)
      )
    }
    this.schedule(this.#now, begin)
  }

  /** Takes a waiting program out of the world without a word to it, as a crash does. */
  kill(program: Program): void {
    if (!this.#programs.delete(program)) return
    this.#forget(program)
    program.isGone = true
  }

  /**
   * Parks the program until it is woken or failed. This is the only way in which a program waits.
   *
   * @param waitingFor - what a deadlock says that it waits for
   * @param deadline - when the wait ends with `undefined`, unless something else ends it before
   * @param queue - where it waits to be woken
   */
  park<Value>(
    program: Program,
    waitingFor: string | (() => string),
    deadline = Number.POSITIVE_INFINITY,
    queue?: Queue
  ): Promise<Value> {
    if (program.waitingFor !== undefined) {
      throw new InvariantError(
        `${program.peer} waits for ${textOf(waitingFor)} while it waits for ${textOf(program.waitingFor)}; ` +
          'a program waits for one thing at a time, two activities need fabric.spawn'
      )
    }
    program.waitingFor = waitingFor
    parking = program
    const parked = new Promise<Value>(keepResolvers)
    queue?.wait(program)
    if (deadline < Number.POSITIVE_INFINITY) this.#setDeadline(program, deadline)
    this.#release()
    return parked
  }

  /** The program that is parked waits on, until another deadline. */
  waitOn(program: Program, deadline: Milliseconds): void {
    program.deadline = Number.POSITIVE_INFINITY
    if (deadline < Number.POSITIVE_INFINITY) this.#setDeadline(program, deadline)
  }

  #setDeadline(program: Program, time: Milliseconds): void {
    program.deadline = time
    if (program.timer !== undefined && program.timer.time <= time) return
    if (program.timer !== undefined) program.timer.cancelled = true
    program.timer = new Timer(this, program, time > this.#now ? time : this.#now)
    this.#events.push(program.timer)
  }

  /** Lets a parked program go on with `value`. A machine that is frozen goes on when it thaws. */
  wake(program: Program, value: unknown): void {
    this.#forget(program)
    if (program.gate.isShut) program.gate.held.push(() => this.#resume(program)?.(value as never))
    else this.#resume(program)?.(value as never)
  }

  /** Lets a parked program go on with an error. */
  fail(program: Program, error: unknown): void {
    this.#forget(program)
    const { reject } = program
    const failNow = () => {
      this.#resume(program)
      reject?.(error)
    }
    if (program.gate.isShut) program.gate.held.push(failNow)
    else failNow()
  }

  /**
   * Runs until no program is left, or the clock would pass `until`; the result says whether it ended. Throws a
   * {@link DeadlockError} that names who waits for what when nothing can happen any more.
   */
  run(until = Number.POSITIVE_INFINITY): Promise<boolean> {
    return new Promise((resolve, reject) => {
      this.#run = { until, resolve, reject }
      this.#goOn()
    })
  }

  /** Goes on with the run until a program runs, as the last one that ran has come to its wait or its end. */
  #goOn(): void {
    const run = this.#run
    if (run === undefined || this.#isAdvancing) return
    this.#isAdvancing = true
    try {
      const hasEnded = this.#advance(run.until)
      if (hasEnded !== undefined) {
        this.#run = undefined
        run.resolve(hasEnded)
      }
    } catch (error) {
      this.#run = undefined
      run.reject(error)
    } finally {
      this.#isAdvancing = false
    }
  }

  /** One event after the other, as long as no program runs. Returns whether all has ended, or `undefined` when that is not known yet. */
  #advance(until: Milliseconds): boolean | undefined {
    while (this.#running === 0) {
      if (this.#programs.size === 0 && this.#expected === 0) return true
      const event = this.#events.peek()
      if ((event === undefined || event.time > this.#now) && this.#endOfStepHooks.length > 0) {
        for (const act of this.#endOfStepHooks.splice(0)) act()
        continue
      }
      if (event === undefined) throw new DeadlockError(this.#deadlock())
      if (event.time > until) {
        this.#now = until
        return false
      }
      invariant(event.time >= this.#now, 'virtual time went back')
      this.#now = event.time
      this.#events.pop()
      const busy = event.fire()
      if (busy !== undefined) this.#await(busy)
    }
    return undefined
  }

  /** Time stands still until something real is over. */
  #await(busy: Promise<void>): void {
    this.#running++
    busy.then(
      () => this.#release(),
      (error: unknown) => {
        this.#run?.reject(error)
        this.#run = undefined
      }
    )
  }

  #resume(program: Program): ((value: never) => void) | undefined {
    invariant(program.waitingFor !== undefined, () => `${program.peer} was woken while it runs`)
    program.waitingFor = undefined
    this.#running++
    return program.resolve
  }

  /** A timer has come: wakes the program if its deadline has, else looks again when it will. */
  lookAt(program: Program): void {
    program.timer = undefined
    const { deadline, isGone } = program
    if (isGone || deadline === Number.POSITIVE_INFINITY) return
    if (deadline > this.#now) this.#setDeadline(program, deadline)
    else this.wake(program, undefined)
  }

  /** Undoes what else could wake it. */
  #forget(program: Program): void {
    program.deadline = Number.POSITIVE_INFINITY
    program.waitList?.forget(program)
    program.waitList = undefined
    program.receiver = undefined
  }

  #end(program: Program, ended: (error?: unknown) => void, error?: unknown): void {
    this.#programs.delete(program)
    ended(error)
    this.#release()
  }

  #release(): void {
    this.#running--
    invariant(this.#running >= 0, 'more programs wait than there are')
    if (this.#running === 0) this.#goOn()
  }

  #deadlock(): string {
    const waiting = [...this.#programs]
    const named = waiting
      .slice(0, maxNamed)
      .map(
        ({ peer, gate, waitingFor }) =>
          `  ${peer}${gate.isShut ? ' is frozen, and' : ''} waits for ${textOf(waitingFor ?? 'nothing that is known')}`
      )
    if (waiting.length > maxNamed) named.push(`  and ${waiting.length - maxNamed} more`)
    return `nothing can happen any more at ${this.#now} ms, and ${waiting.length} programs wait:\n${named.join('\n')}`
  }
}

function textOf(what: string | (() => string)): string {
  return typeof what === 'string' ? what : what()
}
