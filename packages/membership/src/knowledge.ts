import type { PeerName } from '@murmuration/core'
import {
  compareStanding,
  compareTexts,
  type Distance,
  hasFinished,
  isGone,
  isSameNews,
  type PeerRecord,
  signedText,
  type Standing,
  type Vote
} from './records.js'

/** The effect of a record: nothing new, only a beat and progress, or news for others. */
export type News = 'old' | 'beat' | 'news'

/**
 * What a peer knows of the swarm: the newest record of each peer, and the newest vote of each voter against each
 * target. A join-semilattice: peers that have taken in the same records and votes know the same, in whatever order and
 * however often these came. Signatures are checked before. Votes against an earlier standing of their target are void
 * and dropped. The members and the dead follow from them and are updated with each, so that queries are cheap in a
 * large swarm.
 */
export class Knowledge {
  readonly #records = new Map<PeerName, PeerRecord>()
  /** The records of peers that have since told this one directly of more progress, with that progress. */
  readonly #latest = new Map<PeerName, PeerRecord>()
  readonly #votes = new Map<PeerName, Map<PeerName, Vote>>()
  /** The standing of each peer that this one has forgotten. The only part that is not shared. */
  readonly #forgotten = new Map<PeerName, Standing>()
  readonly #memberSet = new Set<PeerName>()
  #members: readonly PeerName[] = []
  readonly #dead = new Set<PeerName>()
  #deadMembers: ReadonlySet<PeerName> = new Set()
  readonly #reporting = new Set<PeerName>()
  readonly #joining = new Set<PeerName>()
  readonly #finished = new Set<PeerName>()
  readonly #ended = new Set<PeerName>()
  #touched = new Set<PeerName>()

  /** @param liars how many false voters the swarm tolerates */
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

  /** A record as it was signed, but with the latest known round and samples. */
  latest(name: PeerName): PeerRecord | undefined {
    return this.#latest.get(name) ?? this.#records.get(name)
  }

  /** A peer has told this one its progress. */
  updateDistance(name: PeerName, { round, samples }: Distance): void {
    const current = this.latest(name)
    if (current === undefined || (current.round === round && current.samples === samples)) return
    this.#latest.set(name, { ...current, round, samples })
  }

  vote(voter: PeerName, target: PeerName): Vote | undefined {
    return this.#votes.get(target)?.get(voter)
  }

  /**
   * Whether a record is newer than what is known, by life, refutation and beat; of two with the same numbers, the
   * larger text is.
   */
  isNewer(record: PeerRecord): boolean {
    const current = this.#records.get(record.name)
    return current === undefined || (record !== current && this.compare(record, current) > 0)
  }

