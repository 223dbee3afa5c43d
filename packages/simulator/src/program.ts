import type { Milliseconds, PeerName, Receiver } from '@murmuration/core'
import type { Event } from './event-queue.js'

/** Who could still wake a program that was woken by something else. */
export interface WaitList {
  forget(program: Program): void
}

/** Where programs wait until one of them is woken. */
export interface Queue {
  wait(program: Program): void
}

/** Holds the wakes of a machine that is frozen, in their order. */
export interface Gate {
  isShut: boolean
  readonly held: (() => void)[]
}

/** One activity of one peer, as the kernel sees it: running, or waiting for something that can be named. */
export class Program {
  waitingFor: string | (() => string) | undefined
  /** It was taken out of the world, and nothing wakes it any more. */
  isGone = false
  /** The deadline of the present wait; Infinity for none. */
  deadline: Milliseconds = Number.POSITIVE_INFINITY
  /** Looks after the deadline, at its time or before. It outlives a wait: most deadlines never come. */
  timer: Event | undefined
  waitList: WaitList | undefined
  /** What takes messages during the present wait, if anything does. */
  receiver: Receiver<never> | undefined
  /** What `wake` may call the present wait by. */
  waitsFor: object | undefined
  resolve: ((value: never) => void) | undefined
  reject: ((error: unknown) => void) | undefined

  constructor(
    readonly peer: PeerName,
    readonly gate: Gate = { isShut: false, held: [] }
  ) {}
}
