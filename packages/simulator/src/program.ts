import type { Milliseconds, PeerName, Receiver } from '@murmuration/core'
import type { Event } from './event-queue.js'

/** A place that could still wake a program that was woken by something else. */
export interface WaitList {
  forget(program: KernelProgram): void
}

/** A place where programs wait until one of them is woken. */
export interface Queue {
  wait(program: KernelProgram): void
}

/** Holds the wake-ups of a frozen machine, in their order. */
export class Gate {
  #isShut = false
  #held: (() => void)[] | undefined

  get isShut(): boolean {
    return this.#isShut
  }

  shut(): void {
    this.#isShut = true
  }

  /** Calls `resume` when the gate opens. */
  hold(resume: () => void): void {
    this.#held ??= []
    this.#held.push(resume)
  }

  /** Resumes everything that was held. */
  open(): void {
    const held = this.#held ?? []
    this.#isShut = false
    this.#held = undefined
    for (const resume of held) resume()
  }

  /** Forgets everything that was held. */
  clear(): void {
    this.#held = undefined
  }
}

/** One activity of one peer, as the kernel sees it: running, or waiting for something with a name. */
export class KernelProgram {
  waitingFor: string | (() => string) | undefined
  /** It was removed, and nothing wakes it any longer. */
  isGone = false
  /** The deadline of the current wait; Infinity for none. */
  deadline: Milliseconds = Number.POSITIVE_INFINITY
  /** Checks the deadline, at its time or before. It outlives a wait: most deadlines never pass. */
  timer: Event | undefined
  waitList: WaitList | undefined
  /** Takes messages during the current wait, if anything does. */
  receiver: Receiver<never> | undefined
  /** The object by which `wake` may select the current wait. */
  waitsFor: object | undefined
  resolve: ((value: never) => void) | undefined
  reject: ((error: unknown) => void) | undefined

  constructor(
    readonly peer: PeerName,
    readonly gate = new Gate()
  ) {}
}
