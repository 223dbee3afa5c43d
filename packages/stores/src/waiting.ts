/** Operations of a store that may be away for a while: tried again until it is back, for a limited time. */
import { messageOf, type Milliseconds, StoreError } from '@murmuration/core'
import { setTimeout as delay } from 'node:timers/promises'

/** How long to wait before an operation is tried again: it doubles from the first to the second. */
const [firstPause, longestPause]: readonly Milliseconds[] = [20, 1000]

interface WaitingOptions {
  /** The store in words, without secrets. */
  readonly name: string
  readonly timeout: Milliseconds
  readonly onWait?: ((text: string) => void) | undefined
  /** Whether an error says that the store is away, so that it makes sense to try again. */
  readonly isAway: (error: unknown) => boolean
  /** What to do about an error that will not go away; nothing when unknown. */
  readonly mend: (error: unknown) => string | undefined
}

/** The longest delay of a timer, 24.8 days: a longer one is over at once. */
export const longestDelay = 2 ** 31 - 1

/** Tries operations again while a store is away. */
export class Waiting {
  readonly #options: WaitingOptions
  readonly #end = new AbortController()

  constructor(options: WaitingOptions) {
    this.#options = options
  }

  /**
   * Does something with the store, several times if need be. What was under way when the connection was lost may be done twice.
   *
   * @throws StoreError when it is away for longer than the timeout, or refuses
   */
  async attempt<Result>(act: () => Promise<Result>): Promise<Result> {
    const { name, timeout, onWait } = this.#options
    const start = performance.now()
    for (let pause = firstPause, isTold = false; ; pause = Math.min(2 * pause, longestPause)) {
      try {
        const result = await this.#within(act(), start)
        if (isTold) onWait?.(`${name} is back after ${seconds(performance.now() - start)}`)
        return result
      } catch (error) {
        this.#check(error, performance.now() - start)
        if (!isTold) onWait?.(`${name} is away (${messageOf(error)}); it is waited for, up to ${seconds(timeout)}`)
        isTold = true
        await delay(pause, undefined, { signal: this.#end.signal }).catch(() => {
          throw new StoreError(`${name}: closed while it was waited for`)
        })
      }
    }
  }

  /** Ends all waits. */
  close(): void {
    this.#end.abort()
  }

  /** Throws what is to be thrown of an error. */
  #check(error: unknown, waited: Milliseconds): void {
    const { name, timeout, isAway, mend } = this.#options
    if (error instanceof StoreError) throw error
    if (!isAway(error)) {
      const [cause, way] = [messageOf(error), mend(error)]
      throw new StoreError(`${name}: ${cause}${way === undefined ? '' : `; ${way}`}`)
    }
    if (waited >= timeout) throw this.#late(messageOf(error))
  }

  /** No answer is waited for beyond the timeout. */
  async #within<Result>(answer: Promise<Result>, start: Milliseconds): Promise<Result> {
    const left = Math.max(1, Math.min(longestDelay, this.#options.timeout - (performance.now() - start)))
    const timer = new AbortController()
    const limit = delay(left, undefined, { signal: timer.signal }).then(() => {
      throw this.#late('it does not answer')
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
    return new StoreError(`${name} was away for ${seconds(timeout)}: ${reason}; start it, or raise the run's timeout`)
  }
}

function seconds(time: Milliseconds): string {
  return `${Number((time / 1000).toPrecision(2))} s`
}

/** A store in words: where it is, and nothing that is secret. */
export function placeOf(url: string): string {
  const { protocol, host, pathname } = new URL(url)
  return `${protocol}//${host}${pathname === '/' ? '' : pathname}`
}
