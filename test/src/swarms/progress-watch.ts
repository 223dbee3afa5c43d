/** A peer of the majority is never in a round for long, even if others are dead, late or cut off. */
import type { Milliseconds, PeerName } from '@murmuration/core'
import type { MemberChange } from '@murmuration/membership'
import type { FaultEvent } from '@murmuration/simulator'

interface RoundPace {
  /** When the round began; unknown in the first. */
  since: Milliseconds | undefined
  /** The reasons to stand still, and since when each holds. */
  readonly pauses: Map<'frozen' | 'not main', Milliseconds>
}

export class ProgressWatch {
  readonly #longest: Milliseconds
  readonly #report: (finding: string) => void
  readonly #paces = new Map<PeerName, RoundPace>()
  /** The longest round so far. */
  slowest: Milliseconds = 0

  constructor(longest: Milliseconds, report: (finding: string) => void) {
    this.#longest = longest
    this.#report = report
  }

  begin(peer: PeerName): void {
    this.#paces.set(peer, { since: undefined, pauses: new Map() })
  }

  fault(event: FaultEvent): void {
    if (event.kind === 'freeze') this.#pause(event.peer, 'frozen', event.at)
    if (event.kind === 'thaw') this.#resume(event.peer, 'frozen', event.at)
  }

  recordChange(peer: PeerName, change: MemberChange, now: Milliseconds): void {
    if (change.kind !== 'state') return
    if (change.state === 'healthy' || change.state === 'degraded') this.#resume(peer, 'not main', now)
    else this.#pause(peer, 'not main', now)
  }

  recordStep(peer: PeerName, now: Milliseconds): void {
    const pace = this.#paces.get(peer)
    if (pace === undefined) return
    const duration = now - (pace.since ?? now)
    if (duration > this.slowest) this.slowest = duration
    if (duration > this.#longest && pace.pauses.size === 0)
      this.#report(`${peer} was ${duration.toFixed(0)} ms in a round, until ${now.toFixed(0)}`)
    pace.since = now
  }

  #pause(peer: PeerName, reason: 'frozen' | 'not main', now: Milliseconds): void {
    this.#paces.get(peer)?.pauses.set(reason, now)
  }

  /** A round in which the peer stood still counts from now on. */
  #resume(peer: PeerName, reason: 'frozen' | 'not main', now: Milliseconds): void {
    const pace = this.#paces.get(peer)
    if (pace?.pauses.delete(reason) === true) pace.since = now
  }
}
