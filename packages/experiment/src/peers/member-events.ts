import type { SwarmStanding } from '@murmuration/algorithms'
import type { Milliseconds, PeerName } from '@murmuration/core'
import type { MemberChange, MemberState } from '@murmuration/membership'
import { type MembershipEvent, secondsOf, type StateSeconds } from '../events.js'

/** What people are told of who is there, and for how long a peer was in which state. */
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

  /** What to tell of a change; nothing of what happens in every run: that peers begin, finish and then leave. */
  of(change: MemberChange, { state, present, members, missing }: SwarmStanding): MembershipEvent | undefined {
    this.#count()
    this.#state = state
    if (this.#isUsual(change)) return undefined
    const text = `${this.#self}: ${textOf(change, missing)}`
    return {
      kind: 'membership',
      peer: this.#self,
      state,
      present: present.length,
      members: members.length,
      missing,
      text
    }
  }

  /** Until now, of the states in which something was wrong. */
  get troubled(): StateSeconds {
    this.#count()
    const wrong = [...this.#times].filter(([state]) => state !== 'healthy' && state !== 'starting')
    return Object.fromEntries(wrong.map(([state, time]) => [state, secondsOf(time)]))
  }

  #isUsual(change: MemberChange): boolean {
    if (change.kind === 'done') this.#finished.add(change.peer)
    if (change.kind === 'left') return this.#finished.has(change.peer)
    return change.kind === 'done' || (change.kind === 'joined' && change.life === 1)
  }

  #count(): void {
    const now = this.#now()
    this.#times.set(this.#state, (this.#times.get(this.#state) ?? 0) + now - this.#since)
    this.#since = now
  }
}

/** A change as a sentence without its subject's name in front. docs/failures.md explains each. */
function textOf(change: MemberChange, missing: readonly PeerName[]): string {
  switch (change.kind) {
    case 'state':
      return stateText(change, missing)
    case 'joined':
      return change.life === 1
        ? `${change.peer} has begun`
        : `${change.peer} has begun anew, for the ${ordinal(change.life)} time`
    case 'left':
      return `${change.peer} has left`
    case 'done':
      return `${change.peer} has finished`
    case 'forgotten':
      return `${change.peer} has been dead for so long that it counts no more`
    case 'died':
      return `${change.peer} is dead: ${change.voters.join(', ')} cannot reach it`
    case 'returned':
      return `${change.peer} is back`
    case 'reunited':
      return `meets ${change.peers.join(', ')} again, from whom it trained apart`
    case 'unreachable':
      return `the link to ${change.peer} is broken: others reach it, and this peer does not`
    case 'reachable':
      return `the link to ${change.peer} is whole again`
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

function ordinal(count: number): string {
  return count === 2 ? '2nd' : count === 3 ? '3rd' : `${count}th`
}
