import { invariant, type Milliseconds } from '@murmuration/core'
import TinyQueue from 'tinyqueue'

/**
 * Something that happens at a point in virtual time. An object with at most one event at a time, such as a message with
 * its arrival, is its own event, which saves an object for each.
 */
export interface Event {
  readonly time: Milliseconds
  /** If set, nothing happens. */
  cancelled: boolean
  /** What happens. A promise holds the clock until it is settled. */
  fire(): void | Promise<void>
}

/**
 * Events in the order of their times, and at equal times in the order in which they were pushed. Peers in lock-step
 * have thousands of events at one time, so events of one time share an entry in the heap.
 */
export class EventQueue {
  readonly #times = new TinyQueue<Milliseconds>()
  readonly #byTime = new Map<Milliseconds, Event[]>()
  #first: Event[] = []
  /** How many of `#first` have been popped. */
  #popped = 0
  /** The time of `#first`; an event that has happened may have been given another. */
  #opened: Milliseconds = 0

  /** Adds an event, at a time not before that of the last popped one. It must not be in the queue already. */
  push(event: Event): void {
    const { time } = event
    invariant(!Number.isNaN(time), 'an event was scheduled at the time NaN')
    const others = this.#byTime.get(time)
    if (others !== undefined) {
      others.push(event)
      return
    }
    this.#byTime.set(time, [event])
    this.#times.push(time)
  }

  /** The next event that was not cancelled; it stays in the queue. */
  peek(): Event | undefined {
    this.#putBackIfEarly()
    for (;;) {
      if (this.#popped >= this.#first.length && !this.#open()) return undefined
      const event = this.#first[this.#popped]
      if (!event.cancelled) return event
      this.#popped++
    }
  }

  /** Removes the event that `peek` returned. */
  pop(): void {
    this.#popped++
  }

  /** Puts the open time back if an earlier event was pushed after `peek`. */
  #putBackIfEarly(): void {
    const time = this.#times.peek()
    if (time === undefined || this.#first.length === 0 || time >= this.#opened) return
    if (this.#popped < this.#first.length) this.#times.push(this.#opened)
    else this.#byTime.delete(this.#opened)
    this.#first = []
    this.#popped = 0
  }

  /** Opens the events of the next time. A time stays open, for more events at it, until another is needed. */
  #open(): boolean {
    const time = this.#times.peek()
    if (time === undefined) return false
    if (this.#first.length > 0) this.#byTime.delete(this.#opened)
    this.#popped = 0
    this.#times.pop()
    this.#opened = time
    this.#first = this.#byTime.get(time) as Event[]
    return true
  }
}
