/**
 * How often each of two processes must come back before both count as running: a hello of one that has ended may be
 * read late, once.
 */
const returnsNeeded = 2

/** The most processes of a peer that are remembered. */
const maxRemembered = 8

interface Process {
  where: string
  /** How often it has said hello again after another one had. */
  returns: number
}

/**
 * Tells two processes with the key of one peer from a peer that restarts. Each process replaces the other's link, and
 * says hello again; of a peer that has restarted, the earlier process never comes back.
 */
export class Incarnations {
  /** In the order of their last hellos. */
  readonly #processes = new Map<string, Process>()
  #current: string | undefined

  /** Takes a hello. Returns where two running processes are, if this is one of them. */
  meet(incarnation: string, where: string): readonly [string, string] | undefined {
    const known = this.#processes.get(incarnation)
    const process = known ?? { where, returns: 0 }
    if (known !== undefined && this.#current !== incarnation) process.returns++
    process.where = where
    this.#current = incarnation
    this.#processes.delete(incarnation)
    this.#processes.set(incarnation, process)
    for (const [oldest] of this.#processes) if (this.#processes.size > maxRemembered) this.#processes.delete(oldest)
    const running = [...this.#processes.values()].filter(({ returns }) => returns >= returnsNeeded)
    const other = running.filter((each) => each !== process).at(-1)
    return other === undefined || process.returns < returnsNeeded ? undefined : [other.where, where]
  }
}
