import type { Milliseconds, PeerName, Random } from '@murmuration/core'
import type { Reunion } from './apart.js'
import { AwakeClock } from './awake-clock.js'
import { Changes, type MemberChange } from './changes.js'
import { Contacts } from './contacts.js'
import { Detector } from './detector.js'
import { Entry } from './entry.js'
import { Gossip } from './gossip.js'
import { Intake } from './intake.js'
import { Knowledge, votesNeeded } from './knowledge.js'
import { chainLength, medianRound, nearMedian, upperMedianRound } from './lag.js'
import type { MemberOptions } from './member-options.js'
import { NoteReader } from './note-reader.js'
import type { AddressedNote } from './notes.js'
import { OwnRecord } from './own-record.js'
import { type MemberProgress, OwnReport } from './own-report.js'
import type { PeerRecord } from './records.js'
import { membershipDefaults, type MemberPolicy, type MembershipSettings, policyIn } from './settings.js'
import { type MemberState, stateOf } from './states.js'
import { SwarmView } from './swarm-view.js'
import { View } from './view.js'
import { Watcher } from './watcher.js'

/**
 * What one peer knows of the swarm, and what it tells the others: the rules of docs/understand/membership.md. It does
 * no I/O and reads no clock: the driver hands in what arrives, with the time of the local monotonic clock, and after
 * every call `take()` returns what is to be sent. Nothing throws.
 */
export class Member extends SwarmView {
  readonly settings: MembershipSettings
  protected readonly knowledge: Knowledge
  readonly #self: PeerName
  readonly #random: Random
  readonly #own: OwnRecord
  readonly #clock: AwakeClock
  readonly #detector: Detector
  readonly #report: OwnReport
  readonly #contacts: Contacts
  readonly #gossip: Gossip
  readonly #intake: Intake
  readonly #entry: Entry
  readonly #changes = new Changes()
  readonly #watcher: Watcher
  #view: View | undefined
  #state: MemberState | undefined
  #begunContacts: readonly PeerRecord[] | undefined
  #now: Milliseconds
  #nextBeat: Milliseconds
  /** The first round of final averaging, once this peer is there; 0 before. */
  #forgivenAt = 0

