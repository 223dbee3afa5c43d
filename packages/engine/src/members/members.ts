import type { Milliseconds, Mixing, PeerName } from '@murmuration/core'
import type { MemberProgress, SwarmView } from '@murmuration/membership'
import { BetweenRounds } from './between-rounds.js'
import { type Agreement, Consensus } from './consensus.js'
import { entrance, hasBegun } from './entering.js'
import { MemberNotes } from './member-notes.js'
import { MemberRows } from './member-rows.js'
import { MemberWaits } from './member-waits.js'
import { type MembersFabric, type MembersOptions, standingOf, type SwarmStanding } from './members-options.js'
import type { Endings, Participants, Participation, Trainee } from './participants.js'
import { laggardsOf } from './of-others.js'

/** A peer that trains in epochs. */
export interface Attendee {
  progress(): MemberProgress
  /** Whether a note is about epochs. */
  isMine(note: string): boolean
  /** Takes such a note. Returns the sender's fault in words, if any. */
  take(from: PeerName, note: string): string | undefined
}

/**
 * The members of a run, where peers come and go, as one peer knows them from their notes: who is present, who is gone;
 * whether to begin, pause or catch up.
 */
export class Members implements Participants {
  readonly mayReturn = true
  readonly waits: MemberWaits
  readonly #fabric: MembersFabric
  readonly #options: MembersOptions
  readonly #notes: MemberNotes
  readonly #rows: MemberRows
  #between: BetweenRounds | undefined
  #trainee: Trainee | undefined
  #attendee: Attendee | undefined

  constructor(fabric: MembersFabric, options: MembersOptions) {
    this.#fabric = fabric
    this.#options = options
    this.#notes = new MemberNotes(fabric, options, (from, note) => this.#takeOther(from, note))
    const { member } = this.#notes
    this.#rows = new MemberRows(member, options.topology, fabric.self)
    this.waits = new MemberWaits({
      awake: (now) => this.awake(now),
      chainBehind: (peer) => member.chainBehind(peer),
      lostTime: (peer, time, timeout) => this.#notes.act((now) => member.lostTime(peer, time, timeout, now))
    })
  }

  /** Takes in what is no note of a member. Null if it is one. */
  #takeOther(from: PeerName, note: string): string | undefined | null {
    if (this.#attendee?.isMine(note) === true) return this.#attendee.take(from, note)
    if (Consensus.isSketch(note)) return this.#between?.sketches.consensus.take(from, note)
    const { others } = this.#options
    if (others?.isMine(note) === true) return others.take(from, note)
    // Others may have begun to train, and to tell of it, before this peer has. It asks again for what it misses.
    const isEarly = this.#attendee === undefined && this.#trainee === undefined && !note.startsWith('{')
    return isEarly ? undefined : null
  }

  /**
   * For a peer that trains in epochs, instead of {@link follow}: its progress is told from now on, and it takes the
   * notes about epochs.
   */
  attend(attendee: Attendee): void {
    this.#attendee = attendee
    const { member } = this.#notes
    const report = (now: Milliseconds) => {
      if (hasBegun(member)) member.report(attendee.progress(), now)
    }
    this.#notes.observer = { report, onLife: () => {} }
  }

  /** How this peer is a member. */
  get options(): MembersOptions {
    return this.#options
  }

  /** The life that this peer has begun, or that it shows while it joins; 0 before the first. */
  get life(): number {
    return this.#notes.member.lifeOf(this.#fabric.self)
  }

  /** Whether this peer shows a life that has not begun. */
  get isJoining(): boolean {
    return this.#notes.member.recordOf(this.#fabric.self)?.status === 'joining'
  }

  /** Whether a peer came back so often that it is not waited for now. */
  isRestless(peer: PeerName): boolean {
    return this.#notes.member.isRestless(peer)
  }

  /** What this peer knows of all others. */
  get knowledge(): SwarmView {
    return this.#notes.member
  }

  get standing(): SwarmStanding {
    return standingOf(this.#notes.member)
  }

  /** How this peer's final model compares with those of others; undefined before it has ended. */
  get agreement(): Agreement | undefined {
    return this.#between?.agreement
  }

  /**
   * Waits until the run begins, or is found to be running. Returns whether this peer begins with the others or takes
   * the state of one of them.
   *
   * @param check - called repeatedly during the wait; an error that it throws ends the wait
   * @throws NeighboursMissingError that names the missing peers
   */
  entrance(check: () => void = () => {}): Promise<'begins' | 'joins'> {
    return entrance(this.#fabric, this.#notes.member, this.#options, check)
  }

  /** A life begins in this round, with this peer's own state or one that was taken. */
  begin(round: number): void {
    this.#notes.begin(round)
  }

  isGone(peer: PeerName): boolean {
    return this.#notes.member.isGone(peer)
  }

  awake(now: Milliseconds): Milliseconds {
    return this.#notes.member.awake(now)
  }

  /** This peer's row of W in a round, restricted to the usable peers. */
  row(round: number): Mixing {
    return this.#rows.of(round, this.#trainee?.run.isAtOwnPace === true ? Number.POSITIVE_INFINITY : round)
  }

  endings(end: number): Endings {
    return laggardsOf(this.#notes.member, end, this.#trainee?.run.every)
  }

  follow(trainee: Trainee): Participation {
    const notes = this.#notes
    this.#trainee = trainee
    const parts = { fabric: this.#fabric, options: this.#options, notes, rows: this.#rows, waits: this.waits }
    const between = new BetweenRounds(parts, trainee)
    this.#between = between
    const { member } = notes
    const row = (round: number) => {
      const usable = this.row(round)
      for (const { name } of usable.sendTo) trainee.edges.newLife(name, member.lifeOf(name))
      return usable
    }
    trainee.open(row, () => notes.hasFinished || (hasBegun(member) && !member.isPaused))
    notes.observer = { report: (now) => between.report(now), onLife: (peer, life) => trainee.edges.newLife(peer, life) }
    return between
  }

  leave(round = this.#trainee?.run.round ?? 0): void {
    this.#notes.leave(round)
  }

  /** This peer has finished before `round`, and nobody takes its state. */
  conclude(round: number): void {
    this.#notes.hasFinished = true
    this.leave(round)
  }

  /** Stops sending notes. */
  end(): void {
    this.#notes.end()
  }
}
