import type { PeerName } from '@murmuration/core'

/** What a service has asked of the store that it shares with others; at its end. */
export interface StoreEvent {
  readonly kind: 'store'
  readonly peer: PeerName
  readonly gets: number
  readonly sets: number
  readonly adds: number
  /** The mean, as the service waited; 0 where there was none. */
  readonly millisecondsPerGet: number
  readonly millisecondsPerSet: number
  readonly millisecondsPerAdd: number
  /** Of numbers, to and fro. */
  readonly bytes: number
  /** Updates of other services that this one has overwritten. */
  readonly overwritten: number
  /** Updates that the store has lost, as far as this service could tell: it has gone back to older versions. */
  readonly rolledBack: number
  /** That it served. */
  readonly seconds: number
}
