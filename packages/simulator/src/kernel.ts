import { InvariantError, invariant, type Milliseconds, type PeerName } from '@murmuration/core'
import TinyQueue from 'tinyqueue'

/** Something that happens at a point in virtual time. */
interface Event {
  readonly time: Milliseconds
  /** Breaks ties: what was scheduled first happens first. */
  readonly sequence: number
  readonly action: () => void | Promise<void>
  cancelled: boolean
}

/** One activity of one peer, as the kernel sees it: running, or waiting for something that can be named. */
export class Program {
  waitingFor: string | undefined

  constructor(readonly peer: PeerName) {}
}

/** All events are over and programs still wait: nothing can ever wake them. */
export class DeadlockError extends Error {
  override readonly name = 'DeadlockError'
}

/**
 * Virtual time by counting (the "baton"). Waking a program adds one to `running`, its next wait or its end takes one away,
 * and time moves only at zero. So whatever else a program awaits happens at frozen virtual time, one program runs at a
 * time, in the order of (time, sequence number), and a deadlock is an empty heap with programs that wait.
 */
export class Kernel {
  readonly #events = new TinyQueue<Event>([], (left, right) => left.time - right.time || left.sequence - right.sequence)
  readonly #programs = new Set<Program>()
  #now: Milliseconds = 0
  #sequence = 0
  #running = 0
  #resume: (() => void) | undefined

  /** The virtual clock. */
  now(): Milliseconds {
    return this.#now
  }

  /** Has `action` happen at `time`, now at the earliest. The function that is returned cancels it. */
  schedule(time: Milliseconds, action: () => void | Promise<void>): () => void {
    invariant(!Number.isNaN(time), 'an event was scheduled at the time NaN')
    const event = { time: Math.max(time, this.#now), sequence: this.#sequence++, action, cancelled: false }
    this.#events.push(event)
    return () => {
      event.cancelled = true
    }
  }

  /** Starts a program at the present time. `ended` is told how it ended. */
  start(program: Program, body: () => Promise<void>, ended: (error?: unknown) => void): void {
    this.#programs.add(program)
    this.schedule(this.#now, () => {
      this.#running++
      body().then(
        () => this.#end(program, ended),
        (error: unknown) => this.#end(program, ended, error)
      )
    })
  }

  /**
   * Parks the program until `register`'s function is called, with the value to go on with. This is the only way in which
   * a program waits.
   */
  park<Value>(
    program: Program,
    waitingFor: string,
    register: (wake: (value: Value) => void, fail: (error: unknown) => void) => void
  ): Promise<Value> {
    if (program.waitingFor !== undefined) {
      throw new InvariantError(
        `${program.peer} waits for ${waitingFor} while it waits for ${program.waitingFor}; ` +
          'a program waits for one thing at a time, two activities need fabric.spawn'
      )
    }
    program.waitingFor = waitingFor
    this.#release()
    return new Promise((resolve, reject) => {
      register(
        (value) => {
          this.#wake(program)
          resolve(value)
        },
        (error) => {
          this.#wake(program)
          reject(error)
        }
      )
    })
  }

  /** Runs until no program is left. Throws a {@link DeadlockError} that names who waits for what when time has run out. */
  async run(): Promise<void> {
    for (;;) {
      if (this.#running > 0) await new Promise<void>((resolve) => (this.#resume = resolve))
      const event = this.#events.pop()
      if (event === undefined) break
      if (event.cancelled) continue
      this.#now = event.time
      await event.action()
    }
    if (this.#programs.size > 0) throw new DeadlockError(this.#deadlock())
  }

  #wake(program: Program): void {
    invariant(program.waitingFor !== undefined, () => `${program.peer} was woken while it runs`)
    program.waitingFor = undefined
    this.#running++
  }

  #end(program: Program, ended: (error?: unknown) => void, error?: unknown): void {
    this.#programs.delete(program)
    ended(error)
    this.#release()
  }

  #release(): void {
    this.#running--
    invariant(this.#running >= 0, 'more programs wait than there are')
    if (this.#running === 0) this.#resume?.()
  }

  #deadlock(): string {
    const waiting = [...this.#programs].map(({ peer, waitingFor }) => `  ${peer} waits for ${waitingFor}`)
    return `nothing can happen any more at ${this.#now} ms, and ${waiting.length} programs wait:\n${waiting.join('\n')}`
  }
}
