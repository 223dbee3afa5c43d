/** A peer's knowledge of all others, kept up to date by notes: who is present, who is gone; whether to begin, pause or catch up. */
import {
  type ConsensusEstimate,
  type Milliseconds,
  type Mixing,
  NeighboursMissingError,
  type PeerName
} from '@murmuration/core'
import { Member, ownShare, type PeerRecord, type SwarmView } from '@murmuration/membership'
import { type Agreement, Consensus } from './consensus.js'
import type { Laggards } from './laggards.js'
import { MemberRows } from './member-rows.js'
import { othersMissing } from './missing.js'
import { laggardsOf, recordsOfContacts, unfinished } from './of-others.js'
import { Pace } from './pace.js'
import { LongestWait } from './longest-wait.js'
import type { BetweenRounds, MembersFabric, MembersOptions, SwarmStanding, Trainee } from './members-options.js'

/** How long a peer that is ahead of others present waits for them, so that no peer can hold up all others. */
const waitTogether: Milliseconds = 10_000

export class Members {
  readonly #fabric: MembersFabric
  readonly #options: MembersOptions
  readonly #member: Member
  #trainee: Trainee | undefined
  /** The round in which this peer began with its own state. */
  #firstRound: number | undefined
  #hasFinished = false
  #hasForgiven = false
  #isOver = false
  /** Whether this peer waits for notes between rounds. */
  #isWaiting = false
  readonly #rows: MemberRows
  #consensus: Consensus | undefined
  #agreement: Agreement | undefined
  readonly #pace = new Pace()
  #lastSign: Milliseconds = 0

  constructor(fabric: MembersFabric, options: MembersOptions) {
    const [{ topology, places, settings = {}, signer }, { self }] = [options, fabric]
    this.#fabric = fabric
    this.#options = options
    const random = fabric.random.stream('members')
    this.#member = new Member({ self, peers: topology.peers, places, settings, signer, random }, fabric.now())
    this.#rows = new MemberRows(this.#member, topology, self)
    fabric.listen({
      note: (from, note) => this.#receive(from, note),
      heard: (from) => this.#member.heard(from, (this.#lastSign = fabric.now())),
      refused: (peer) => void this.#act((now) => this.#member.refused(peer, now))
    })
    fabric.spawn((spawned) => this.#tick(spawned))
  }

  #receive(from: PeerName, note: string): string | undefined {
    if (Consensus.isSketch(note)) return this.#consensus?.take(from, note)
    const { others } = this.#options
    if (others?.isMine(note)) return others.take(from, note)
    return this.#act((now) => this.#member.receive(from, note, (this.#lastSign = now)))
  }

  /** What this peer knows of all others. */
  get knowledge(): SwarmView {
    return this.#member
  }

  get standing(): SwarmStanding {
    const { state, members, present, missing } = this.#member
    return { state, members, present, missing }
  }

