import type { Milliseconds, PeerName } from '@murmuration/core'
import { Apart } from './apart.js'
import type { Changes } from './changes.js'
import type { Knowledge } from './knowledge.js'
import type { OwnReport } from './own-report.js'
import { hasFinished, type PeerRecord } from './records.js'
import type { MemberPolicy, MembershipSettings } from './settings.js'
import type { MemberState } from './states.js'
import type { View } from './view.js'

/** What was last seen of a peer. */
interface Sight {
  readonly record: PeerRecord
  readonly isDead: boolean
}

/** Notices changes from tick to tick, and forgets members that have been dead for long. */
export class Watcher {
  readonly #seen = new Map<PeerName, Sight>()
  readonly #deadSince = new Map<PeerName, Milliseconds>()
  readonly #leftSince = new Map<PeerName, Milliseconds>()
  /** Who was last seen to be left out, and by whom. */
  #leftOut: ReadonlyMap<PeerName, readonly PeerName[]> = new Map()
  readonly apart: Apart
  #state: MemberState = 'starting'

  constructor(
    readonly knowledge: Knowledge,
    readonly self: PeerName,
    readonly settings: MembershipSettings,
    readonly changes: Changes,
    readonly report: Pick<OwnReport, 'lag'>,
    /** For how much longer this peer leaves another out, or all leave this one; 0 where it knows of none. */
    readonly outFor: (peer: PeerName) => Milliseconds
  ) {
    this.apart = new Apart(settings)
  }

  update(view: View, state: MemberState, policy: MemberPolicy, isPaused: boolean, now: Milliseconds): void {
    for (const peer of this.knowledge.takeTouched()) {
      const record = this.knowledge.record(peer)
      if (record !== undefined && peer !== this.self) this.#updatePeer(record, view.dead.has(peer), now)
    }
    if (view.isMain && !isPaused) this.#forgetGone(view, now)
    this.#updateApart(view, now)
    this.#updateLeftOut(view)
    if (state === this.#state) return
    this.changes.add({ kind: 'state', state, before: this.#state, policy })
    this.#state = state
  }

  #updatePeer(record: PeerRecord, isDead: boolean, now: Milliseconds) {
    const last = this.#seen.get(record.name)
    if (last?.record === record && last.isDead === isDead) return
    this.#seen.set(record.name, { record, isDead })
    const peer = record.name
    if (record.status !== 'left') this.#leftSince.delete(peer)
    else if (last?.record.status !== 'left') this.#leftSince.set(peer, now)
    if (isDead && last?.isDead !== true) {
      this.#deadSince.set(peer, now)
      if (!hasFinished(record)) this.changes.add({ kind: 'died', peer, voters: this.knowledge.votersAgainst(peer) })
    }
    if (!isDead && last?.isDead === true) this.#returned(record)
    if (record.status === 'left' && last?.record.status !== 'left') this.changes.add({ kind: 'left', peer })
    if (hasFinished(record) && !(last !== undefined && hasFinished(last.record)))
      this.changes.add({ kind: 'done', peer })
    if (record.isIn && record.status === 'here' && !(last?.record.isIn && last.record.life === record.life))
      this.changes.add({ kind: 'joined', peer, life: record.life })
  }

  #updateApart(view: View, now: Milliseconds) {
    const recordOf = (peer: PeerName) => this.knowledge.latest(peer)
    const own = recordOf(this.self)
    if (own?.isIn !== true) return
    const { lag } = this.report
    const reunion = this.apart.update({ view, samples: own.samples, round: own.round, lag, recordOf }, now)
    if (reunion !== undefined) this.changes.add({ kind: 'reunited', ...reunion })
  }

  /**
   * Of another peer it is told only that it is left out, and that this has ended; of this one also by whom, as that
   * changes.
   */
  #updateLeftOut({ leftOut }: View) {
    const last = this.#leftOut
    for (const [peer, by] of leftOut) {
      const isNews = peer === this.self ? String(by) !== String(last.get(peer)) : !last.has(peer)
      if (!isNews) continue
      const time = this.outFor(peer)
      this.changes.add({ kind: 'left-out', peer, by, ...(time > 0 && { time }) })
    }
    for (const peer of last.keys()) if (!leftOut.has(peer)) this.changes.add({ kind: 'taken-in', peer })
    this.#leftOut = leftOut
  }

  #returned({ name: peer, life }: PeerRecord) {
    this.#deadSince.delete(peer)
    if (this.knowledge.isMember(peer)) this.changes.add({ kind: 'returned', peer, life })
  }

  #forgetGone(view: View, now: Milliseconds) {
    const isLong = (since = now) => now - since >= this.settings.forgetAfter
    for (const peer of view.dead) {
      if (!isLong(this.#deadSince.get(peer))) continue
      this.knowledge.forget(peer)
      this.changes.add({ kind: 'forgotten', peer })
    }
    for (const [peer, since] of this.#leftSince) {
      if (!isLong(since)) continue
      this.knowledge.forget(peer)
      this.#leftSince.delete(peer)
    }
  }
}
