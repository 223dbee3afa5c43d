import { type Milliseconds, noteBytes, type NoteListener, noteRoom, noteWeight, type PeerName } from '@murmuration/core'
import { Budget } from './budget.js'
import type { Clock } from './clock.js'
import { controlBytes } from './constants.js'
import type { ControlChannel } from './control-channel.js'

/** After how long there is room for one more note of weight 1: 128 a second. */
const interval: Milliseconds = 1000 / 128

/** The most bytes of control messages that wait on this side while notes are sent. */
const maxBacklog = controlBytes / 4

/** What one peer may tell another; see {@link NoteQueue} and {@link noteReadingBudget}. */
const tellingBudget = (clock: Clock) => new Budget(clock, noteRoom, interval)

/** What a peer takes from another: twice what one tells, since what was told in seconds may come at once. Notes beyond are dropped unread. */
export const noteReadingBudget = (clock: Clock) => new Budget(clock, 2 * noteRoom, interval / 2)

/** Passes on what this peer hears to whom it has chosen, until it stops. */
export class Listening {
  #listener: NoteListener | undefined
  #hasStopped = false
  readonly #failed: (error: unknown) => void

  /** @param failed - told what the listener throws */
  constructor(failed: (error: unknown) => void) {
    this.#failed = failed
  }

  start(listener: NoteListener): void {
    if (!this.#hasStopped) this.#listener = listener
  }

  stop(): void {
    this.#hasStopped = true
    this.#listener = undefined
  }

  /** What is wrong with it, if the listener says so. */
  note(from: PeerName, note: string): string | void {
    return this.#tell((listener) => listener.note(from, note))
  }

  heard(from: PeerName): void {
    if (this.#listener !== undefined) this.#tell((listener) => listener.heard(from))
  }

  refused(peer: PeerName): void {
    this.#tell((listener) => listener.refused(peer))
  }

  #tell<Result>(tell: (listener: NoteListener) => Result): Result | void {
    if (this.#listener === undefined) return
    try {
      return tell(this.#listener)
    } catch (error) {
      this.#failed(error)
    }
  }
}

/** Notes for one peer that wait for the link to it. It takes no more than a peer may tell, however soon they leave. */
export class NoteQueue {
  readonly #budget: Budget
  #notes: string[] = []

  constructor(clock: Clock) {
    this.#budget = tellingBudget(clock)
  }

  get length(): number {
    return this.#notes.length
  }

  /** Adds a note. Returns false when there is no room. */
  offer(note: string): boolean {
    const hasRoom = this.#budget.spend(noteWeight(noteBytes(note)))
    if (hasRoom) this.#notes.push(note)
    return hasRoom
  }

  /** Sends all, or drops them when the neighbour does not read those before. */
  sendBy(control: Pick<ControlChannel, 'backlog' | 'send'>): void {
    for (const note of this.take()) {
      if (control.backlog < maxBacklog) control.send({ kind: 'note', note })
    }
  }

  /** Removes all. */
  take(): readonly string[] {
    return this.#notes.splice(0)
  }
}
