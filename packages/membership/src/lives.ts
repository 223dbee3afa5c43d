import type { Milliseconds, PeerName } from '@murmuration/core'
import type { MembershipSettings } from './settings.js'

interface ReturnPace {
  readonly count: number
  /** When the count was updated. */
  readonly at: Milliseconds
  readonly outUntil: Milliseconds
}

/** This many returns in a short time may be bad luck of an honest peer. */
const freeLives = 2

/**
 * A peer that repeatedly has a new life, was dead and continues, or is heard after a silence in which it counted as
 * absent, is not waited for each time: it stays out of the rows, from 1 s up to a minute after each return.
 */
export class Lives {
  readonly #settings: MembershipSettings
  readonly #paces = new Map<PeerName, ReturnPace>()
  /** The peers that are out, and some that were. */
  readonly #out = new Set<PeerName>()

  constructor(settings: MembershipSettings) {
    this.#settings = settings
  }

  /**
   * A peer is back. Not while it is out: nobody waits for it then, and it falls behind and takes a state, each time a
   * new life.
   */
  add(peer: PeerName, now: Milliseconds): void {
    if (this.isTooOften(peer, now)) return
    const { lifeInterval, maxLifeInterval } = this.#settings
    const last = this.#paces.get(peer)
    const forgiven = last === undefined ? 0 : (now - last.at) / maxLifeInterval
    const count = Math.max(0, (last?.count ?? 0) - forgiven) + 1
    const interval =
      count <= freeLives ? 0 : Math.min(maxLifeInterval, lifeInterval * 2 ** Math.floor(count - freeLives))
    this.#paces.set(peer, { count, at: now, outUntil: now + interval })
    if (interval > 0) this.#out.add(peer)
  }

  /** No peer is out any longer, until it comes back again. */
  forgive(now: Milliseconds): void {
    for (const peer of this.#out) this.#paces.set(peer, { count: freeLives, at: now, outUntil: now })
    this.#out.clear()
  }

  isTooOften(peer: PeerName, now: Milliseconds): boolean {
    return this.outFor(peer, now) > 0
  }

  /** For how much longer a peer is out; 0 where it is not. */
  outFor(peer: PeerName, now: Milliseconds): Milliseconds {
    return Math.max(0, (this.#paces.get(peer)?.outUntil ?? now) - now)
  }

  /** The peers that are out. */
  tooOften(now: Milliseconds): readonly PeerName[] {
    for (const peer of this.#out) if (!this.isTooOften(peer, now)) this.#out.delete(peer)
    return [...this.#out]
  }
}
