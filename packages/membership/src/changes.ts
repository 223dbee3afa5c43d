import type { Milliseconds, PeerName } from '@murmuration/core'
import type { Reunion } from './apart.js'
import type { MemberPolicy } from './settings.js'
import type { MemberState } from './states.js'

/** Something that has changed, for events and reports. */
export type MemberChange =
  /** `policy` is what this peer does in the state; it ends when that is 'stop'. */
  | { readonly kind: 'state'; readonly state: MemberState; readonly before: MemberState; readonly policy: MemberPolicy }
  /** A peer has begun its first round in this life. */
  | { readonly kind: 'joined'; readonly peer: PeerName; readonly life: number }
  | { readonly kind: 'left' | 'done' | 'forgotten'; readonly peer: PeerName }
  | { readonly kind: 'died'; readonly peer: PeerName; readonly voters: readonly PeerName[] }
  /** A dead peer lives again: it has refuted, or a new process of it has come. */
  | { readonly kind: 'returned'; readonly peer: PeerName; readonly life: number }
  /** Others reach a peer and this one does not; or that has ended. */
  | { readonly kind: 'unreachable' | 'reachable'; readonly peer: PeerName }
  /**
   * Present peers leave a present peer, perhaps this one, out of their rows: it was late or came back too often (rule
   * 10). `time` says for how much longer; absent where only others know it.
   */
  | {
      readonly kind: 'left-out'
      readonly peer: PeerName
      readonly by: readonly PeerName[]
      readonly time?: Milliseconds
    }
  /** That has ended. */
  | { readonly kind: 'taken-in'; readonly peer: PeerName }
  /**
   * A side that was no majority and trained apart meets others: it merges its own state with theirs, with this mass.
   */
  | ({ readonly kind: 'reunited' } & Reunion)

/** Further changes are dropped when a driver does not take them. */
const maxChanges = 1000

/** Changes until they are taken. */
export class Changes {
  #changes: MemberChange[] = []

  add(change: MemberChange): void {
    if (this.#changes.length < maxChanges) this.#changes.push(change)
  }

  take(): readonly MemberChange[] {
    const changes = this.#changes
    this.#changes = []
    return changes
  }
}