  constructor(options: MemberOptions, now: Milliseconds) {
    const { self, peers, places = [], settings, signer, onSigned, random, lifeBefore = 0, roundBefore = 0 } = options
    super(peers, new Set(places))
    this.settings = { ...membershipDefaults, ...settings }
    this.#self = self
    this.#random = random
    this.knowledge = new Knowledge(this.settings.liars)
    this.#own = new OwnRecord(self, signer, lifeBefore, (item) => {
      this.#gossip.add(item)
      this.#gossip.send(this.#contacts.all)
      onSigned?.()
    })
    this.#clock = new AwakeClock(this.settings.tick, now)
    const shared = {
      settings: this.settings,
      signer,
      onSigned,
      random,
      knowledge: this.knowledge,
      changes: this.#changes
    }
    this.#detector = new Detector(self, shared, (peer) => this.isLate(peer) || this.view.quarantined.has(peer))
    this.#report = new OwnReport(self, this.settings, this.knowledge)
    this.#contacts = new Contacts(peers, self)
    this.#gossip = new Gossip(this.knowledge, this.settings.beat, () => this.#own.distance)
    this.#intake = new Intake(self, signer, this.knowledge, this.#gossip, {
      onNews: () => this.#changed(),
      onRecord: (record) => this.#detector.recordComes(record, this.#clock.at(this.#now)),
      onOwn: (record) => this.#joinAfter(record)
    })
    this.#entry = new Entry(this.settings, peers.length - places.length, roundBefore, lifeBefore > 0)
    const outFor = (peer: PeerName) => {
      const restless = this.#detector.restlessFor(peer, this.#clock.at(this.#now))
      return Math.max(restless, this.#report.strikes.outFor(peer, this.#now))
    }
    this.#watcher = new Watcher(this.knowledge, self, this.settings, this.#changes, this.#report, outFor)
    this.#now = this.#nextBeat = now
    this.#publish(this.#own.record)
  }

  /** Called every `settings.tick`. */
  tick(now: Milliseconds): void {
    this.#enter(now)
    this.#clock.tick(now)
    this.#changed()
    const isBeat = now >= this.#nextBeat
    const at = this.#clock.at(now)
    for (const peer of this.#contacts.all) {
      if (this.#detector.isSilent(peer, this.#contacts.all, isBeat, at)) this.#vote(peer)
    }
    if (this.knowledge.votersAgainst(this.#self).length > 0) this.#publish(this.#own.refute())
    if (isBeat) this.#beat()
    const { knowledge, settings, state } = this
    const present = this.presentOf(this.#entry.needed)
    this.#entry.update(present, this.#begun().length, votesNeeded(knowledge.memberCount, settings.liars), at)
    this.#watcher.update(this.view, state, this.policy, this.isPaused, now)
    if (this.members !== knowledge.members) this.#changed()
    this.#contacts.renew((peer) => this.isDead(peer) || this.hasLeft(peer), now, settings.presentFor)
    this.#gossip.send(this.#contacts.all)
  }

  /** Takes a note in. Returns the sender's fault in words, if any: a malformed, forged or too long note. */
  receive(from: PeerName, text: string, now: Milliseconds): string | undefined {
    this.heard(from, now)
    const note = NoteReader.of(this.peers).read(text)
    if (typeof note === 'string') return note
    if (note.kind !== 'gossip') return this.#detector.receive(from, note, this.#clock.at(now))
    this.#contacts.called(from, now)
    this.#gossip.received(from, note.number, note.again, now)
    const fault = this.#intake.receive(from, note)
    this.knowledge.updateDistance(from, note)
    if (this.#own.record.isIn && this.recordOf(from)?.isIn !== true) {
      this.#own.advance(this.#report.distance)
      this.#gossip.answer(from, now)
    }
    if (this.#forgivenAt > 0) this.#changed()
    this.#begunContacts = undefined
    return fault
  }

  /** Anything has arrived from a peer. */
  heard(peer: PeerName, now: Milliseconds): void {
    this.#enter(now)
    if (this.#detector.heard(peer, this.#clock.at(now))) this.#changed()
  }

  /** The process of a peer has ended: its connection has closed, and its machine refuses new ones. */
  refused(peer: PeerName, now: Milliseconds): void {
    this.#enter(now)
    if (this.#contacts.quick.has(peer)) this.#vote(peer)
  }

  /** This peer's own state is of this round: all continue from a checkpoint. To be called before `begin`. */
  resume(round: number): void {
    this.#entry.resume(round)
  }

  /**
   * A life begins in this round: training starts, or a state was taken.
   *
   * @param unlinked - see {@link MemberProgress}
   */
  begin(round: number, now: Milliseconds, unlinked?: readonly PeerName[]): void {
    this.#enter(now)
    this.#entry.begin()
    this.#watcher.apart.begin()
    this.#report.begin(round, unlinked)
    this.#publishNow(this.#own.begin(round, this.#report.names(this.#detector.unreachable, now).broken))
  }

  /** Tells all contacts of this peer now: those that train answer one that enters with their progress. */
  hail(now: Milliseconds): void {
    this.#enter(now)
    this.#gossip.beat(this.#contacts.all)
  }

  /** Told at the next beat. */
  report(progress: MemberProgress, now: Milliseconds): void {
    this.#enter(now)
    if (this.#report.update(progress, now)) this.#changed()
  }

  /**
   * A peer was waited for and its vector has not come (rule 10). Once, a cut link may be the reason, or a third peer
   * that it waits for.
   */
  lostTime(peer: PeerName, time: Milliseconds, timeout: Milliseconds, now: Milliseconds): void {
    this.#enter(now)
    const isExcused = this.#detector.isSuspected(peer) || this.isGone(peer) || this.chainBehind(peer) > 0
    this.#report.strikes.add(peer, time, timeout, isExcused, now)
    this.#changed()
  }

  /** This peer leaves; `round` is the last in which it sends its vector. */
  leave(round: number, now: Milliseconds): void {
    this.#enter(now)
    this.#publishNow(this.#own.end('left', round))
  }

  /** This peer has finished, and is gone. */
  end(round: number, now: Milliseconds): void {
    this.#enter(now)
    this.#publishNow(this.#own.end('ended', round))
  }

  /**
   * This peer has finished its training; `round` is the one after its last. It stays, and gives its state to others.
   */
  finish(round: number, now: Milliseconds): void {
    this.#enter(now)
    this.#publishNow(this.#own.end('done', round))
  }

  /** The notes to be sent at once. */
  take(): readonly AddressedNote[] {
    return [...this.#detector.take(), ...this.#gossip.take()]
  }

  takeChanges(): readonly MemberChange[] {
    return this.#changes.take()
  }

  get state(): MemberState {
    return (this.#state ??= stateOf(this.view, this.#entry.hasBegun, this.peers.length > 1))
  }

  /** The contacts of this peer: all others in a small swarm, some drawn ones in a large one. */
  get contacts(): Iterable<PeerName> {
    return this.#contacts.all
  }

  /** What this peer does in its present state. */
  get policy(): MemberPolicy {
    return policyIn(this.state, this.settings)
  }

  /** Whether this peer begins no round: it is not in the majority or reaches no other, and its policy is to wait. */
  get isPaused(): boolean {
    return this.policy === 'pause'
  }

  /** Whether this peer is so far ahead that the others would continue apart unless it waits (rule 8). */
  get isAhead(): boolean {
    return this.#report.roundBefore - (upperMedianRound(this.#begun()) ?? Number.POSITIVE_INFINITY) > this.#report.lag
  }

  /**
   * Whether this peer may begin with its own state: the start's condition is met, or others have begun and are within
   * `lag` of it.
   */
  get mayBegin(): boolean {
    return this.#entry.mayBegin(medianRound(this.#begun()))
  }

  /** Whether a peer is not waited for: it is dead, has left, or the link to it is broken. */
  isGone(peer: PeerName): boolean {
    return this.isDead(peer) || this.hasLeft(peer) || this.#detector.isUnreachable(peer)
  }

  /** Whether a peer came back so often that it is not waited for now. */
  isRestless(peer: PeerName): boolean {
    return this.#detector.restlessFor(peer, this.#clock.at(this.#now)) > 0
  }

  override isUsable(peer: PeerName, round: number): boolean {
    return super.isUsable(peer, round) && !this.#watcher.apart.isFrom(peer) && !this.isRestless(peer)
  }

  /**
   * The result of the run is made from this round on: whoever is kept out is taken in, until it costs something again.
   * That others who are not there yet keep somebody out does not count: they will do the same.
   */
  forgive(round: number, now: Milliseconds): void {
    this.#enter(now)
    this.#forgivenAt = round
    this.#report.strikes.forgive(now)
    this.#detector.forgive(this.#clock.at(now))
    this.#changed()
    this.#beat()
    this.#gossip.send(this.#contacts.all)
  }

  /** Whether so much time was lost in waits for some peer that it is kept out, unless it is the only neighbour. */
  hasStruck(now: Milliseconds): boolean {
    return this.#report.strikes.struck(now).length > 0
  }

  /** Whether a peer is kept out of this peer's rows because too much time was lost in waits for it. */
  isLate(peer: PeerName): boolean {
    return this.#report.struck(this.#now).includes(peer)
  }

  /** The length of the chain of waiting peers behind a peer: it is not to blame for those behind it. */
  chainBehind(peer: PeerName): number {
    return chainLength(peer, { name: this.#self, round: this.#report.round }, (name) => this.recordOf(name))
  }

  /**
   * The peer to ask for a state; drawn anew with each call, since one may refuse. Undefined while none is needed. A
   * peer needs a state only if it has not begun and may not begin with its own, is more than `lag` rounds behind the
   * median of a majority, or meets peers from which it trained apart.
   */
  donor(now: Milliseconds): PeerName | undefined {
    this.#enter(now)
    const { apart } = this.#watcher
    const hasReunion = apart.reunion !== undefined
    const records = this.#begun().filter((record) => apart.isOfOtherSide(record, now) === hasReunion)
    const isBehind = () => this.#entry.needsState(medianRound(records), this.#report, this.#own.record, this.isMain)
    if (!hasReunion && !isBehind()) return undefined
    const candidates = nearMedian(records, this.settings.lag).filter((peer) => !this.isLate(peer))
    return candidates.length === 0 ? undefined : candidates[this.#random.integer(candidates.length)]
  }

  /**
   * A peer that has finished and is there to give its model; drawn anew with each call. Undefined while the run has no
   * result.
   */
  get finisher(): PeerName | undefined {
    if (!this.hasResult) return undefined
    const present = this.finished.filter(
      (peer) => peer !== this.#self && this.recordOf(peer)?.status === 'done' && this.isPresent(peer)
    )
    return present.length === 0 ? undefined : present[this.#random.integer(present.length)]
  }

  /** The peers with which this peer has to merge models, if it has trained apart from them (rule 11). */
  get reunion(): Reunion | undefined {
    return this.#watcher.apart.reunion
  }

  /** The time in which this process was awake (rule 4). */
  awake(now: Milliseconds): Milliseconds {
    return this.#clock.at(now)
  }

  protected get view(): View {
    const at = () => this.#clock.at(this.#now)
    // Once the run has begun, who is still being connected to is not missing.
    const isComing = (peer: PeerName) => this.#entry.hasBegun && this.#detector.isNew(peer)
    const isHeard = (peer: PeerName) => this.#detector.isPresent(peer, at()) || isComing(peer)
    const own = () => this.#report.names(this.#detector.unreachable, this.#now, this.#detector.restless(at()))
    return (this.#view ??= new View(this.knowledge, own(), this.#contacts.all, isHeard, this.#forgivenAt))
  }

  #changed() {
    this.#view = this.#state = this.#begunContacts = undefined
  }

  #enter(now: Milliseconds) {
    this.#now = Math.max(this.#now, now)
  }

  /** The other present contacts that have begun. */
  #begun(): readonly PeerRecord[] {
    const isAvailable = (peer: PeerName) => this.isPresent(peer) && !this.#detector.isSuspected(peer)
    const records = () => [...this.#contacts.all].filter(isAvailable).flatMap((peer) => this.recordOf(peer) ?? [])
    return (this.#begunContacts ??= records().filter(({ isIn }) => isIn))
  }

  #beat() {
    this.#nextBeat = Math.max(this.#nextBeat + this.settings.beat, this.#now - this.settings.beat)
    const record = this.#own.beat(this.#report.beat(this.#detector.unreachable, this.#now))
    if (record !== undefined) this.#publish(record)
    this.knowledge.updateDistance(this.#self, this.#own.distance)
    this.#gossip.beat(this.#contacts.all)
  }

  #vote(target: PeerName) {
    const record = this.recordOf(target)
    if (record === undefined || !this.knowledge.isMember(target) || this.isDead(target)) return
    const last = this.knowledge.vote(this.#self, target)
    if (last?.life === record.life && last.refutation === record.refutation) return
    const vote = this.#own.voteAgainst(record)
    if (!this.knowledge.addVote(vote)) return
    this.#changed()
    this.#gossip.add(vote)
    this.#gossip.send(this.#contacts.all)
  }

  /**
   * Others know of an earlier process of this peer: the life that this one has begun is void, and a later life begins.
   */
  #joinAfter(record: PeerRecord) {
    if (!this.#own.isOfEarlierProcess(record)) return
    this.#entry.restart()
    this.#publishNow(this.#own.joinAfter(record))
  }

  #publish(record: PeerRecord) {
    this.#detector.recordComes(record, this.#clock.at(this.#now))
    if (this.knowledge.addRecord(record) === 'news') this.#changed()
    if (record.signature !== '') this.#gossip.add(record)
  }

  #publishNow(record: PeerRecord) {
    this.#publish(record)
    this.#gossip.send(this.#contacts.all)
  }
}
