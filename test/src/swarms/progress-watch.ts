/** A peer of the majority is never in a round for long, even if others are dead, late or cut off. */
import type { Milliseconds, PeerName } from '@murmuration/core'
import type { MemberChange } from '@murmuration/membership'
import type { FaultEvent } from '@murmuration/simulator'

interface Pace {
  /** When the round began; unknown in the first. */
  since: Milliseconds | undefined
  /** The reasons to stand still, and since when each holds. */
  readonly still: Map<'frozen' | 'not main', Milliseconds>
}

export class ProgressWatch {
  readonly #longest: Milliseconds
  readonly #find: (what: string) => void
  readonly #paces = new Map<PeerName, Pace>()
  /** The longest round so far. */
  slowest: Milliseconds = 0

  constructor(longest: Milliseconds, find: (what: string) => void) {
    this.#longest = longest
    this.#find = find
  }

  began(peer: PeerName): void {
    this.#paces.set(peer, { since: undefined, still: new Map() })
  }

  fault(event: FaultEvent): void {
    if (event.kind === 'freeze') this.#stands(event.peer, 'frozen', event.at)
    if (event.kind === 'thaw') this.#goesOn(event.peer, 'frozen', event.at)
  }

  changed(peer: PeerName, change: MemberChange, now: Milliseconds): void {
    if (change.kind !== 'state') return
    if (change.state === 'healthy' || change.state === 'degraded') this.#goesOn(peer, 'not main', now)
    else this.#stands(peer, 'not main', now)
  }

  stepped(peer: PeerName, now: Milliseconds): void {
    const pace = this.#paces.get(peer)
    if (pace === undefined) return
    const took = now - (pace.since ?? now)
    if (took > this.slowest) this.slowest = took
    if (took > this.#longest && pace.still.size === 0)
      this.#find(`${peer} was ${took.toFixed(0)} ms in a round, until ${now.toFixed(0)}`)
    pace.since = now
  }

  #stands(peer: PeerName, why: 'frozen' | 'not main', now: Milliseconds): void {
    this.#paces.get(peer)?.still.set(why, now)
  }

  /** A round in which the peer stood still counts from now on. */
  #goesOn(peer: PeerName, why: 'frozen' | 'not main', now: Milliseconds): void {
    const pace = this.#paces.get(peer)
    if (pace?.still.delete(why) === true) pace.since = now
  }
}
