import type { Milliseconds, PeerName } from '@murmuration/core'
import { Member } from '@murmuration/membership'
import { hasBegun } from './entering.js'
import { type MembersFabric, type MembersOptions, standingOf } from './members-options.js'

/** The training that hears of the member. */
export interface MemberObserver {
  /** Before each tick. */
  report(now: Milliseconds): void
  /** A peer has begun anew, without its previous state. */
  onLife(peer: PeerName, life: number): void
}

/** Connects a {@link Member} with a fabric: hands it what arrives and the time, and sends its notes. */
export class MemberNotes {
  readonly member: Member
  /** Whether this peer has done all its rounds. */
  hasFinished = false
  observer: MemberObserver | undefined
  /** Whether this peer waits between rounds, until anything is known. */
  isWaiting = false
  /** When the last sign of any other arrived. */
  lastSign: Milliseconds = 0
  /** When each other last told anything. */
  readonly #toldAt = new Map<PeerName, Milliseconds>()
  readonly #fabric: MembersFabric
  readonly #onChange: MembersOptions['onChange']
  #isOver = false

  /**
   * @param take - takes in a note that is none of the member; returns the sender's fault in words, if any, and null if
   * it is not its own
   */
  constructor(
    fabric: MembersFabric,
    { topology, places, settings = {}, signer, onChange }: MembersOptions,
    take: (from: PeerName, note: string) => string | undefined | null
  ) {
    const { self } = fabric
    this.#fabric = fabric
    this.#onChange = onChange
    const random = fabric.random.stream('members')
    // Also after the end: this peer's last record may be signed a moment later.
    const onSigned = () => this.#tell()
    this.member = new Member({ self, peers: topology.peers, places, settings, signer, onSigned, random }, fabric.now())
    fabric.listen({
      note: (from, note) => {
        const fault = take(from, note)
        return fault === null ? this.act((now) => this.#receive(from, note, now)) : fault
      },
      heard: (from) => this.member.heard(from, (this.lastSign = fabric.now())),
      refused: (peer) => void this.act((now) => this.member.refused(peer, now))
    })
    fabric.spawn((spawned) => this.#tick(spawned))
  }

  /** After each call of the member: sends its notes, reports its changes, and lets the round check again. */
  act<Result>(act: (now: Milliseconds) => Result): Result | undefined {
    if (this.#isOver) return undefined
    const result = act(this.#fabric.now())
    this.#tell()
    const changes = this.member.takeChanges()
    if (changes.length > 0 || this.isWaiting) this.#fabric.wake()
    for (const change of changes) {
      if (change.kind === 'joined' && change.life > 1) this.observer?.onLife(change.peer, change.life)
      // A finished peer no longer reports that others end one after the other.
      if (!this.hasFinished) this.#onChange?.(change, standingOf(this.member))
    }
    return result
  }

  /** Whether a peer has told how far it is, at this time or later. */
  hasReported(peer: PeerName, since: Milliseconds): boolean {
    return (this.#toldAt.get(peer) ?? Number.NEGATIVE_INFINITY) >= since
  }

  /** A life begins in this round, with this peer's own state or one that was taken. */
  begin(round: number, unlinked?: readonly PeerName[]): void {
    this.act((now) => this.member.begin(round, now, unlinked))
  }

  /** All rounds of this peer are before `round`; it stays, and serves others. */
  finish(round: number): void {
    this.hasFinished = true
    this.act((now) => this.member.finish(round, now))
  }

  /**
   * This peer takes part in no round after `round`: it has finished, or was stopped. The others are told, so they do
   * not take it for dead.
   */
  leave(round: number): void {
    if (this.hasFinished) this.act((now) => this.member.end(round, now))
    else if (hasBegun(this.member)) this.act((now) => this.member.leave(round, now))
    this.end()
  }

  /** Sends a text that is no note of a member to all contacts. */
  tellContacts(text: string): void {
    for (const peer of this.member.contacts) this.#fabric.tell(peer, text)
  }

  /** Sends nothing from now on. */
  end(): void {
    this.#isOver = true
  }

  #tell(): void {
    for (const { to, note } of this.member.take()) this.#fabric.tell(to, note)
  }

  #receive(from: PeerName, note: string, now: Milliseconds): string | undefined {
    this.lastSign = now
    this.#toldAt.set(from, now)
    return this.member.receive(from, note, now)
  }

  async #tick(spawned: MembersFabric): Promise<void> {
    while (!this.#isOver) {
      this.observer?.report(spawned.now())
      this.act((now) => this.member.tick(now))
      await spawned.sleep(spawned.now() + this.member.settings.tick)
    }
  }
}