  /**
   * Waits until the run begins, or is found to be running. Returns whether this peer begins with the others or takes the state of one of them.
   *
   * @param check - called repeatedly during the wait; an error that it throws ends the wait
   * @throws NeighboursMissingError that names the missing peers
   */
  async entrance(check: () => void = () => {}): Promise<'begins' | 'joins'> {
    const longest = new LongestWait(this.#options.wait, this.#fabric.now(), 0)
    for (;;) {
      if (this.#member.donor(this.#fabric.now()) !== undefined) return 'joins'
      if (this.#member.mayBegin) return 'begins'
      check()
      this.#checkWait(longest)
      await this.#fabric.sleep(this.#fabric.now() + this.#member.settings.tick)
    }
  }

  /** Before a round: begins, takes a state where this peer is behind, or pauses as long as necessary. */
  async ready(round: () => number, between: BetweenRounds): Promise<void> {
    const start = this.#fabric.now()
    const longest = new LongestWait(this.#options.wait, start, between.timeout)
    if (!this.#hasBegun) this.#member.resume(round())
    for (;;) {
      const now = this.#fabric.now()
      // Many fast rounds pass between two ticks: which peers are behind is judged by this peer's current round.
      this.#report(now)
      const donor = this.#donor(round(), now)
      if (donor === undefined && !this.#hasBegun && this.#member.mayBegin) this.begin((this.#firstRound = round()))
      const isFirst = round() === this.#firstRound
      const maxHold = Math.min(waitTogether, this.#options.wait.pause / 2)
      if (donor === undefined && this.#hasBegun) this.#checkResult(longest)
      const isHeld = this.#isHeld || (now - start < maxHold && this.#isBeforeOthers(isFirst, between))
      const isAlone = () => !this.#isAtOwnPace && this.#rows.isAlone(round())
      if (donor === undefined && this.#hasBegun && !isHeld && !isAlone()) return
      const ofOthers = this.#hasBegun && !isHeld ? 'for a neighbour to average with' : undefined
      const what = donor === undefined ? ofOthers : `for the model of ${donor}`
      this.#checkWait(longest, what)
      const roundBefore = round()
      if (donor !== undefined) {
        this.#pace.observe(recordsOfContacts(this.#member, this.#fabric.self), now)
        await between.takeState(donor)
      }
      if (round() !== roundBefore) continue
      if (what !== undefined) longest.met(this.#fabric.now())
      const next = now + this.#member.settings.tick
      // A peer that gave no state is asked again at the next tick only, whatever arrives before.
      do await this.#waitForNews(next, between.wait)
      while (donor !== undefined && this.#fabric.now() < next)
    }
  }

  /** The peer to take a state from, if one is needed. */
  #donor(round: number, now: Milliseconds): PeerName | undefined {
    if (this.#isPassedBy(round)) return this.#member.finisher
    const isNeeded = !this.#hasBegun || !this.#isAtOwnPace || this.ownShare > 0
    return isNeeded ? this.#member.donor(now) : undefined
  }

  /**
   * Whether the run has its result without this peer. Where rounds are common to all, a peer may still be in the last
   * rounds when others have finished; but then it has exchanged with its neighbours of those rounds before they did.
   */
  #isPassedBy(round: number): boolean {
    if (!this.#hasBegun || !this.#member.hasResult) return false
    if (this.#isAtOwnPace) return true
    const next = this.#trainee?.nextExchange(round)
    if (next === undefined) return false
    const { sendTo } = this.#options.topology.mixing(this.#fabric.self, next)
    return sendTo.some(({ name }) => this.#member.hasFinished(name))
  }

  /**
   * Throws where others have finished, and this peer can neither continue nor take their model: they are gone, or it
   * has reached none of them for two timeouts.
   */
  #checkResult(longest: LongestWait): void {
    const { finished, isMain, isTooLate, present } = this.#member
    if (finished.length === 0 || isMain) return
    if (!isTooLate && !longest.isLongAlone(this.#fabric.now())) return
    const rounds = finished.map((peer) => this.#member.recordOf(peer)?.round ?? 0)
    const end = `${finished.join(', ')} finished the run in round ${Math.max(...rounds)}`
    throw new NeighboursMissingError(
      finished,
      `${this.#fabric.self}: ${end} without ${present.join(', ')}, and are gone`
    )
  }

  /** Waits until anything has arrived, or until `until`. */
  async #waitForNews(until: Milliseconds, wait: BetweenRounds['wait']): Promise<void> {
    this.#isWaiting = true
    await wait(until)
    this.#isWaiting = false
  }

  /** A life begins in this round, with this peer's own state or one that was taken. */
  begin(round: number): void {
    this.#act((now) => this.#member.begin(round, now))
  }

  /** The fraction of its own model that a peer keeps when it takes another's: 0, unless the two have trained apart. */
  get ownShare(): number {
    return ownShare(this.#member.reunion, !this.#isAtOwnPace)
  }

  /** The time up to `now` in which this process was not suspended. */
  awake(now: Milliseconds): Milliseconds {
    return this.#member.awake(now)
  }

  /** Whether this peer waits for others to come back. */
  get isPaused(): boolean {
    return this.#member.isPaused
  }

  /** Whether this peer takes part in rounds. It stops if others know an earlier process of it, since its life must come after that one's. */
  get #hasBegun(): boolean {
    return this.#member.state !== 'starting'
  }

  /** The life of this peer. */
  get life(): number {
    return this.#member.lifeOf(this.#fabric.self)
  }

  lifeOf(peer: PeerName): number {
    return this.#member.lifeOf(peer)
  }

  /** Whether the round sent with a peer's state is plausible, given what others report. If they are faster than assumed, a peer is asked again. */
  isPlausible(round: number, donor: PeerName): boolean {
    const others = recordsOfContacts(this.#member, this.#fabric.self)
    return round <= this.#pace.farthest(others, donor, this.#fabric.now()) + this.#member.settings.lag
  }

  /** Whether others may take this peer's state. */
  get mayGive(): boolean {
    return this.#hasFinished || (this.#hasBegun && !this.#member.isPaused)
  }

  /** From now on the reports about this peer come from `trainee`, which is notified of peers that begin anew. */
  follow(trainee: Trainee, consensus: Consensus): void {
    this.#trainee = trainee
    this.#consensus = consensus
  }

  /** Sends a text other than a membership note to all contacts. */
  tellContacts(text: string): void {
    for (const peer of this.#member.contacts) this.#fabric.tell(peer, text)
  }

  /** How far apart the models of this peer and its contacts were lately: all peers up to 16, about 8 random ones of more. */
  get consensus(): ConsensusEstimate | undefined {
    return this.#consensus?.estimate(() => this.#member.present)
  }

  /** Whether a peer is dead, has left or cannot be reached, so that it is not waited for. */
  isGone(peer: PeerName): boolean {
    return this.#member.isGone(peer)
  }

  /** How many peers form the chain of waits behind a peer. */
  chainBehind(peer: PeerName): number {
    return this.#member.chainBehind(peer)
  }

  /** A peer was waited for in a round, and its message has not arrived. */
  lostTime(peer: PeerName, time: Milliseconds, timeout: Milliseconds): void {
    this.#act((now) => this.#member.lostTime(peer, time, timeout, now))
  }

  /** This peer's row of W in a round, restricted to the usable peers. */
  row(round: number): Mixing {
    return this.#rows.of(round, this.#isAtOwnPace ? Number.POSITIVE_INFINITY : round)
  }

  /** The peers that have not reached `end`, with the rounds that they report. */
  laggards(end: number): Laggards {
    return laggardsOf(this.#member, end, this.#trainee?.progress().every)
  }

  get #isAtOwnPace(): boolean {
    return this.#trainee?.isAtOwnPace === true
  }

  /** This peer has finished. It serves the others until all that are present have finished, or none has progressed for `timeout`. Then it leaves. */
  async finish(round: number, wait: BetweenRounds['wait'], timeout: Milliseconds): Promise<void> {
    this.#hasFinished = true
    this.#act((now) => this.#member.finish(round, now))
    const laggards = this.laggards(round)
    let since = this.#fabric.now()
    let others: readonly PeerRecord[]
    for (;;) {
      const now = this.#fabric.now()
      others = unfinished(this.#member, this.#fabric.self)
      if (laggards.noteProgress(others.map(({ name }) => name))) since = now
      if (others.length === 0 || now - since > timeout) break
      await this.#waitForNews(now + this.#member.settings.tick, wait)
    }
    this.#agreement = this.#compare(others)
    this.leave(round)
  }

  /** How this peer's final model compares with those of others; undefined before it has ended. */
  get agreement(): Agreement | undefined {
    return this.#agreement
  }

  #compare(unfinishedNow: readonly PeerRecord[]): Agreement | undefined {
    const contacts = new Set(this.#member.contacts)
    const finished = this.#member.finished.filter((peer) => contacts.has(peer))
    const compared = this.#consensus?.compare(finished)
    return compared && { ...compared, unfinished: unfinishedNow.map(({ name }) => name) }
  }

  /** This peer takes part in no round after `round`: it has finished, or was stopped. The others are notified, so they do not take it for dead. */
  leave(round = this.#trainee?.progress().round ?? 0): void {
    if (this.#hasFinished) this.#act((now) => this.#member.end(round, now))
    else if (this.#hasBegun) this.#act((now) => this.#member.leave(round, now))
    this.end()
  }

  /** This peer has finished before `round`, and nobody takes its state. */
  conclude(round: number): void {
    this.#hasFinished = true
    this.leave(round)
  }

  /** Stops sending notes. */
  end(): void {
    this.#isOver = true
  }

  /** Whether to wait in this state. Throws where the settings say to stop. */
  get #isHeld(): boolean {
    const { state, settings, isPaused } = this.#member
    const policy = state === 'partitioned' || state === 'isolated' ? settings[state] : 'continue'
    if (policy === 'stop') throw this.#missing(`is ${state}, and the file says "${state}: stop"`)
    return isPaused
  }

  /** Whether others are to be waited for: they are about to begin, most are far behind, or no sign of any has arrived since this peer is alone. */
  #isBeforeOthers(isFirst: boolean, between: BetweenRounds): boolean {
    if (isFirst && this.#member.isAnyJoining) return true
    if (this.#isAtOwnPace) return false
    return this.#member.isAhead || (this.#lastSign < (between.aloneSince() ?? 0) && this.#member.present.length > 1)
  }

  #checkWait(longest: LongestWait, what?: string): void {
    this.#fabric.signal.throwIfAborted()
    const waited = longest.exceeded(this.#fabric.now(), this.#hasBegun, what)
    if (waited !== undefined) throw this.#missing(waited)
  }

  #missing(what: string): Error {
    return othersMissing(this.#fabric.self, what, this.#member.missing)
  }

  #report(now: Milliseconds): void {
    if (this.#trainee === undefined || !this.#hasBegun) return
    const progress = this.#trainee.progress()
    if (this.#trainee.isFinal(progress.round)) this.#forgive(progress.round)
    // Only then do they matter, and in a graph that changes by round they take long to find.
    const isNeeded = this.#member.hasStruck(now)
    this.#member.report(isNeeded ? { ...progress, neighbours: this.#rows.neighbours(progress.round) } : progress, now)
  }

  /**
   * Training is over: whoever was left out is taken in, or it would end with a model of its own. This is before others
   * hear of this peer's round, from which they conclude that what it says of them is of now.
   */
  #forgive(round: number): void {
    if (!this.#hasForgiven) this.#act((now) => this.#member.forgive(round, now))
    this.#hasForgiven = true
  }

  async #tick(spawned: MembersFabric): Promise<void> {
    while (!this.#isOver) {
      this.#report(spawned.now())
      this.#act((now) => this.#member.tick(now))
      await spawned.sleep(spawned.now() + this.#member.settings.tick)
    }
  }

  /** After each call of the member: sends its notes, reports its changes, and lets the round check again. */
  #act<Result>(act: (now: Milliseconds) => Result): Result | undefined {
    if (this.#isOver) return undefined
    const result = act(this.#fabric.now())
    for (const { to, note } of this.#member.take()) this.#fabric.tell(to, note)
    const changes = this.#member.takeChanges()
    if (changes.length > 0 || this.#isWaiting) this.#fabric.wake()
    for (const change of changes) {
      if (change.kind === 'joined' && change.life > 1) this.#trainee?.onLife(change.peer, change.life)
      // A finished peer no longer reports that others end one after the other.
      if (!this.#hasFinished) this.#options.onChange?.(change, this.standing)
    }
    return result
  }
}
