import type { Milliseconds } from '@murmuration/core'
import { Budgets } from '../base/budgets.js'
import { type Place, placeToFree } from '../base/place-to-free.js'
import { sourceOfHost } from '../addresses/reach.js'

/**
 * The most callers that are being answered. An answer costs 100 kB of memory and up to five packets to an address that
 * the caller may have forged.
 */
const maxAnswered = 64

/** How many callers of one source are answered at once, and the time after which one more is; the same for all. */
const ofSource = { atOnce: 16, every: 250 } as const
const ofAll = { atOnce: 64, every: 50 } as const

/** A caller that is being answered. */
interface AnsweredCaller extends Place {
  readonly key: string
  readonly end: AbortController
}

/**
 * The callers of a listener for WebRTC until each is connected: a packet of UDP with a new name is enough to be one. A
 * caller above the rate gets no answer at all; it sends again, so that one that is real is answered later. When too
 * many are being answered, the oldest of the source with most gives way.
 */
export class Callers {
  readonly #timeout: Milliseconds
  readonly #sources = new Budgets(ofSource.atOnce, ofSource.every)
  readonly #all = new Budgets(ofAll.atOnce, ofAll.every)
  /** In order of arrival, by caller. */
  readonly #answered = new Map<string, AnsweredCaller>()

  /** @param timeout - for a caller to connect */
  constructor(timeout: Milliseconds) {
    this.#timeout = timeout
  }

  /** The number of callers that are being answered. */
  get size(): number {
    return this.#answered.size
  }

  /** Answers a new caller, if the bounds allow, until `answer` settles or its signal is aborted. */
  async serve(
    host: string,
    key: string,
    signal: AbortSignal,
    answer: (signal: AbortSignal) => Promise<void>
  ): Promise<void> {
    const holder = sourceOfHost(host)
    if (this.#answered.has(key) || !this.#sources.spend(holder) || !this.#all.spend('')) return
    const caller: AnsweredCaller = { key, holder, isIdle: true, end: new AbortController() }
    this.#answered.set(key, caller)
    if (this.#answered.size > maxAnswered) this.#end(placeToFree([...this.#answered.values()]))
    try {
      await answer(AbortSignal.any([signal, caller.end.signal, AbortSignal.timeout(this.#timeout)]))
    } finally {
      if (this.#answered.get(key) === caller) this.#answered.delete(key)
    }
  }

  #end(caller: AnsweredCaller | undefined): void {
    if (caller === undefined) return
    this.#answered.delete(caller.key)
    caller.end.abort(new Error('too many callers'))
  }
}
