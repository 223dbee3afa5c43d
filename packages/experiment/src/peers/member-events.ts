import type { SwarmStanding } from '@murmuration/algorithms'
import type { Milliseconds, PeerName } from '@murmuration/core'
import type { MemberChange, MemberState } from '@murmuration/membership'
import { type MembershipEvent, secondsOf, type StateSeconds } from '../events.js'

/** The events of the membership, and the time that a peer spent in each state. */
export class MemberEvents {
  readonly #self: PeerName
  readonly #now: () => Milliseconds
  readonly #times = new Map<MemberState, Milliseconds>()
  readonly #finished = new Set<PeerName>()
  #state: MemberState = 'starting'
  #since: Milliseconds

  constructor(self: PeerName, now: () => Milliseconds) {
    this.#self = self
    this.#now = now
    this.#since = now()
  }

  /** The event for a change; undefined for changes that every run has: peers begin, finish and then leave. */
  of(change: MemberChange, { state, present, members, missing }: SwarmStanding): MembershipEvent | undefined {
    this.#count()
    this.#state = state
    const text = this.#textOf(change, missing)
    if (text === undefined) return undefined
    const [self, counts] = [this.#self, { present: present.length, members: members.length }]
    return { kind: 'membership', peer: self, state, ...counts, missing, text: `${self}: ${text}` }
  }

  /** Seconds until now in each state in which something was wrong. */
  get troubled(): StateSeconds {
    this.#count()
    const wrong = [...this.#times].filter(([state]) => state !== 'healthy' && state !== 'starting')
    return Object.fromEntries(wrong.map(([state, time]) => [state, secondsOf(time)]))
  }

  /** A change as a sentence without the name of `self`; docs/failures.md explains each. */
  #textOf(change: MemberChange, missing: readonly PeerName[]): string | undefined {
    switch (change.kind) {
      case 'state':
        return stateText(change, missing)
      case 'joined':
        return change.life === 1 ? undefined : `${change.peer} has begun anew: life ${change.life}`
      case 'done':
        this.#finished.add(change.peer)
        return undefined
      case 'left':
        return this.#finished.has(change.peer) ? undefined : `${change.peer} has left`
      case 'forgotten':
        return `${change.peer} has been dead for so long that it counts no more`
      case 'died':
        return `${change.peer} is dead: ${change.voters.join(', ')} cannot reach it`
      case 'returned':
        return `${change.peer} is back`
      case 'reunited':
        return `meets ${change.peers.join(', ')} again, from whom it trained apart: it goes on from both models, its own counts ${Number(change.mass.toPrecision(2))} of theirs`
      case 'unreachable':
        return `the link to ${change.peer} is broken: others reach it, and this peer does not`
      case 'reachable':
        return `the link to ${change.peer} is whole again`
    }
  }

  #count(): void {
    const now = this.#now()
    this.#times.set(this.#state, (this.#times.get(this.#state) ?? 0) + now - this.#since)
    this.#since = now
  }
}

function stateText(
  { state, policy }: Extract<MemberChange, { readonly kind: 'state' }>,
  missing: readonly PeerName[]
): string {
  const who = missing.length === 0 ? '' : `; missing: ${missing.join(', ')}`
  if (state === 'healthy') return 'healthy: all members are there'
  if (state === 'degraded') return `degraded: goes on with the others${who}`
  const then = { continue: 'trains on without the others', pause: 'waits for the others', stop: 'ends' }[policy]
  return state === 'starting' ? `starting${who}` : `${state}: ${then}${who}`
}
