import type { Random } from '@murmuration/core'
import { drawFault, type Fault } from './faults.js'
import type { Passage } from './passage.js'
import type { TcpRelay } from './relay.js'

/** How many of the last faults are kept for messages. */
const remembered = 12

/**
 * Disturbs connections, from a seed. Faults are triggered by bytes that have passed, not by time: so a slow machine,
 * which needs longer for a vector, gets no more of them per vector, and always completes one.
 */
export class Weather {
  readonly #random: Random
  readonly #mean: number
  readonly #counts = new Map<Fault['kind'], number>()
  readonly #log: string[] = []
  #relays: readonly TcpRelay[] = []
  /** Bytes until the next fault; none happens before the relays are known. */
  #countdown = Number.POSITIVE_INFINITY
  #through = 0

  /** @param mean - bytes between two faults on average */
  constructor(random: Random, mean: number) {
    this.#random = random
    this.#mean = mean
  }

  /** Faults so far, by kind. */
  get counts(): Readonly<Record<string, number>> {
    return Object.fromEntries([...this.#counts].sort())
  }

  /** Faults so far that ended a connection, or will end one. */
  get cuts(): number {
    return [...this.#counts].reduce((sum, [kind, count]) => (kind === 'freeze' ? sum : sum + count), 0)
  }

  /** The last faults, with the number of bytes before each, in words. */
  get log(): readonly string[] {
    return this.#log
  }

  begin(relays: readonly TcpRelay[]): void {
    this.#relays = relays
    this.#countdown = this.#interval()
  }

  /** No more faults. */
  end(): void {
    this.#relays = []
  }

  /** To be called with all bytes that pass through relays. */
  readonly notice = (bytes: number): void => {
    this.#through += bytes
    this.#countdown -= bytes
    if (this.#countdown > 0) return
    this.#countdown = this.#interval()
    this.#strike()
  }

  #interval(): number {
    return 2 * this.#mean * this.#random.uniform()
  }

  #strike(): void {
    const fault = drawFault(this.#random)
    const die = this.#random.uniform()
    const targets = this.#relays.flatMap((relay) => relay.passages.map((passage) => ({ relay, passage })))
    if (targets.length === 0) return
    const { relay, passage } = targets[Math.floor(die * targets.length)]
    inflict(fault, relay, passage)
    this.#counts.set(fault.kind, (this.#counts.get(fault.kind) ?? 0) + 1)
    this.#log.push(`${Math.round(this.#through / 1e6)} MB: to ${relay.name} ${JSON.stringify(fault)}`)
    if (this.#log.length > remembered) this.#log.shift()
  }
}

function inflict(fault: Fault, relay: TcpRelay, passage: Passage): void {
  switch (fault.kind) {
    case 'cut':
      return passage.cut(fault.reset)
    case 'half-close':
      return passage.halfClose(fault.inward)
    case 'freeze':
      return passage.freeze(fault.duration)
    case 'cut-after':
      return passage.cutAfter(fault.bytes, fault.inward)
    case 'cut-again':
      relay.ambush(fault.bytes)
      return passage.cut(false)
  }
}
