/** How long a peer that must stop may take to reach the end of a round, in milliseconds. */
export const roundGrace = 5000

/**
 * Aborts when `signal` does; while the peer trains, after a grace period in which it can stop by itself at the end of
 * the current round.
 */
export function afterRound(signal: AbortSignal, halt: Halt): AbortSignal {
  const later = new AbortController()
  const abort = () => {
    const round = halt.request()
    if (round === undefined) return later.abort(signal.reason)
    halt.stopBefore(round)
    const timer: { unref?(): void } | number = setTimeout(() => later.abort(signal.reason), roundGrace)
    if (typeof timer === 'object') timer.unref?.()
  }
  if (signal.aborted) abort()
  else signal.addEventListener('abort', abort, { once: true })
  return later.signal
}

/**
 * Stops a peer between two rounds, in two steps, so that all peers can stop before the same round. `request` returns
 * the first round before which the peer can stop, and the peer begins no later one; `stopBefore` then sets the round.
 */
export class Halt {
  #isRequested = false
  #boundary: number | undefined
  #stopBefore = Number.POSITIVE_INFINITY
  #wake: (() => void) | undefined

  /** The first round before which the peer can stop; it begins no later one. Undefined while it does not train. */
  request(): number | undefined {
    this.#isRequested = this.#boundary !== undefined
    return this.#boundary
  }

  /** Lets the peer continue up to this round, and stop before it. */
  stopBefore(round: number): void {
    this.#stopBefore = round
    this.#wake?.()
  }

  /** Must be awaited before each round. Returns whether to stop now. */
  async isDue(round: number): Promise<boolean> {
    this.#boundary = round
    if (this.#isRequested && this.#stopBefore === Number.POSITIVE_INFINITY)
      await new Promise<void>((resolve) => (this.#wake = resolve))
    if (round >= this.#stopBefore) return true
    this.#boundary = round + 1
    return false
  }

  /** Whether a stop was requested. */
  get isStopping(): boolean {
    return this.#isRequested
  }

  /** The peer no longer trains. */
  end(): void {
    this.#boundary = undefined
  }
}
