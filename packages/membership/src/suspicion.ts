import { pow, type Milliseconds, type PeerName } from '@murmuration/core'
import type { MembershipSettings } from './settings.js'

/**
 * What silence requires: nothing, probes by others, or a vote; or, for a peer that others vouch for, that the link is
 * broken.
 */
export type SilenceVerdict = 'fine' | 'suspect' | 'vote' | 'broken'

interface Watch {
  /** When anything last arrived from it; or, before that, when it was first looked at. */
  heardAt: Milliseconds
  readonly wasHeard: boolean
  /** The largest recent gap. */
  largestGap: Milliseconds
  suspectedAt?: Milliseconds | undefined
  /** When another peer last reached it for this one. */
  vouchedAt?: Milliseconds | undefined
}

/**
 * Suspicion of silent contacts. It adapts to the observed gaps, like phi-accrual (Hayashibara et al. 2004) but without
 * a distribution: event loops stall with heavy tails. Others are asked before a vote, as in SWIM (Das et al. 2002) and
 * Lifeguard (Dadgar et al. 2018). All times are of the {@link AwakeClock}, so that local stalls count against no peer.
 */
export class Suspicion {
  readonly #settings: MembershipSettings
  readonly #watches = new Map<PeerName, Watch>()

  constructor(settings: MembershipSettings) {
    this.#settings = settings
  }

  /** Anything has arrived from a peer: it is no longer suspected. */
  heard(peer: PeerName, at: Milliseconds): void {
    const watch = this.#watch(peer, at)
    const gap = at - watch.heardAt
    const largestGap = Math.max(watch.largestGap * pow(2, -gap / this.#settings.gapHalfLife), gap)
    this.#watches.set(peer, {
      wasHeard: true,
      heardAt: at,
      largestGap: Math.min(largestGap, this.#settings.maxSuspectAfter)
    })
  }

  vouched(peer: PeerName, at: Milliseconds): void {
    const watch = this.#watches.get(peer)
    if (watch?.suspectedAt !== undefined) watch.vouchedAt = at
  }

  /** Its record says that it refutes or has a new life: it again has as much time as at first. */
  renewed(peer: PeerName, at: Milliseconds): void {
    const watch = this.#watches.get(peer)
    if (watch?.suspectedAt !== undefined) watch.suspectedAt = at
  }

  /** Twice the largest recent gap, within bounds; the upper one before the first message. */
  suspectAfter(peer: PeerName): Milliseconds {
    const { minSuspectAfter, maxSuspectAfter, beat } = this.#settings
    // A first connection takes longer than a sign on one that is there.
    if (this.isNew(peer)) return maxSuspectAfter
    const gap = this.#watches.get(peer)?.largestGap ?? beat
    return Math.min(maxSuspectAfter, Math.max(minSuspectAfter, 2 * gap))
  }

  /** Whether a contact was heard recently, or another peer has recently reached it. */
  isPresent(peer: PeerName, at: Milliseconds): boolean {
    const watch = this.#watches.get(peer)
    const lastSign = watch?.vouchedAt ?? (watch?.wasHeard === true ? watch.heardAt : undefined)
    return lastSign !== undefined && at - lastSign < this.#settings.presentFor
  }

  wasHeard(peer: PeerName): boolean {
    return this.#watches.get(peer)?.wasHeard === true
  }

  /** Whether a contact is known from others only: nothing has come from it yet, and it is not suspected. */
  isNew(peer: PeerName): boolean {
    const watch = this.#watches.get(peer)
    return watch === undefined || (!watch.wasHeard && watch.suspectedAt === undefined)
  }

  isSuspected(peer: PeerName): boolean {
    return this.#watches.get(peer)?.suspectedAt !== undefined
  }

  /** What the silence of a contact requires now. Called at every tick. */
  verdictOn(peer: PeerName, at: Milliseconds): SilenceVerdict {
    const watch = this.#watch(peer, at)
    if (at - watch.heardAt <= this.suspectAfter(peer)) return 'fine'
    watch.suspectedAt ??= at
    const { probeFor } = this.#settings
    if (watch.vouchedAt !== undefined && at - watch.vouchedAt < probeFor) return 'broken'
    return at - watch.suspectedAt < probeFor ? 'suspect' : 'vote'
  }

  /** For a contact without any message so far, silence begins now. */
  #watch(peer: PeerName, at: Milliseconds): Watch {
    const watch = this.#watches.get(peer) ?? { wasHeard: false, heardAt: at, largestGap: this.#settings.beat }
    this.#watches.set(peer, watch)
    return watch
  }
}
