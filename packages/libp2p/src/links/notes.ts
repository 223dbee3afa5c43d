import {
  Budget,
  type Milliseconds,
  noteBytes,
  type NoteListener,
  noteRoom,
  noteWeight,
  type PeerName
} from '@murmuration/core'
import type { TimerClock } from '../base/clock.js'
import { controlBytes } from '../base/constants.js'
import type { ControlChannel } from './control-channel.js'

/** The time after which one more note of weight 1 is allowed: 128 per second. */
const interval: Milliseconds = 1000 / 128

/** Notes are dropped while more bytes of control messages than this wait on this side. */
const maxBacklog = controlBytes / 4

/** The budget of notes from one peer to another; see {@link NoteQueue} and {@link noteReadingBudget}. */
const tellingBudget = (clock: TimerClock) => new Budget(clock, noteRoom, interval)

/**
 * The budget of notes from a peer: twice the sender's, because notes of several seconds may arrive at once. Others are
 * dropped unread.
 */
export const noteReadingBudget = (clock: TimerClock) => new Budget(clock, 2 * noteRoom, interval / 2)

/** Calls the peer's note listener, until it is stopped. */
export class Listening {
  #listener: NoteListener | undefined
  #hasStopped = false
  readonly #failed: (error: unknown) => void

  /** @param failed - called with an error that the listener throws */
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

  /** Passes a note on. Returns what is wrong with it, if the listener says so. */
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

/**
 * Notes for one peer that wait for the link to it. It takes no more than the sender's budget, even when notes leave at
 * once.
 */
export class NoteQueue {
  readonly #budget: Budget
  #notes: string[] = []

  constructor(clock: TimerClock) {
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

  /** Sends all notes, or drops them when the neighbour does not read earlier ones. */
  sendBy(control: Pick<ControlChannel, 'backlog' | 'send'>): void {
    for (const note of this.take()) {
      if (control.backlog < maxBacklog) control.send({ kind: 'note', note })
    }
  }

  /** Removes and returns all notes. */
  take(): readonly string[] {
    return this.#notes.splice(0)
  }
}
