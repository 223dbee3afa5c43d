import type { PeerEventListener } from '../base/events.js'

/** What is known of the seeds, by their addresses. */
export class SeedStates {
  readonly #emit: PeerEventListener
  /** Why each seed did not answer the last time; empty if it did. */
  readonly #problems = new Map<string, string>()
  /** The IP address at which each seed sees this peer. */
  readonly #seen = new Map<string, string>()

  constructor(emit: PeerEventListener) {
    this.#emit = emit
  }

  /** Why each seed that was asked did not answer; empty if it did. */
  get problems(): ReadonlyMap<string, string> {
    return this.#problems
  }

  /** The IP addresses at which seeds see this peer. */
  get seen(): readonly string[] {
    return [...this.#seen.values()]
  }

  /** Records the IP address at which a seed sees this peer. */
  sees(seed: string, host: string): void {
    this.#seen.set(seed, host)
  }

  /** Reports a change in the state of a seed: why it does not answer; empty if it does. */
  report(address: string, problem = ''): void {
    if (this.#problems.get(address) === problem) return
    this.#problems.set(address, problem)
    const state = problem === '' ? ({ isReached: true } as const) : ({ isReached: false, reason: problem } as const)
    this.#emit({ kind: 'seed', address, ...state })
  }
}
