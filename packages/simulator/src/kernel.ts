import { InvariantError, invariant, type Milliseconds } from '@murmuration/core'
import { deadlock, standstill, textOf } from './deadlock.js'
import { type Event, EventQueue } from './event-queue.js'
import type { KernelProgram, Queue } from './program.js'

/** The program whose promise is being made: a closure per program would be one more object per wait. */
let parking: KernelProgram | undefined

function keepResolvers(resolve: (value: never) => void, reject: (error: unknown) => void): void {
  if (parking === undefined) return
  parking.resolve = resolve
  parking.reject = reject
}

/** A run in progress, and its promise. */
interface Run {
  readonly until: Milliseconds
  readonly resolve: (hasEnded: boolean) => void
  readonly reject: (error: unknown) => void
}

/**
 * Called when a program has ended, with its error if it failed. One function for all programs: a closure for each would
 * cost memory.
 */
type Ended = (program: KernelProgram, error?: unknown) => void

/** Checks the deadline of a program. */
class Timer implements Event {
  cancelled = false

  constructor(
    readonly kernel: Kernel,
    readonly program: KernelProgram,
    readonly time: Milliseconds
  ) {}

  fire(): void {
    this.kernel.checkDeadline(this.program)
  }
}

/** More deadlines than this at one time, with nothing in between, are a loop. */
const maxAtOnce = 1_000_000
/** So many more are allowed for each program. */
const maxAtOnceEach = 1000

/**
 * Virtual time by counting (the "baton"). Waking a program adds one to `running`, its next wait or its end subtracts
 * one, and time advances only at zero. So virtual time does not advance while a program awaits anything else, one
 * program runs at a time, in the order of (time, sequence number), and a deadlock is an empty heap with waiting
 * programs.
 */
export class Kernel {
  readonly #events = new EventQueue()
  readonly #programs = new Set<KernelProgram>()
  readonly #endOfStepHooks: (() => void)[] = []
  #now: Milliseconds = 0
  #running = 0
  #expected = 0
  #run: Run | undefined
  #isAdvancing = false
  /** How many deadlines have passed at the current time since anything else happened. */
  #atOnce = 0

  /** The virtual clock. */
  now(): Milliseconds {
    return this.#now
  }

