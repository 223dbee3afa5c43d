/** How long a peer that is told to stop may take to come to the end of a round, in milliseconds. */
export const roundGrace = 5000

/**
 * Aborted as `signal` is; where a peer trains, so much later that it can stop by itself at the end of the round under way.
 */
export function afterRound(signal: AbortSignal, halt: Halt): AbortSignal {
  const later = new AbortController()
  const abort = () => {
    const round = halt.request()
    if (round === undefined) return later.abort(signal.reason)
    halt.stopBefore(round)
    setTimeout(() => later.abort(signal.reason), roundGrace).unref()
  }
  if (signal.aborted) abort()
  else signal.addEventListener('abort', abort, { once: true })
  return later.signal
}

/**
 * Has a peer stop between two rounds. First it is asked for the first round before which it can stop, and begins no other; then it is told
 * before which round to stop, so that all peers can stop before the same one.
 */
export class Halt {
  #isRequested = false
  #boundary: number | undefined
  #stopBefore = Number.POSITIVE_INFINITY
  #wake: (() => void) | undefined

  /** The first round before which the peer can stop; undefined while it does not train. From now on it begins no later one. */
  request(): number | undefined {
    this.#isRequested = this.#boundary !== undefined
    return this.#boundary
  }

  /** Has it go on to this round, and stop. */
  stopBefore(round: number): void {
    this.#stopBefore = round
    this.#wake?.()
  }

  /** To be awaited before each round. Whether to stop now. */
  async isDue(round: number): Promise<boolean> {
    this.#boundary = round
    if (this.#isRequested && this.#stopBefore === Number.POSITIVE_INFINITY)
      await new Promise<void>((resolve) => (this.#wake = resolve))
    if (round >= this.#stopBefore) return true
    this.#boundary = round + 1
    return false
  }

  /** Whether it was told to stop. */
  get isStopping(): boolean {
    return this.#isRequested
  }

  /** The peer trains no longer. */
  end(): void {
    this.#boundary = undefined
  }
}
