import type { Envelope, Milliseconds, PeerName } from '@murmuration/core'
import type { TimerClock } from '../base/clock.js'

interface Waiter<Message> {
  readonly waitsFor: object | undefined
  resolve(envelope: Envelope<Message> | undefined): void
  reject(reason: unknown): void
  cancel(): void
}

/** The sender of messages. */
export interface Sender<Message> {
  readonly name: PeerName
  /** Called once per message, when a `receive` gets it. */
  taken(message: Message): void
}

/**
 * Messages in the order of arrival. A message goes to exactly one `receive`. A `receive` is removed at the moment of
 * its deadline, so that it cannot consume a later message.
 */
export class Mailbox<Message> {
  readonly #clock: TimerClock
  readonly #queue: { readonly sender: Sender<Message>; readonly message: Message }[] = []
  readonly #waiters = new Set<Waiter<Message>>()
  #stopped: { readonly reason: unknown } | undefined

  constructor(clock: TimerClock) {
    this.#clock = clock
  }

  /** Adds a message, or hands it to the oldest waiting `receive`. */
  offer(sender: Sender<Message>, message: Message): void {
    this.#queue.push({ sender, message })
    const [waiter] = this.#waiters
    if (waiter === undefined) return
    this.#dismiss(waiter)
    waiter.resolve(this.#take())
  }

  /** The next message; `undefined` when none arrives until the clock shows `until`. Rejects once stopped. */
  receive(until: Milliseconds = Number.POSITIVE_INFINITY, waitsFor?: object): Promise<Envelope<Message> | undefined> {
    if (this.#stopped !== undefined) return Promise.reject(this.#stopped.reason)
    const envelope = this.#take()
    if (envelope !== undefined || until <= this.#clock.now()) return Promise.resolve(envelope)
    return this.#wait(until, waitsFor)
  }

  /** Ends the oldest waiting `receive`, or the one for `waitsFor`, without a message. */
  wake(waitsFor?: object): void {
    for (const waiter of this.#waiters) {
      if (waitsFor !== undefined && waiter.waitsFor !== waitsFor) continue
      this.#dismiss(waiter)
      return waiter.resolve(undefined)
    }
  }

  /** Rejects all `receive`s, now and from now on. */
  stop(reason: unknown): void {
    this.#stopped = { reason }
    for (const waiter of [...this.#waiters]) {
      this.#dismiss(waiter)
      waiter.reject(reason)
    }
  }

  #take(): Envelope<Message> | undefined {
    const entry = this.#queue.shift()
    if (entry === undefined) return undefined
    entry.sender.taken(entry.message)
    return { from: entry.sender.name, message: entry.message }
  }

  #wait(until: Milliseconds, waitsFor: object | undefined): Promise<Envelope<Message> | undefined> {
    return new Promise((resolve, reject) => {
      const waiter: Waiter<Message> = { waitsFor, resolve, reject, cancel: () => {} }
      this.#waiters.add(waiter)
      waiter.cancel = this.#clock.at(until, () => {
        this.#dismiss(waiter)
        resolve(undefined)
      })
    })
  }

  #dismiss(waiter: Waiter<Message>): void {
    this.#waiters.delete(waiter)
    waiter.cancel()
  }
}
