import type { SwarmStanding } from '@murmuration/algorithms'
import type { Milliseconds, PeerName } from '@murmuration/core'
import type { MemberChange, MemberState } from '@murmuration/membership'
import { type MembershipEvent, secondsOf, type StateSeconds } from '../../base/events.js'

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
    const self = this.#self
    const counts = { present: present.length, members: members.length }
    const event = { kind: 'membership', peer: self, state, ...counts, missing, text: `${self}: ${text}` } as const
    if (change.kind !== 'left-out' || change.time === undefined) return event
    return { ...event, leftOut: { peer: change.peer, seconds: wholeSeconds(change.time) } }
  }

  /** Seconds until now in each state in which something was wrong. */
  get troubled(): StateSeconds {
    this.#count()
    const troubled = [...this.#times].filter(([state]) => state !== 'healthy' && state !== 'starting')
    return Object.fromEntries(troubled.map(([state, time]) => [state, secondsOf(time)]))
  }

  /** A change as a sentence without the name of `self`; docs/use/failures.md explains each. */
  #textOf(change: MemberChange, missing: readonly PeerName[]): string | undefined {
    switch (change.kind) {
      case 'state':
        return stateText(change, missing)
      case 'joined':
        return change.life === 1 ? undefined : `${change.peer} has started again, life ${change.life}`
      case 'done':
        this.#finished.add(change.peer)
        return undefined
      case 'left':
        return this.#finished.has(change.peer) ? undefined : `${change.peer} has left`
      case 'forgotten':
        return `${change.peer} has been dead for too long: it no longer counts as a member`
      case 'died':
        return `${change.peer} is dead: ${change.voters.join(', ')} cannot reach it`
      case 'returned':
        return `${change.peer} is back`
      case 'reunited':
        return `meets ${change.peers.join(', ')} again after training apart: it continues from both models, with a weight of ${Number(change.mass.toPrecision(2))} for its own and 1 for theirs`
      case 'unreachable':
        return `the link to ${change.peer} is broken: other peers reach it, this peer does not`
      case 'reachable':
        return `the link to ${change.peer} works again`
      case 'left-out':
        return `${this.#isOr(change.peer)} left out by ${change.by.join(', ')}: it was late, or came back, too often${timeText(change.time)}`
      case 'taken-in':
        return `${this.#isOr(change.peer)} no longer left out`
    }
  }

  /** "is" of this peer, whose name every text begins with; otherwise with the name. */
  #isOr(peer: PeerName): string {
    return peer === this.#self ? 'is' : `${peer} is`
  }

  #count(): void {
    const now = this.#now()
    this.#times.set(this.#state, (this.#times.get(this.#state) ?? 0) + now - this.#since)
    this.#since = now
  }
}

/** For how much longer, where that is known. */
function timeText(time: Milliseconds | undefined): string {
  return time === undefined ? '' : `; for ${wholeSeconds(time)} s`
}

const wholeSeconds = (time: Milliseconds) => Math.max(1, Math.ceil(time / 1000))

function stateText(
  { state, policy }: Extract<MemberChange, { readonly kind: 'state' }>,
  missing: readonly PeerName[]
): string {
  const isMissingAny = missing.length > 0
  const missingText = isMissingAny ? `; missing: ${missing.join(', ')}` : ''
  if (state === 'healthy') return 'healthy: all members are present'
  // Where none is missing, this peer may be the one that is left out.
  if (state === 'degraded') return `degraded: continues${isMissingAny ? ' with the others' : ''}${missingText}`
  const action = { continue: 'trains without the others', pause: 'waits for the others', stop: 'ends' }[policy]
  return state === 'starting' ? `starting${missingText}` : `${state}: ${action}${missingText}`
}
