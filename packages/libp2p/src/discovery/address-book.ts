import type { Milliseconds } from '@murmuration/core'
import type { TimerClock } from '../base/clock.js'
import type { SignedAddresses } from '../addresses/signed-addresses.js'

/** Bounds of an address book. */
export interface BookLimits {
  /** The most records in all; beyond, the one that was renewed longest ago is dropped. */
  readonly records: number
  /** The most records from one source, so that one machine cannot evict the records of others. */
  readonly perSource: number
  /** How long a record is kept without renewal. */
  readonly keepFor: Milliseconds
}

/** The default limits. */
export const bookLimits: BookLimits = { records: 10_000, perSource: 64, keepFor: 10 * 60_000 }

interface StoredAddresses {
  readonly record: SignedAddresses
  readonly source: string
  readonly until: Milliseconds
}

/** The addresses of peers, by run, signed by the peers themselves. A run is a text that only its peers know. */
export class AddressBook {
  readonly #clock: TimerClock
  readonly #limits: BookLimits
  /** By run and peer id, in the order of renewal. */
  readonly #entries = new Map<string, StoredAddresses>()

  constructor(clock: TimerClock, limits: BookLimits = bookLimits) {
    this.#clock = clock
    this.#limits = limits
  }

  get size(): number {
    return this.#entries.size
  }

  /**
   * Keeps a record, unless a newer one is known.
   *
   * @param source - the source that `perSource` limits: see {@link sourceOf}, or a peer id
   */
  keep(run: string, record: SignedAddresses, source: string): void {
    const key = keyOf(run, record.id)
    this.#dropOld()
    const current = this.#entries.get(key)
    if (current !== undefined && current.record.sequence > record.sequence) return
    this.#entries.delete(key)
    this.#makeRoom((entry) => entry.source === source, this.#limits.perSource)
    this.#makeRoom(() => true, this.#limits.records)
    this.#entries.set(key, { record, source, until: this.#clock.now() + this.#limits.keepFor })
  }

  /** The record of a peer of a run. */
  find(run: string, id: string): SignedAddresses | undefined {
    const entry = this.#entries.get(keyOf(run, id))
    return entry !== undefined && entry.until > this.#clock.now() ? entry.record : undefined
  }

  #dropOld(): void {
    const now = this.#clock.now()
    for (const [key, { until }] of this.#entries) {
      if (until > now) return
      this.#entries.delete(key)
    }
  }

  #makeRoom(isOfGroup: (entry: StoredAddresses) => boolean, max: number): void {
    if (this.#entries.size < max) return
    const group = [...this.#entries].filter(([, entry]) => isOfGroup(entry))
    for (const [key] of group.slice(0, Math.max(0, group.length - max + 1))) this.#entries.delete(key)
  }
}

const keyOf = (run: string, id: string) => `${run} ${id}`
