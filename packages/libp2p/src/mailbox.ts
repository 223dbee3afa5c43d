import type { Envelope, Milliseconds, PeerName, StoppedError } from '@murmuration/core'
import type { Clock } from './clock.js'

interface Waiter<Message> {
  resolve(envelope: Envelope<Message> | undefined): void
  reject(reason: Error): void
  callOff(): void
}

/**
 * Messages in the order of arrival, for whoever asks. A message goes to exactly one `receive`: one that has passed its
 * deadline is off the list in the same instant, so that it cannot swallow a later message.
 */
export class Mailbox<Message> {
  readonly #clock: Clock
  readonly #onTaken: (from: PeerName) => void
  readonly #weigh: (message: Message) => number
  readonly #envelopes: Envelope<Message>[] = []
  readonly #weights = new Map<PeerName, number>()
  readonly #counts = new Map<PeerName, number>()
  readonly #waiters = new Set<Waiter<Message>>()
  #stopped: StoppedError | undefined

  /**
   * @param onTaken - called after a message of a peer has left the mailbox
   * @param weigh - how much a message counts in `waiting`
   */
  constructor(
    clock: Clock,
    onTaken: (from: PeerName) => void = () => {},
    weigh: (message: Message) => number = () => 1
  ) {
    this.#clock = clock
    this.#onTaken = onTaken
    this.#weigh = weigh
  }

  /** How much of `from` waits. */
  waiting(from: PeerName): number {
    return this.#weights.get(from) ?? 0
  }

  /** How many messages of `from` wait. */
  count(from: PeerName): number {
    return this.#counts.get(from) ?? 0
  }

  /** Adds a message, or hands it to the one who has waited longest. */
  offer(from: PeerName, message: Message): void {
    const [waiter] = this.#waiters
    if (waiter === undefined) {
      this.#envelopes.push({ from, message })
      this.#weights.set(from, this.waiting(from) + this.#weigh(message))
      this.#counts.set(from, this.count(from) + 1)
      return
    }
    this.#dismiss(waiter)
    waiter.resolve({ from, message })
  }

  /** The next message; `undefined` when there is none until the clock shows `until`. Rejects once stopped. */
  receive(until: Milliseconds = Number.POSITIVE_INFINITY): Promise<Envelope<Message> | undefined> {
    if (this.#stopped !== undefined) return Promise.reject(this.#stopped)
    const envelope = this.#envelopes.shift()
    if (envelope !== undefined) {
      this.#weights.set(envelope.from, this.waiting(envelope.from) - this.#weigh(envelope.message))
      this.#counts.set(envelope.from, this.count(envelope.from) - 1)
      this.#onTaken(envelope.from)
      return Promise.resolve(envelope)
    }
    if (until <= this.#clock.now()) return Promise.resolve(undefined)
    return this.#wait(until)
  }

  /** Ends the wait of the one who has waited longest, without a message. */
  wake(): void {
    const [waiter] = this.#waiters
    if (waiter === undefined) return
    this.#dismiss(waiter)
    waiter.resolve(undefined)
  }

  /** Rejects all who wait, now and from now on. */
  stop(reason: StoppedError): void {
    this.#stopped = reason
    for (const waiter of [...this.#waiters]) {
      this.#dismiss(waiter)
      waiter.reject(reason)
    }
  }

  #wait(until: Milliseconds): Promise<Envelope<Message> | undefined> {
    return new Promise((resolve, reject) => {
      const waiter: Waiter<Message> = { resolve, reject, callOff: () => {} }
      this.#waiters.add(waiter)
      waiter.callOff = this.#clock.at(until, () => {
        this.#dismiss(waiter)
        resolve(undefined)
      })
    })
  }

  #dismiss(waiter: Waiter<Message>): void {
    this.#waiters.delete(waiter)
    waiter.callOff()
  }
}
