import type { Milliseconds, PeerName, Topology } from '@murmuration/core'
import { type Member, ownShare } from '@murmuration/membership'
import { linear } from '../vectors/vector.js'
import type { Trainee, TraineeRun } from './participants.js'
import { recordsOfContacts } from './of-others.js'
import { Pace } from './pace.js'
import { roundWith } from './phase.js'

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

  constructor(member: Member, trainee: Trainee, self: PeerName, topology: Topology) {
    this.#member = member
    this.#trainee = trainee
    this.#run = trainee.run
    this.#self = self
    this.#topology = topology
  }

  /** The peer to take a model from, drawn anew with each call; undefined while none is needed. */
  donor(hasBegun: boolean, now: Milliseconds): PeerName | undefined {
    if (hasBegun && this.#isPassedBy()) return this.#member.finisher
    // Others that have ended training are many rounds ahead, and this peer is about to.
    const isBehind = !this.#run.isAtOwnPace && !this.#run.end.isNear(this.#run.round)
    const isNeeded = !hasBegun || isBehind || this.#ownShare > 0
    return isNeeded ? this.#member.donor(now) : undefined
  }

  /**
   * Asks a peer for its model, and continues with it.
   *
   * @param now - gives the time
   * @returns whether a life begins with it; not where none arrives, it is implausible, or it is no newer than this
   *   peer's own
   */
  async take(donor: PeerName, now: () => Milliseconds): Promise<boolean> {
    this.#pace.observe(this.#contacts, now())
    // As it was when this peer asked: the reunion may be over when the model arrives.
    const share = this.#ownShare
    const taken = await this.#trainee.ask(donor)
    if (taken === undefined || !this.#isPlausible(taken.round, donor, now())) return false
    const round = roundWith(this.#run.round, taken.round, share > 0)
    if (round === undefined) return false
    const own = share > 0 ? this.#run.current() : undefined
    if (share === 0) this.#run.continueFrom({ ...taken, round })
    else if (own !== undefined) this.#run.continueFrom({ x: linear([share, own.x], [1 - share, taken.x]), round })
    return true
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

  /**
   * Whether a model may be of this round, given what others report. If they are faster than assumed, a peer is asked
   * again.
   */
  #isPlausible(round: number, donor: PeerName, now: Milliseconds): boolean {
    return round <= this.#pace.farthest(this.#contacts, donor, now) + this.#member.settings.lag
  }

  get #contacts() {
    return recordsOfContacts(this.#member, this.#self)
  }
}
