import type { Milliseconds, PeerName, Random } from '@murmuration/core'
import type { Changes } from './changes.js'
import type { Knowledge } from './knowledge.js'
import { Lives } from './lives.js'
import type { AddressedNote, ProbeNote } from './notes.js'
import { Probes } from './probes.js'
import { compareStanding, isGone, type PeerRecord, type Signer } from './records.js'
import type { MembershipSettings } from './settings.js'
import { Suspicion } from './suspicion.js'

/**
 * Watches contacts: asks others about those that it suspects, and finds a broken link or a reason to vote. Times are of
 * the awake clock.
 */
export class Detector {
  readonly #knowledge: Knowledge
  readonly #changes: Changes
  readonly #suspicion: Suspicion
  readonly #probes: Probes
  readonly #lives: Lives
  readonly #isLate: (peer: PeerName) => boolean
  /** Contacts that others reach and this peer does not. */
  readonly #unreachable = new Set<PeerName>()

  constructor(
    readonly self: PeerName,
    options: {
      readonly settings: MembershipSettings
      readonly signer: Signer
      readonly onSigned?: (() => void) | undefined
      readonly random: Random
      readonly knowledge: Knowledge
      readonly changes: Changes
    },
    isLate: (peer: PeerName) => boolean
  ) {
    this.#isLate = isLate
    this.#knowledge = options.knowledge
    this.#changes = options.changes
    this.#suspicion = new Suspicion(options.settings)
    this.#lives = new Lives(options.settings)
    this.#probes = new Probes(self, options.signer, options.random, options.onSigned)
  }

  get unreachable(): readonly PeerName[] {
    return [...this.#unreachable]
  }

  isUnreachable(peer: PeerName): boolean {
    return this.#unreachable.has(peer)
  }

  isSuspected(peer: PeerName): boolean {
    return this.#suspicion.isSuspected(peer)
  }

  isPresent(peer: PeerName, at: Milliseconds): boolean {
    return this.#suspicion.isPresent(peer, at)
  }

  /** Whether a contact is known from others only, and is not suspected. */
  isNew(peer: PeerName): boolean {
    return this.#suspicion.isNew(peer)
  }

  /** A record of a peer, or of this one, is about to be taken in. It may refute votes, or tell of a new life. */
  recordComes(record: PeerRecord, at: Milliseconds): void {
    const { name, life } = record
    const before = this.#knowledge.record(name)
    if (before === undefined || compareStanding(record, before) <= 0) return
    this.#suspicion.renewed(name, at)
    // Of one that has said that it leaves nobody waited for anything.
    if (isGone(before)) return
    if (life > Math.max(1, before.life) || this.#knowledge.isDead(name)) this.#cameBack(name, at)
  }

  /** The peers that came back too often to be waited for; perhaps this one too. */
  restless(at: Milliseconds): readonly PeerName[] {
    return this.#lives.tooOften(at)
  }

  /** Whoever came back too often may be waited for again. */
  forgive(at: Milliseconds): void {
    this.#lives.forgive(at)
  }

  /** For how much longer a peer is not waited for, since it was gone or silent and came back too often; 0 if it is. */
  restlessFor(peer: PeerName, at: Milliseconds): Milliseconds {
    return this.#lives.outFor(peer, at)
  }

  /**
   * Anything has arrived from a peer. Returns whether that changes its standing: it was absent, suspected or
   * unreachable.
   */
  heard(peer: PeerName, at: Milliseconds): boolean {
    const wasPresent = this.#suspicion.isPresent(peer, at)
    const wasFine = wasPresent && !this.#suspicion.isSuspected(peer)
    // Of those that are dead or have left, their record says that they are back.
    const record = this.#knowledge.record(peer)
    const isExpected = this.#knowledge.isDead(peer) || (record !== undefined && isGone(record))
    if (!wasPresent && this.#suspicion.wasHeard(peer) && !isExpected) this.#cameBack(peer, at)
    this.#suspicion.heard(peer, at)
    this.#probes.end(peer)
    if (!this.#unreachable.delete(peer)) return !wasFine
    this.#changes.add({ kind: 'reachable', peer })
    return true
  }

  /**
   * Looks at a contact. Returns whether to vote against it.
   *
   * @param isBeat whether this is a tick at which others are asked again
   */
  isSilent(peer: PeerName, contacts: Iterable<PeerName>, isBeat: boolean, at: Milliseconds): boolean {
    const record = this.#knowledge.record(peer)
    if (record === undefined || !this.#knowledge.isMember(peer)) return false
    const wasSuspected = this.#suspicion.isSuspected(peer)
    const verdict = this.#suspicion.verdictOn(peer, at)
    if (verdict === 'fine') return false
    const isSettled = verdict === 'vote' && this.#knowledge.isDead(peer)
    if (!isSettled && (isBeat || !wasSuspected)) this.#probes.ask(peer, this.#helpers(peer, contacts))
    if (verdict === 'broken') this.#cannotReach(peer)
    return verdict === 'vote'
  }

  /** Handles a note about a suspected peer. Returns the fault of the sender, if any. */
  receive(from: PeerName, note: ProbeNote, at: Milliseconds): string | undefined {
    const { vouched, fault } = this.#probes.receive(from, note)
    if (vouched !== undefined) this.#suspicion.vouched(vouched, at)
    return fault
  }

  take(): readonly AddressedNote[] {
    return this.#probes.take()
  }

  /** A peer, or this one, is back. What a peer does while it is kept out of the rows as late costs nobody anything. */
  #cameBack(peer: PeerName, at: Milliseconds): void {
    if (!this.#isLate(peer)) this.#lives.add(peer, at)
  }

  #cannotReach(peer: PeerName) {
    if (this.#unreachable.has(peer)) return
    this.#unreachable.add(peer)
    this.#changes.add({ kind: 'unreachable', peer })
  }

  #helpers(target: PeerName, contacts: Iterable<PeerName>): PeerName[] {
    return [...contacts].filter(
      (peer) =>
        peer !== target &&
        this.#knowledge.isMember(peer) &&
        !this.#suspicion.isSuspected(peer) &&
        !this.#knowledge.isDead(peer)
    )
  }
}