  /** Schedules `fire` at `time`, now at the earliest. */
  schedule(time: Milliseconds, fire: Event['fire']): Event {
    const event = { time: time > this.#now ? time : this.#now, cancelled: false, fire }
    this.#events.push(event)
    return event
  }

  /** Schedules an event at its time, which is now or later. */
  add(event: Event): void {
    invariant(event.time >= this.#now, () => `an event at ${event.time} ms was scheduled at ${this.#now} ms`)
    this.#events.push(event)
  }

  /** Runs `action` once, after all events of the current time, before the clock advances. */
  atEndOfTimeStep(action: () => void): void {
    this.#endOfStepHooks.push(action)
  }

  /** A program will start later: until then the simulation is not over, even without programs. */
  expectProgram(): void {
    this.#expected++
  }

  /** The program that was expected starts, or never will. */
  resolveExpectedProgram(): void {
    this.#expected--
  }

  /** No program will start any longer. */
  expectNoProgram(): void {
    this.#expected = 0
  }

  /** Starts a program at the current time. Calls `ended` when it ends, with its error if it fails. */
  start(program: KernelProgram, body: () => Promise<void>, ended: Ended): void {
    this.#programs.add(program)
    this.schedule(this.#now, () => this.#begin(program, body, ended))
  }

  #begin(program: KernelProgram, body: () => Promise<void>, ended: Ended): void {
    if (!this.#programs.has(program)) return
    this.#running++
    body().then(
      () => this.#end(program, ended),
      (error: unknown) => this.#end(program, ended, error)
    )
  }

  /** Removes a waiting program silently, as a crash does. */
  kill(program: KernelProgram): void {
    if (!this.#programs.delete(program)) return
    this.#forget(program)
    program.isGone = true
  }

  /**
   * Parks the program until it is woken or failed. A program waits in no other way.
   *
   * @param waitingFor - what it waits for, for the error of a deadlock
   * @param deadline - when the wait ends with `undefined`, unless something else ends it before
   * @param queue - where it waits to be woken
   */
  park<Value>(
    program: KernelProgram,
    waitingFor: string | (() => string),
    deadline = Number.POSITIVE_INFINITY,
    queue?: Queue
  ): Promise<Value> {
    if (program.waitingFor !== undefined) {
      throw new InvariantError(
        `${program.peer} waits for ${textOf(waitingFor)} while it waits for ${textOf(program.waitingFor)}; ` +
          'a program waits for one thing at a time: start a second activity with fabric.spawn'
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

  /** Extends the wait of a parked program to another deadline. */
  waitOn(program: KernelProgram, deadline: Milliseconds): void {
    program.deadline = Number.POSITIVE_INFINITY
    if (deadline < Number.POSITIVE_INFINITY) this.#setDeadline(program, deadline)
  }

  #setDeadline(program: KernelProgram, time: Milliseconds): void {
    program.deadline = time
    if (program.timer !== undefined && program.timer.time <= time) return
    if (program.timer !== undefined) program.timer.cancelled = true
    program.timer = new Timer(this, program, time > this.#now ? time : this.#now)
    this.#events.push(program.timer)
  }

  /** Resumes a parked program with `value`. A frozen machine resumes when it thaws. */
  wake(program: KernelProgram, value: unknown): void {
    this.#forget(program)
    if (program.gate.isShut) program.gate.hold(() => this.#resume(program)?.(value as never))
    else this.#resume(program)?.(value as never)
  }

  /** Resumes a parked program with an error. */
  fail(program: KernelProgram, error: unknown): void {
    this.#forget(program)
    const { reject } = program
    const failNow = () => {
      this.#resume(program)
      reject?.(error)
    }
    if (program.gate.isShut) program.gate.hold(failNow)
    else failNow()
  }

  /**
   * Runs until no program is left, or the clock would pass `until`; the result says whether it ended. Throws a
   * {@link DeadlockError} that names the waiting programs when nothing can happen any longer.
   */
  run(until = Number.POSITIVE_INFINITY): Promise<boolean> {
    return new Promise((resolve, reject) => {
      this.#run = { until, resolve, reject }
      this.#continueRun()
    })
  }

  /** Continues the run until a program runs; called when the last running one waits or ends. */
  #continueRun(): void {
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

  /**
   * Processes events as long as no program runs. Returns whether all has ended, or `undefined` when that is not known
   * yet.
   */
  #advance(until: Milliseconds): boolean | undefined {
    while (this.#running === 0) {
      if (this.#programs.size === 0 && this.#expected === 0) return true
      const event = this.#events.peek()
      if ((event === undefined || event.time > this.#now) && this.#endOfStepHooks.length > 0) {
        for (const act of this.#endOfStepHooks.splice(0)) act()
        continue
      }
      if (event === undefined) throw deadlock(this.#now, [...this.#programs])
      if (event.time > until) {
        this.#now = until
        return false
      }
      invariant(event.time >= this.#now, 'virtual time went back')
      this.#checkLoop(event)
      this.#now = event.time
      this.#events.pop()
      const busy = event.fire()
      if (busy !== undefined) this.#await(busy)
    }
    return undefined
  }

  /** A program that waits in a loop for a time that has passed would stop the clock, and take memory, forever. */
  #checkLoop(event: Event): void {
    const isDeadline = event instanceof Timer
    this.#atOnce = isDeadline && event.time === this.#now ? this.#atOnce + 1 : 0
    if (!isDeadline || this.#atOnce <= maxAtOnce + maxAtOnceEach * this.#programs.size) return
    throw standstill(this.#now, this.#atOnce, event.program)
  }

  /** Stops virtual time until real work has ended. */
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

  #resume(program: KernelProgram): ((value: never) => void) | undefined {
    invariant(program.waitingFor !== undefined, () => `${program.peer} was woken while it runs`)
    program.waitingFor = undefined
    this.#running++
    return program.resolve
  }

  /** A timer has fired: wakes the program if its deadline has passed, else sets a timer for it. */
  checkDeadline(program: KernelProgram): void {
    program.timer = undefined
    const { deadline, isGone } = program
    if (isGone || deadline === Number.POSITIVE_INFINITY) return
    if (deadline > this.#now) this.#setDeadline(program, deadline)
    else this.wake(program, undefined)
  }

  /** Removes everything else that could wake it. */
  #forget(program: KernelProgram): void {
    program.deadline = Number.POSITIVE_INFINITY
    program.waitList?.forget(program)
    program.waitList = undefined
    program.receiver = undefined
  }

  #end(program: KernelProgram, ended: Ended, error?: unknown): void {
    this.#programs.delete(program)
    ended(program, error)
    this.#release()
  }

  #release(): void {
    this.#running--
    invariant(this.#running >= 0, 'more programs wait than exist')
    if (this.#running === 0) this.#continueRun()
  }
}
