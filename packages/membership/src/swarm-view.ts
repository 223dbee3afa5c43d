import type { PeerName } from '@murmuration/core'
import { type BrokenPair, pairKey } from './graph.js'
import { type Knowledge, votesNeeded } from './knowledge.js'
import { isMajority } from './majority.js'
import { isGone, type PeerRecord, type Vote } from './records.js'
import type { View } from './view.js'

const nobody: readonly PeerName[] = []

/** Queries on a peer's knowledge. */
export abstract class SwarmView {
  protected abstract readonly knowledge: Knowledge
  /** What currently follows from the knowledge. */
  protected abstract readonly view: View

  /**
   * @param peers all peers of the run
   * @param places of invited peers, or of peers that were gone when this peer's checkpoint was saved: they are not
   *   waited for before they come
   */
  constructor(
    protected readonly peers: readonly PeerName[],
    private readonly places: ReadonlySet<PeerName>
  ) {}

  /**
   * Whether this peer and those that are present are more than half of all: of the members, and of those that have
   * finished and are gone.
   */
  get isMain(): boolean {
    return this.view.isMain
  }

  /**
   * All of the peer list that are not present and have not finished, except for places that no peer has taken: peers
   * that know the same have the same list.
   */
  get missing(): readonly PeerName[] {
    const isAwaited = (peer: PeerName) => !this.isPresent(peer) && !this.#isOpen(peer) && !this.hasFinished(peer)
    return this.peers.filter(isAwaited)
  }

  /** Whether a peer has finished its training, whether it is there or not. */
  hasFinished(peer: PeerName): boolean {
    return this.knowledge.finished.has(peer)
  }

  /** The other peers that have finished, in the order of the peer list. */
  get finished(): readonly PeerName[] {
    return this.knowledge.finished.size === 0 ? nobody : this.peers.filter((peer) => this.hasFinished(peer))
  }

  /**
   * Whether the run has its result: of those that are present or have finished, at least half have finished, and more
   * than there may be liars. A peer that these have passed by takes the model of one of them; it does not train
   * another.
   */
  get hasResult(): boolean {
    const { finished, electorate, liars } = this.knowledge
    if (finished.size < votesNeeded(electorate, liars)) return false
    const unfinished = this.present.reduce((count, peer) => count + (finished.has(peer) ? 0 : 1), 0)
    return finished.size >= unfinished
  }

  /** Whether too many have finished, and are gone, for the others to be a majority again. */
  get isTooLate(): boolean {
    const { finished } = this.knowledge
    if (finished.size === 0) return false
    const mayCome = this.members.filter((peer) => !finished.has(peer) || this.isPresent(peer))
    return !isMajority(mayCome.length, this.knowledge.electorate)
  }

  /** This peer, and the members that are not dead and were heard recently; in the order of their names. */
  get present(): readonly PeerName[] {
    return this.view.present
  }

  /** Whether a peer is {@link present}. */
  isPresent(peer: PeerName): boolean {
    return this.view.isPresent(peer)
  }

  /** Whether any peer has not begun its life and is not dead, heard by this peer or shown by others. */
  get isAnyJoining(): boolean {
    for (const peer of this.knowledge.joining) if (this.knowledge.isMember(peer) && !this.isDead(peer)) return true
    return false
  }

  /** All that have a record, have not left and are not forgotten, including the dead; in the order of their names. */
  get members(): readonly PeerName[] {
    return this.view.members
  }

  /**
   * Peers that no longer count: they were dead for so long that they were forgotten, have left that long ago, or their
   * place is not taken yet.
   */
  get gone(): readonly PeerName[] {
    return this.peers.filter((peer) => this.#isOpen(peer) || this.knowledge.isForgotten(peer))
  }

  /** Whether enough members have voted against a peer's present standing. */
  isDead(peer: PeerName): boolean {
    return this.knowledge.isDead(peer)
  }

  /** Whether a peer may be in the rows of this round. */
  isUsable(peer: PeerName, round: number): boolean {
    const record = this.recordOf(peer)
    if (record?.status !== 'here' || !record.isIn || record.from > round) return false
    const { dead, quarantined } = this.view
    return !dead.has(peer) && !quarantined.has(peer) && this.knowledge.isMember(peer)
  }

  /** Whether either of two peers says that they cannot exchange vectors. */
  isBroken(a: PeerName, b: PeerName): boolean {
    return this.view.brokenKeys.has(pairKey(a, b))
  }

  /** Whether a peer says that it keeps this one out of its rows, or so many others say it that all do (rule 10). */
  isLeftOutBy(peer: PeerName): boolean {
    return this.view.isLeftOutBy(peer)
  }

  /** The pairs for which {@link isBroken} is true; a pair may occur twice. */
  get brokenPairs(): readonly BrokenPair[] {
    return this.view.brokenPairs
  }

  /** Whether a peer has said that it leaves, before it has finished or then; or its place is not taken yet. */
  hasLeft(peer: PeerName): boolean {
    const record = this.knowledge.record(peer)
    return (record !== undefined && isGone(record)) || this.#isOpen(peer)
  }

  /** How many peers are present that have no place; and where invited ones are needed, how many in all. */
  protected presentOf(needed: number): number {
    const { present, presentCount } = this.view
    const others = this.peers.length - this.places.size
    return needed > others ? presentCount : present.filter((peer) => !this.places.has(peer)).length
  }

  #isOpen(peer: PeerName): boolean {
    return this.places.has(peer) && this.knowledge.record(peer) === undefined
  }

  /** 0 while unknown. */
  lifeOf(peer: PeerName): number {
    return this.recordOf(peer)?.life ?? 0
  }

  /** The latest record of a peer. */
  recordOf(peer: PeerName): PeerRecord | undefined {
    return this.knowledge.latest(peer)
  }

  /** The newest vote of each voter against each target; void ones are not kept. */
  get votes(): readonly Vote[] {
    return this.knowledge.votes
  }
}