  addRecord(record: PeerRecord): News {
    const { name } = record
    const current = this.#records.get(name)
    if (current !== undefined && this.compare(record, current) <= 0) return 'old'
    this.#records.set(name, record)
    this.#latest.delete(name)
    if (current !== undefined && isSameNews(current, record)) return 'beat'
    setWhere(this.#reporting, name, record.broken.length + record.silent.length > 0)
    setWhere(this.#joining, name, record.status === 'joining')
    setWhere(this.#finished, name, hasFinished(record))
    setWhere(this.#ended, name, record.status === 'ended')
    this.#dropVoid(record)
    this.#touched.add(name)
    this.#count(name)
    this.#countVotes(name)
    return 'news'
  }

  /** Whether a vote is newer than what is known of its voter. */
  isNewVote(vote: Vote): boolean {
    const { voter, target, signature } = vote
    const record = this.#records.get(target)
    if (voter === target || (record !== undefined && compareStanding(vote, record) < 0)) return false
    const current = this.vote(voter, target)
    if (current === vote) return false
    return current === undefined || (compareStanding(vote, current) || compareTexts(signature, current.signature)) > 0
  }

  /** Takes a vote in. Returns whether it was new. */
  addVote(vote: Vote): boolean {
    if (!this.isNewVote(vote)) return false
    const votes = this.#votes.get(vote.target) ?? new Map<PeerName, Vote>()
    this.#votes.set(vote.target, votes.set(vote.voter, vote))
    this.#countVotes(vote.target)
    return true
  }

  /** The members that have voted against a peer's present standing, in the order of their names. */
  votersAgainst(target: PeerName): PeerName[] {
    const standing = this.#records.get(target)
    if (standing === undefined) return []
    const votes = [...(this.#votes.get(target)?.values() ?? [])]
    return votes
      .filter((vote) => this.#isAgainst(vote, standing))
      .map(({ voter }) => voter)
      .sort(compareTexts)
  }

  /**
   * Whether a peer counts as dead: against its present standing has voted one more member than there may be liars, or
   * all others where they are fewer. Nothing else makes a peer dead.
   */
  isDead(target: PeerName): boolean {
    return this.#dead.has(target)
  }

  /** Whether a peer is a member: it has a record, has not left or ended and is not forgotten. The dead are members. */
  isMember(name: PeerName): boolean {
    return this.#memberSet.has(name)
  }

  /** In the order of their names. The list is immutable; a change makes a new one. */
  get members(): readonly PeerName[] {
    return this.#members
  }

  get memberCount(): number {
    return this.#members.length
  }

  /**
   * How many peers a majority is counted of: the members, and those that have finished and are gone. These are not
   * waited for, but without them a minority that was cut off from them would become a majority when they go.
   */
  get electorate(): number {
    return this.#members.length + this.#ended.size
  }

  /** Peers that have finished: they are there to give others their model, are gone, or are dead. */
  get finished(): ReadonlySet<PeerName> {
    return this.#finished
  }

  /** The members that are dead. The set is immutable; a change makes a new one. */
  get deadMembers(): ReadonlySet<PeerName> {
    return this.#deadMembers
  }

  /** Peers that report others as broken or silent. */
  get reporting(): ReadonlySet<PeerName> {
    return this.#reporting
  }

  /** Peers that say that their life has not begun. */
  get joining(): ReadonlySet<PeerName> {
    return this.#joining
  }

  /** Peers with news since the last call, or that have died, live again, or have begun or ceased to count. */
  takeTouched(): ReadonlySet<PeerName> {
    const touched = this.#touched
    this.#touched = new Set()
    return touched
  }

  /** No longer counts a peer, until it refutes or has a new life. */
  forget(name: PeerName): void {
    const record = this.#records.get(name)
    if (record === undefined) return
    this.#forgotten.set(name, record)
    this.#count(name)
  }

  isForgotten(name: PeerName): boolean {
    const forgotten = this.#forgotten.get(name)
    const record = this.#records.get(name)
    return forgotten !== undefined && record !== undefined && compareStanding(record, forgotten) <= 0
  }

  /**
   * Above 0 when `a` counts. A peer that says two things under the same numbers lies; all peers believe the larger
   * text.
   */
  protected compare(a: PeerRecord, b: PeerRecord): number {
    return compareStanding(a, b) || a.beat - b.beat || compareTexts(wholeText(a), wholeText(b))
  }

  /** Whether the vote of a peer counts. */
  protected hasVote(voter: PeerName): boolean {
    return this.isMember(voter)
  }

  /** Updates whether a peer counts among the members. That may decide about those that it has voted against. */
  #count(name: PeerName) {
    const record = this.#records.get(name)
    const isMember = record !== undefined && !isGone(record) && !this.isForgotten(name)
    if (isMember === this.#memberSet.has(name)) return
    const neededBefore = this.#needed
    if (isMember) this.#memberSet.add(name)
    else this.#memberSet.delete(name)
    this.#members = isMember ? withName(this.#members, name) : this.#members.filter((other) => other !== name)
    this.#touched.add(name)
    this.#noteDead(name)
    const isOther = this.#needed !== neededBefore
    for (const [target, votes] of this.#votes) if (isOther || votes.has(name)) this.#countVotes(target)
  }

  #countVotes(target: PeerName) {
    const standing = this.#records.get(target)
    let voters = 0
    if (standing !== undefined) {
      for (const vote of this.#votes.get(target)?.values() ?? []) if (this.#isAgainst(vote, standing)) voters++
    }
    const isDead = voters > 0 && voters >= this.#needed
    if (isDead === this.#dead.has(target)) return
    if (isDead) this.#dead.add(target)
    else this.#dead.delete(target)
    this.#touched.add(target)
    this.#noteDead(target)
  }

  #noteDead(name: PeerName) {
    const isDeadMember = this.#dead.has(name) && this.#memberSet.has(name)
    if (isDeadMember === this.#deadMembers.has(name)) return
    const others = [...this.#deadMembers].filter((other) => other !== name)
    this.#deadMembers = new Set(isDeadMember ? [...others, name] : others)
  }

  #isAgainst(vote: Vote, standing: Standing): boolean {
    return compareStanding(vote, standing) === 0 && this.hasVote(vote.voter)
  }

  get #needed(): number {
    return votesNeeded(this.memberCount, this.liars)
  }

  #dropVoid(record: PeerRecord) {
    const votes = this.#votes.get(record.name)
    if (votes === undefined) return
    for (const [voter, vote] of votes) if (isVoid(vote, record)) votes.delete(voter)
    if (votes.size === 0) this.#votes.delete(record.name)
  }
}

/** How many voters remove a peer: one more than the tolerated liars, but at most all others, and at least one. */
export function votesNeeded(memberCount: number, liars: number): number {
  return Math.max(1, Math.min(liars + 1, memberCount - 1))
}

function setWhere(names: Set<PeerName>, name: PeerName, isIn: boolean) {
  if (isIn) names.add(name)
  else names.delete(name)
}

const isVoid = (vote: Standing, record: Standing) => compareStanding(vote, record) < 0
const wholeText = (record: PeerRecord) => signedText(record) + record.signature

/** A sorted list with one name more. */
function withName(sorted: readonly PeerName[], name: PeerName): readonly PeerName[] {
  let low = 0
  let high = sorted.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (sorted[middle] < name) low = middle + 1
    else high = middle
  }
  return [...sorted.slice(0, low), name, ...sorted.slice(low)]
}
