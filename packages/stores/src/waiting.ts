/** Retries the operations of an unreachable store until it is back, for a limited time. */
import { messageOf, type Milliseconds, StoreError } from '@murmuration/core'
import { setTimeout as delay } from 'node:timers/promises'

/** The wait before the first retry. It doubles before each further one. */
const firstPause: Milliseconds = 20
/** The longest wait before a retry. */
const longestPause: Milliseconds = 1000

interface WaitingOptions {
  /** The name of the store in messages, without secrets. */
  readonly name: string
  readonly timeout: Milliseconds
  readonly onWait?: ((text: string) => void) | undefined
  /** Whether an error means that the store is unreachable for now, so that a retry makes sense. */
  readonly isUnreachable: (error: unknown) => boolean
  /** How to fix a permanent error; undefined when unknown. */
  readonly fix: (error: unknown) => string | undefined
}

/** The longest delay of a timer in milliseconds, 24.8 days: a timer with a longer one fires at once. */
export const longestDelay = 2 ** 31 - 1

/** Retries operations while a store is unreachable. */
export class Waiting {
  readonly #options: WaitingOptions
  readonly #end = new AbortController()

  constructor(options: WaitingOptions) {
    this.#options = options
  }

  /**
   * Runs an operation, again while the store is unreachable. An operation in flight when the connection was lost may
   * take effect twice.
   *
   * @throws StoreError when the store is unreachable for longer than the timeout, or reports a permanent error
   */
  async attempt<Result>(act: () => Promise<Result>): Promise<Result> {
    const { name, timeout, onWait } = this.#options
    const start = performance.now()
    for (let pause = firstPause, isReported = false; ; pause = Math.min(2 * pause, longestPause)) {
      try {
        const result = await this.#within(act(), start)
        if (isReported) onWait?.(`${name} is back after ${seconds(performance.now() - start)}`)
        return result
      } catch (error) {
        this.#check(error, performance.now() - start)
        if (!isReported)
          onWait?.(`${name} is unreachable (${messageOf(error)}); retrying for up to ${seconds(timeout)}`)
        isReported = true
        await delay(pause, undefined, { signal: this.#end.signal }).catch(() => {
          throw new StoreError(`${name}: closed while it was unreachable`)
        })
      }
    }
  }

  /** Ends all waits. */
  close(): void {
    this.#end.abort()
  }

  /** Returns when a retry makes sense and the timeout has not passed; throws a StoreError otherwise. */
  #check(error: unknown, waited: Milliseconds): void {
    const { name, timeout, isUnreachable, fix } = this.#options
    if (error instanceof StoreError) throw error
    if (!isUnreachable(error)) {
      const cause = messageOf(error)
      const hint = fix(error)
      throw new StoreError(`${name}: ${cause}${hint === undefined ? '' : `; ${hint}`}`)
    }
    if (waited >= timeout) throw this.#late(messageOf(error))
  }

  /** Rejects when the answer does not arrive within the timeout. */
  async #within<Result>(answer: Promise<Result>, start: Milliseconds): Promise<Result> {
    const remaining = Math.max(1, Math.min(longestDelay, this.#options.timeout - (performance.now() - start)))
    const timer = new AbortController()
    const limit = delay(remaining, undefined, { signal: timer.signal }).then(() => {
      throw this.#late('no answer')
    })
    limit.catch(() => {})
    try {
      return await Promise.race([answer, limit])
    } finally {
      timer.abort()
      answer.catch(() => {})
    }
  }

  #late(reason: string): StoreError {
    const { name, timeout } = this.#options
    return new StoreError(
      `${name} was unreachable for ${seconds(timeout)}: ${reason}; start it, or raise the run's timeout`
    )
  }
}

function seconds(time: Milliseconds): string {
  return `${Number((time / 1000).toPrecision(2))} s`
}

/** A URL for messages: without user and password. */
export function addressOf(url: string): string {
  const { protocol, host, pathname } = new URL(url)
  return `${protocol}//${host}${pathname === '/' ? '' : pathname}`
}
