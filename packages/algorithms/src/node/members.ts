/** What a peer knows of all others, kept up to date over notes: who is there, who is gone; whether to begin, to pause, to catch up. */
import {
  type ConsensusEstimate,
  type Milliseconds,
  type Mixing,
  NeighboursMissingError,
  type PeerName
} from '@murmuration/core'
import { Member, ownShare, type SwarmView } from '@murmuration/membership'
import { Consensus } from './consensus.js'
import { Laggards } from './laggards.js'
import { MemberRows } from './member-rows.js'
import { recordsOfContacts, unfinished } from './of-others.js'
import { Pace } from './pace.js'
import type { BetweenRounds, MembersFabric, MembersOptions, SwarmStanding, Trainee } from './members-options.js'

/** How long who is ahead of others that are there waits for them, so that nobody can keep all from going on. */
const waitTogether: Milliseconds = 10_000

export class Members {
  readonly #fabric: MembersFabric
  readonly #options: MembersOptions
  readonly #member: Member
  #trainee: Trainee | undefined
  /** In which this peer has begun with its own state. */
  #firstRound: number | undefined
  #hasFinished = false
  #isOver = false
  /** Whether this peer waits between rounds for what others tell. */
  #isWaiting = false
  readonly #rows: MemberRows
  #consensus: Consensus | undefined
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
    fabric.spawn((own) => this.#tick(own))
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
   * Waits until the run begins, or is found to be under way. Whether this peer begins with the others, or takes the state of one of them.
   *
   * @param check - called now and then while it waits; what it throws ends the wait
   * @throws NeighboursMissingError that names who is missing
   */
  async entrance(check: () => void = () => {}): Promise<'begins' | 'joins'> {
    const start = this.#fabric.now()
    for (;;) {
      if (this.#member.donor(this.#fabric.now()) !== undefined) return 'joins'
      if (this.#member.mayBegin) return 'begins'
      check()
      this.#checkWait(start)
      await this.#fabric.sleep(this.#fabric.now() + this.#member.settings.tick)
    }
  }

  /** Before a round: begins, takes a state where this peer is behind, or pauses, as long as there is a reason to. */
  async ready(round: () => number, between: BetweenRounds): Promise<void> {
    const start = this.#fabric.now()
    if (!this.#hasBegun) this.#member.resume(round())
    for (;;) {
      const now = this.#fabric.now()
      // Of fast rounds many pass from tick to tick: who is behind is seen by the round that this peer is in now.
      this.#report(now)
      const isNeeded = !this.#hasBegun || !this.#isAtOwnPace || this.ownShare > 0
      const donor = isNeeded ? this.#member.donor(now) : undefined
      if (donor === undefined && !this.#hasBegun && this.#member.mayBegin) this.begin((this.#firstRound = round()))
      const isFirst = round() === this.#firstRound
      const maxHold = Math.min(waitTogether, this.#options.wait.pause / 2)
      const isHeld = this.#isHeld || (now - start < maxHold && this.#isBeforeOthers(isFirst, between))
      const isAlone = () => !this.#isAtOwnPace && this.#rows.isAlone(round())
      if (donor === undefined && this.#hasBegun && !isHeld && !isAlone()) return
      this.#checkWait(start)
      const before = round()
      if (donor !== undefined) {
        this.#pace.look(recordsOfContacts(this.#member, this.#fabric.self), now)
        await between.takeState(donor)
      }
      if (round() !== before) continue
      const next = now + this.#member.settings.tick
      // Whoever gave no state is asked again at the next tick, whatever comes before.
      do await this.#waitForNews(next, between.wait)
      while (donor !== undefined && this.#fabric.now() < next)
    }
  }

  /** Until anything has come, or then. */
  async #waitForNews(until: Milliseconds, wait: BetweenRounds['wait']): Promise<void> {
    this.#isWaiting = true
    await wait(until)
    this.#isWaiting = false
  }

  /** A life begins in this round, with this peer's own state or one that was taken. */
  begin(round: number): void {
    this.#act((now) => this.#member.begin(round, now))
  }

  /** How much of its own model a peer goes on with that takes another's: none, unless the two have trained apart. */
  get ownShare(): number {
    return ownShare(this.#member.reunion, !this.#isAtOwnPace)
  }

  /** The time in which this process did not stand still, up to `now`. */
  awake(now: Milliseconds): Milliseconds {
    return this.#member.awake(now)
  }

  /** Whether this peer waits for others to come back. */
  get isPaused(): boolean {
    return this.#member.isPaused
  }

  /** Whether this peer takes part in rounds. It does no longer when others know an earlier process of it, whose life it has to come after. */
  get #hasBegun(): boolean {
    return this.#member.state !== 'starting'
  }

  /** Of this peer. */
  get life(): number {
    return this.#member.lifeOf(this.#fabric.self)
  }

  lifeOf(peer: PeerName): number {
    return this.#member.lifeOf(peer)
  }

  /** Whether the round that a peer gives with its state can be true, by what the others say. Where they are faster than that, one is asked again. */
  isPlausible(round: number, donor: PeerName): boolean {
    const others = recordsOfContacts(this.#member, this.#fabric.self)
    return round <= this.#pace.farthest(others, donor, this.#fabric.now()) + this.#member.settings.lag
  }

  /** Whether others may take this peer's state. */
  get mayGive(): boolean {
    return this.#hasBegun && !this.#member.isPaused
  }

  /** From now on what this peer tells of itself comes from `trainee`, which hears of peers that begin anew. */
  follow(trainee: Trainee, consensus: Consensus): void {
    this.#trainee = trainee
    this.#consensus = consensus
  }

  /** Tells all contacts something beside who is there. */
  tellContacts(text: string): void {
    for (const peer of this.#member.contacts) this.#fabric.tell(peer, text)
  }

  /** How far apart the models of this peer and its contacts were lately: all up to 16 peers, of more about 8 that are drawn. */
  get consensus(): ConsensusEstimate | undefined {
    return this.#consensus?.estimate(() => this.#member.present)
  }

  /** Whether a peer is dead, has left or cannot be reached, so that nobody waits for it. */
  isGone(peer: PeerName): boolean {
    return this.#member.isGone(peer)
  }

  /** How many peers stand one behind the other in the wait for a peer. */
  chainBehind(peer: PeerName): number {
    return this.#member.chainBehind(peer)
  }

  /** A peer was waited for in a round, and its message has not come. */
  lostTime(peer: PeerName, time: Milliseconds, timeout: Milliseconds): void {
    this.#act((now) => this.#member.lostTime(peer, time, timeout, now))
  }

  /** This peer's row of W in a round, among those that can be used. */
  row(round: number): Mixing {
    return this.#rows.of(round, this.#isAtOwnPace ? Number.POSITIVE_INFINITY : round)
  }

  /** Who has not come to `end`, and how far others have said that they are. */
  laggards(end: number): Laggards {
    return new Laggards(end, this.#member.settings.lag, (peer) => this.#member.recordOf(peer)?.round ?? 0)
  }

  get #isAtOwnPace(): boolean {
    return this.#trainee?.isAtOwnPace === true
  }

  /** This peer has finished. It serves the others until all that are there have, or none comes nearer to its end for `timeout`. Then it leaves. */
  async finish(round: number, wait: BetweenRounds['wait'], timeout: Milliseconds): Promise<void> {
    this.#hasFinished = true
    this.#act((now) => this.#member.finish(now))
    const laggards = this.laggards(round)
    let since = this.#fabric.now()
    for (;;) {
      const now = this.#fabric.now()
      const others = unfinished(this.#member, this.#fabric.self)
      if (laggards.comeNearer(others.map(({ name }) => name))) since = now
      if (others.length === 0 || now - since > timeout) break
      await this.#waitForNews(now + this.#member.settings.tick, wait)
    }
    this.leave(round)
  }

  /** This peer is in no round after `round`: it has finished, or was stopped. The others are told, and nobody takes it for dead. */
  leave(round = this.#trainee?.progress().round ?? 0): void {
    if (this.#hasBegun) this.#act((now) => this.#member.leave(round, now))
    this.end()
  }

  /** Ends the notes. */
  end(): void {
    this.#isOver = true
  }

  /** Whether the state says to wait. Throws where it says to stop. */
  get #isHeld(): boolean {
    const { state, settings, isPaused } = this.#member
    const policy = state === 'partitioned' || state === 'isolated' ? settings[state] : 'continue'
    if (this.#isLast && settings.isolated !== 'continue')
      throw this.#missing('is not at its end, and all others have left; it does not train alone')
    if (policy === 'stop') throw this.#missing(`is ${state}, and the file says to stop then`)
    return isPaused
  }

  /** Whether all others have left. */
  get #isLast(): boolean {
    const [{ peers }, { self }] = [this.#options.topology, this.#fabric]
    return peers.length > 1 && peers.every((peer) => peer === self || this.#member.hasLeft(peer))
  }

  /** Whether this peer would go on without others that are there: they are about to begin, too, most are far behind, or no sign of any has come since it is alone. */
  #isBeforeOthers(isFirst: boolean, between: BetweenRounds): boolean {
    if (isFirst && this.#member.isAnyJoining) return true
    if (this.#isAtOwnPace) return false
    return this.#member.isAhead || (this.#lastSign < (between.aloneSince() ?? 0) && this.#member.present.length > 1)
  }

  #checkWait(start: Milliseconds): void {
    const { wait } = this.#options
    const [longest, what] = this.#hasBegun ? [wait.pause, 'to go on'] : [wait.start, 'for the run to begin']
    this.#fabric.signal.throwIfAborted()
    if (this.#fabric.now() - start > longest) throw this.#missing(`has waited ${longest / 1000} s ${what}`)
  }

  #missing(what: string): NeighboursMissingError {
    const { missing } = this.#member
    return new NeighboursMissingError(missing, `${this.#fabric.self} ${what}; missing: ${missing.join(', ')}`)
  }

  #report(now: Milliseconds): void {
    if (this.#trainee !== undefined && this.#hasBegun) this.#member.report(this.#trainee.progress(), now)
  }

  async #tick(own: MembersFabric): Promise<void> {
    while (!this.#isOver) {
      this.#report(own.now())
      this.#act((now) => this.#member.tick(now))
      await own.sleep(own.now() + this.#member.settings.tick)
    }
  }

  /** After each call of the member: sends what it has to tell, tells what has changed, and has the round look anew. */
  #act<Result>(act: (now: Milliseconds) => Result): Result | undefined {
    if (this.#isOver) return undefined
    const result = act(this.#fabric.now())
    for (const { to, note } of this.#member.take()) this.#fabric.tell(to, note)
    const changes = this.#member.takeChanges()
    if (changes.length > 0 || this.#isWaiting) this.#fabric.wake()
    for (const change of changes) {
      if (change.kind === 'joined' && change.life > 1) this.#trainee?.onLife(change.peer, change.life)
      // Who has finished is not concerned any more that the others end one after the other.
      if (!this.#hasFinished) this.#options.onChange?.(change, this.standing)
    }
    return result
  }
}
