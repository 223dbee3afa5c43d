import type { PeerName } from '@murmuration/core'
import {
  compareStanding,
  compareTexts,
  type Distance,
  newsText,
  type PeerRecord,
  recordText,
  type Standing,
  type Vote
} from './records.js'

/** What a record told: nothing new, a beat and progress alone, or something that others want to hear of. */
export type News = 'old' | 'beat' | 'news'

/**
 * What a peer knows of the swarm: the newest record of each peer, and the newest vote of each voter against each target. A join-semilattice:
 * peers that have taken in the same records and votes know the same, in whatever order and how often they came. Signatures are checked before.
 * Votes against an earlier standing of their target are void, and are not kept.
 */
export class Knowledge {
  readonly #records = new Map<PeerName, PeerRecord>()
  /** The records, with how far each peer has come since: what it told this peer alone. */
  readonly #latest = new Map<PeerName, PeerRecord>()
  readonly #votes = new Map<PeerName, Map<PeerName, Vote>>()
  /** How those stood that this peer has forgotten. The only part that is not shared. */
  readonly #forgotten = new Map<PeerName, Standing>()

  /** @param liars how many voters the swarm does not believe */
  constructor(readonly liars: number) {}

  get records(): IterableIterator<PeerRecord> {
    return this.#records.values()
  }

  get votes(): Vote[] {
    return [...this.#votes.values()].flatMap((votes) => [...votes.values()])
  }

  record(name: PeerName): PeerRecord | undefined {
    return this.#records.get(name)
  }

  /** A record as it was signed, but with the last round and samples that were heard of. */
  latest(name: PeerName): PeerRecord | undefined {
    return this.#latest.get(name)
  }

  /** A peer has told this one how far it is. */
  hasCome(name: PeerName, { round, samples }: Distance): void {
    const known = this.#latest.get(name)
    if (known === undefined || (known.round === round && known.samples === samples)) return
    this.#latest.set(name, { ...known, round, samples })
  }

  vote(voter: PeerName, target: PeerName): Vote | undefined {
    return this.#votes.get(target)?.get(voter)
  }

  /** Whether a record is newer than what is known: a life, a refutation, a beat; of two with the same numbers, the larger text. */
  isNewer(record: PeerRecord): boolean {
    const known = this.#records.get(record.name)
    return known === undefined || this.compare(record, known) > 0
  }

  addRecord(record: PeerRecord): News {
    const known = this.#records.get(record.name)
    if (known !== undefined && this.compare(record, known) <= 0) return 'old'
    this.#records.set(record.name, record)
    this.#latest.set(record.name, record)
    this.#dropVoid(record)
    return known === undefined || newsText(known) !== newsText(record) ? 'news' : 'beat'
  }

  /** Whether a vote says more than its voter is known to have said. */
  isNewVote(vote: Vote): boolean {
    const { voter, target, signature } = vote
    const record = this.#records.get(target)
    if (voter === target || (record !== undefined && compareStanding(vote, record) < 0)) return false
    const known = this.vote(voter, target)
    return known === undefined || (compareStanding(vote, known) || compareTexts(signature, known.signature)) > 0
  }

  /** Takes a vote in. The result says whether it was new. */
  addVote(vote: Vote): boolean {
    if (!this.isNewVote(vote)) return false
    const votes = this.#votes.get(vote.target) ?? new Map<PeerName, Vote>()
    this.#votes.set(vote.target, votes.set(vote.voter, vote))
    return true
  }

  /** The members that have voted against a peer as it stands now, in the order of their names. */
  votersAgainst(target: PeerName): PeerName[] {
    const standing = this.#records.get(target)
    if (standing === undefined) return []
    return [...(this.#votes.get(target)?.values() ?? [])]
      .filter((vote) => this.hasVote(vote.voter) && compareStanding(vote, standing) === 0)
      .map(({ voter }) => voter)
      .sort(compareTexts)
  }

  /**
   * Whether a peer counts as dead: one more member than there may be liars has voted against it as it stands, or all others where they are fewer.
   * Nothing else makes a peer dead.
   */
  isDead(target: PeerName): boolean {
    return this.#votes.has(target) && this.votersAgainst(target).length >= votesNeeded(this.memberCount, this.liars)
  }

  /** Whether a peer counts: it has a record, has not left and is not forgotten. The dead count. */
  isMember(name: PeerName): boolean {
    const record = this.#records.get(name)
    return record !== undefined && record.status !== 'left' && !this.isForgotten(name)
  }

  get members(): PeerName[] {
    return [...this.#records.keys()].filter((name) => this.isMember(name)).sort(compareTexts)
  }

  get memberCount(): number {
    let count = 0
    for (const name of this.#records.keys()) if (this.isMember(name)) count++
    return count
  }

  /** No longer counts a peer, until it refutes or lives anew. */
  forget(name: PeerName): void {
    const record = this.#records.get(name)
    if (record !== undefined) this.#forgotten.set(name, record)
  }

  isForgotten(name: PeerName): boolean {
    const forgotten = this.#forgotten.get(name)
    const record = this.#records.get(name)
    return forgotten !== undefined && record !== undefined && compareStanding(record, forgotten) <= 0
  }

  /** Above 0 when `a` counts. A peer that says two things under the same numbers lies; all believe the larger text. */
  protected compare(a: PeerRecord, b: PeerRecord): number {
    return compareStanding(a, b) || a.beat - b.beat || compareTexts(signedText(a), signedText(b))
  }

  /** Whether the vote of a peer counts. */
  protected hasVote(voter: PeerName): boolean {
    return this.isMember(voter)
  }

  #dropVoid(record: PeerRecord) {
    const votes = this.#votes.get(record.name)
    if (votes === undefined) return
    for (const [voter, vote] of votes) if (isVoid(vote, record)) votes.delete(voter)
    if (votes.size === 0) this.#votes.delete(record.name)
  }
}

/** How many voters remove a peer: one more than the liars to bear, but never more than there are others, and at least one. */
export function votesNeeded(memberCount: number, liars: number): number {
  return Math.max(1, Math.min(liars + 1, memberCount - 1))
}

const isVoid = (vote: Standing, record: Standing) => compareStanding(vote, record) < 0
const signedText = (record: PeerRecord) => recordText(record) + record.signature
