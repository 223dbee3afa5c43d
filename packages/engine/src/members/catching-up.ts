import type { Milliseconds, PeerName, Topology } from '@murmuration/core'
import { type Member, ownShare, type PeerRecord } from '@murmuration/membership'
import { linear } from '../vectors/vector.js'
import type { MembersOptions } from './members-options.js'
import { NewLinks } from './new-links.js'
import type { Trainee, TraineeRun } from './participants.js'
import { recordsOfContacts } from './of-others.js'
import { Pace } from './pace.js'
import { roundWith } from './phase.js'

/** For how many beats a peer waits for what others report, once a model has arrived. */
const reportsWithin = 2

/** How long it takes, at least, until the others know that a peer has entered: on a busy machine, too. */
const leastTrip: Milliseconds = 100

/** How a peer that catches up waits for others. */
export interface CatchUpWait {
  now(): Milliseconds
  /** Until anything is known or has arrived. */
  wait(until: Milliseconds): Promise<void>
  /** Asks the others how far they are. */
  hail(): void
  /** Whether a peer has told how far it is, at this time or later. */
  hasReported(peer: PeerName, since: Milliseconds): boolean
}

/**
 * A peer that catches up continues with another's model: to join, because it is behind, or to merge it with its own.
 */
export class CatchingUp {
  readonly #member: Member
  readonly #trainee: Trainee
  readonly #run: TraineeRun
  readonly #self: PeerName
  readonly #topology: Topology
  readonly #pace = new Pace()
  readonly #newLinks: NewLinks

  constructor(
    member: Member,
    trainee: Trainee,
    self: PeerName,
    { topology, links }: Pick<MembersOptions, 'topology' | 'links'>
  ) {
    this.#member = member
    this.#trainee = trainee
    this.#run = trainee.run
    this.#self = self
    this.#topology = topology
    this.#newLinks = new NewLinks(links)
  }

  /** The peer to take a model from, drawn anew with each call; undefined while none is needed. */
  donor(hasBegun: boolean, now: Milliseconds): PeerName | undefined {
    if (hasBegun && this.#isPassedBy()) return this.#member.finisher
    // Others that have ended training are many rounds ahead, and this peer is about to.
    const isBehind = !this.#run.isAtOwnPace && !this.#run.end.isNear(this.#run.round)
    const isNeeded = !hasBegun || isBehind || this.#ownShare > 0
    const donor = isNeeded ? this.#member.donor(now) : undefined
    // It would be counted, and waited for, before anything can reach it.
    const isEarly = donor !== undefined && !hasBegun && this.#newLinks.areAwaited(this.#isThere, now)
    return isEarly ? undefined : donor
  }

  /** Whether this peer, which could begin with the others, waits for links to those that are known to be there. */
  awaitsLinks(now: Milliseconds): boolean {
    return this.#newLinks.areAwaited(this.#isKnown, now)
  }

  /** The neighbours with which this peer has had no link yet. */
  get unlinked(): readonly PeerName[] {
    return this.#newLinks.missing(this.#isKnown)
  }

  /**
   * Asks a peer for its model, and continues with it.
   *
   * @returns whether a life begins with it; not where none arrives, it is implausible, or it is no newer than this
   *   peer's own
   */
  async take(donor: PeerName, waiting: CatchUpWait): Promise<boolean> {
    this.#pace.observe(this.#contacts(waiting), waiting.now())
    // As it was when this peer asked: the reunion may be over when the model arrives.
    const share = this.#ownShare
    const taken = await this.#trainee.ask(donor)
    const others = taken && (await this.#othersRound(taken.round, donor, waiting))
    if (taken === undefined || others === undefined) return false
    const round = roundWith(this.#run.round, taken.round, share > 0, this.#run.isAtOwnPace ? 0 : others)
    if (round === undefined) return false
    const own = share > 0 ? this.#run.current() : undefined
    if (share === 0) this.#run.continueFrom({ ...taken, round })
    else if (own !== undefined) this.#run.continueFrom({ x: linear([share, own.x], [1 - share, taken.x]), round })
    return true
  }

  /**
   * Where the others are by now, by what they say after a model of this round has arrived: meanwhile many rounds may
   * have passed. Undefined where the model cannot be of that round by their word; then another peer is asked.
   */
  async #othersRound(round: number, donor: PeerName, waiting: CatchUpWait): Promise<number | undefined> {
    const { settings } = this.#member
    const start = waiting.now()
    // Of the others' pace one that has been in the run knows enough, and is not answered.
    const isNew = this.#member.recordOf(this.#self)?.isIn !== true
    if (isNew) waiting.hail()
    for (let now = start; ; now = waiting.now()) {
      const contacts = this.#contacts(waiting)
      this.#pace.observe(contacts, now)
      const isPlausible = round <= this.#pace.farthest(contacts, donor, now) + settings.lag
      const isOver = now - start >= reportsWithin * settings.beat
      const haveReported = !isNew || contacts.some(({ name, isIn }) => isIn && waiting.hasReported(name, start))
      // What this peer says next is heard as much later. One that is too far ahead waits; for one behind all others do.
      const later = now + Math.max(leastTrip, now - start)
      if (isPlausible && (haveReported || isOver)) return this.#pace.expected(contacts, later, settings.lag / 2)
      if (isOver) return undefined
      await waiting.wait(start + reportsWithin * settings.beat)
    }
  }

  /**
   * Whether the run has its result without this peer. Where rounds are common to all, a peer may still be in the last
   * rounds when others have finished; but then it has exchanged with its neighbours of those rounds before they did.
   */
  #isPassedBy(): boolean {
    if (!this.#member.hasResult) return false
    if (this.#run.isAtOwnPace) return true
    const next = this.#run.nextExchange(this.#run.round)
    if (next === undefined) return false
    const { sendTo } = this.#topology.mixing(this.#self, next)
    return sendTo.some(({ name }) => this.#member.hasFinished(name))
  }

  /** The fraction of its own model that a peer keeps when it takes another's: 0, unless the two have trained apart. */
  get #ownShare(): number {
    return ownShare(this.#member.reunion, !this.#run.isAtOwnPace)
  }

  readonly #isThere = (peer: PeerName): boolean => this.#member.recordOf(peer)?.isIn === true && this.#isKnown(peer)

  readonly #isKnown = (peer: PeerName): boolean => {
    const member = this.#member
    return member.recordOf(peer) !== undefined && !member.isDead(peer) && !member.hasLeft(peer)
  }

  /** The contacts that have told this peer how far they are; what others tell of them is old. */
  #contacts({ hasReported }: CatchUpWait): readonly PeerRecord[] {
    return recordsOfContacts(this.#member, this.#self).filter(({ name }) => hasReported(name, Number.NEGATIVE_INFINITY))
  }
}
