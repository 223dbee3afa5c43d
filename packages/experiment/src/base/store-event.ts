import type { PeerName } from '@murmuration/core'

/** A service's accesses to the store that it shares with others; emitted at its end. */
export interface StoreEvent {
  readonly kind: 'store'
  readonly peer: PeerName
  readonly gets: number
  readonly sets: number
  readonly adds: number
  /** The mean time that the service waited; 0 without gets. */
  readonly millisecondsPerGet: number
  readonly millisecondsPerSet: number
  readonly millisecondsPerAdd: number
  /** Bytes of numbers, in both directions. */
  readonly bytes: number
  /** Updates of other services that this one has overwritten. */
  readonly overwritten: number
  /** Updates that the store has lost, as far as this service can know: the store returned to older versions. */
  readonly rolledBack: number
  /** How long it served. */
  readonly seconds: number
}
