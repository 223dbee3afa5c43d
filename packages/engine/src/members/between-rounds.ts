import { type ConsensusEstimate, type Milliseconds, NeighboursMissingError, type PeerName } from '@murmuration/core'
import type { Member } from '@murmuration/membership'
import { CatchingUp } from './catching-up.js'
import type { Agreement } from './consensus.js'
import { hasBegun } from './entering.js'
import { Finishing } from './finishing.js'
import { isBeforeOthers, maxHold } from './held.js'
import { checkWait, LongestWait } from './longest-wait.js'
import type { MemberNotes } from './member-notes.js'
import type { MemberRows } from './member-rows.js'
import type { MemberWaits } from './member-waits.js'
import type { MembersFabric, MembersOptions } from './members-options.js'
import type { Participation, Trainee, TraineeRun } from './participants.js'
import { checkPolicy } from './missing.js'
import { type PhaseFacts, type PeerPhase, phase } from './phase.js'
import { Sketches } from './sketches.js'

/** The parts of a peer's {@link Members}. */
export interface MemberParts {
  readonly fabric: MembersFabric
  readonly options: MembersOptions
  readonly notes: MemberNotes
  readonly rows: MemberRows
  readonly waits: MemberWaits
}

/** What a peer does between rounds where others come and go: it looks at what is known, and acts as its phase says. */
export class BetweenRounds implements Participation {
  /** How the final model compares with those of others; undefined before this peer has ended. */
  agreement: Agreement | undefined
  readonly sketches: Sketches
  readonly #parts: MemberParts
  readonly #member: Member
  readonly #trainee: Trainee
  readonly #run: TraineeRun
  readonly #catchingUp: CatchingUp
  /** Once all rounds of this peer are over. */
  #finishing: Finishing | undefined
  /** The round in which this peer began with its own state. */
  #firstRound: number | undefined
  #life = 1
  /** How many messages had arrived before the last round. */
  #messages = 0
  #hasForgiven = false

  constructor(parts: MemberParts, trainee: Trainee) {
    const { fabric, options, notes } = parts
    this.#parts = parts
    this.#member = notes.member
    this.#trainee = trainee
    this.#run = trainee.run
    this.#catchingUp = new CatchingUp(notes.member, trainee, fabric.self, options)
    this.sketches = new Sketches(fabric, trainee.run, (text) => notes.tellContacts(text))
  }

  get life(): number {
    return this.#life
  }

  /** Of all peers up to 16, and of about 8 random ones of more. */
  get consensus(): ConsensusEstimate | undefined {
    return this.sketches.consensus.estimate(() => this.#member.present)
  }

  sketch(round: number, model: Float32Array): Promise<void> | undefined {
    return this.sketches.after(round, model)
  }

  async ready(): Promise<void> {
    // A round that waits for no peer processes no messages, and others may ask for a state.
    if (this.#trainee.messages === this.#messages) await this.#trainee.takeIn()
    this.#messages = this.#trainee.messages
    await this.#live()
    this.#trainee.edges.pause(false)
    this.#adoptLife()
  }

  async finish(model: Float32Array): Promise<void> {
    const sketched = this.sketches.final(model)
    if (sketched !== undefined) await sketched
    const { notes, fabric } = this.#parts
    const end = this.#run.round
    notes.finish(end)
    const { timeout } = this.#trainee
    const { every } = this.#run
    this.#finishing = new Finishing(this.#member, fabric.self, { end, every, timeout }, fabric.now())
    await this.#live()
    this.agreement = this.#finishing.agreement(this.sketches.consensus)
    notes.leave(end)
  }

  /** Tells the member how far this peer's training is. */
  report(now: Milliseconds): void {
    if (!hasBegun(this.#member)) return
    const progress = this.#trainee.progress()
    if (this.#run.isFinal(progress.round)) this.#forgive(progress.round)
    // Only then do they matter, and in a graph that changes by round they take long to find.
    const isNeeded = this.#member.hasStruck(now)
    const { rows } = this.#parts
    const facts = { ...progress, unlinked: this.#catchingUp.unlinked }
    this.#member.report(isNeeded ? { ...facts, neighbours: rows.neighbours(progress.round) } : facts, now)
  }

  /**
   * Training is over: whoever was left out is taken in, or it would end with a model of its own. This is before others
   * hear of this peer's round, from which they conclude that what it says of them is of now.
   */
  #forgive(round: number): void {
    if (!this.#hasForgiven) this.#parts.notes.act((now) => this.#member.forgive(round, now))
    this.#hasForgiven = true
  }

  /** Looks, finds the phase, and acts: until a round may begin or, once all are over, until nobody needs this peer. */
  async #live(): Promise<void> {
    const { fabric, options } = this.#parts
    const start = fabric.now()
    const longest = new LongestWait(options.wait, start, this.#trainee.timeout)
    if (!hasBegun(this.#member)) this.#member.resume(this.#run.round)
    for (;;) {
      const now = fabric.now()
      const donor = this.#enter(now)
      const found = phase(this.#look(donor, now - start))
      if (this.#mayGo(found, donor, longest)) return
      if (donor !== undefined && (await this.#catchUp(donor))) continue
      if (found === 'alone' || found === 'catching up') longest.met(fabric.now())
      const next = now + this.#member.settings.tick
      // A peer that gave no state is asked again at the next tick only, whatever arrives before.
      do await this.#waitForNews(next)
      while (found === 'catching up' && fabric.now() < next)
    }
  }

  /** Begins with this peer's own state where that may be. Returns the peer to take a state from, if one is needed. */
  #enter(now: Milliseconds): PeerName | undefined {
    const { notes } = this.#parts
    if (this.#finishing !== undefined) return undefined
    // Many fast rounds pass between two ticks: which peers are behind is judged by this peer's current round.
    this.report(now)
    const donor = this.#catchingUp.donor(hasBegun(this.#member), now)
    const mayBegin = donor === undefined && !hasBegun(this.#member) && this.#member.mayBegin
    if (mayBegin && !this.#catchingUp.awaitsLinks(now))
      notes.begin((this.#firstRound = this.#run.round), this.#catchingUp.unlinked)
    return donor
  }

  #look(donor: PeerName | undefined, waited: Milliseconds): PhaseFacts {
    const { notes, rows, waits, options } = this.#parts
    const { round, isAtOwnPace } = this.#run
    const { lastSign } = notes
    const { aloneSince } = waits
    const own = { isFirst: round === this.#firstRound, isAtOwnPace, lastSign, aloneSince }
    return {
      hasFinished: this.#finishing !== undefined,
      hasBegun: hasBegun(this.#member),
      needsModel: donor !== undefined,
      isPaused: this.#member.isPaused,
      awaitsOthers: waited < maxHold(options.wait.pause) && isBeforeOthers(this.#member, own),
      // Only where it matters: in a graph that changes by round it takes long to find.
      get isAlone() {
        return !isAtOwnPace && rows.isAlone(round)
      }
    }
  }

  /**
   * Whether the next round may begin or, after the last one, this peer may leave.
   *
   * @throws NeighboursMissingError where it can neither go on nor wait any longer
   */
  #mayGo(found: PeerPhase, donor: PeerName | undefined, longest: LongestWait): boolean {
    const { fabric } = this.#parts
    if (found === 'finishing') return this.#finishing?.isOver(fabric.now()) === true
    if (found !== 'entering' && found !== 'catching up') this.#checkResult(longest)
    checkPolicy(fabric.self, this.#member)
    if (found === 'training') return true
    const forModel = donor === undefined ? undefined : `for the model of ${donor}`
    checkWait(fabric, this.#member, longest, found === 'alone' ? 'for a neighbour to average with' : forModel)
    return false
  }

  /** Asks a peer for its model. Returns whether this peer is in another round with it. */
  async #catchUp(donor: PeerName): Promise<boolean> {
    const { fabric, notes } = this.#parts
    const { round } = this.#run
    const waiting = {
      now: () => fabric.now(),
      wait: (until: Milliseconds) => this.#waitForNews(until),
      hail: () => notes.act((now) => this.#member.hail(now)),
      hasReported: (peer: PeerName, since: Milliseconds) => notes.hasReported(peer, since)
    }
    if (await this.#catchingUp.take(donor, waiting)) {
      notes.begin(this.#run.round, this.#catchingUp.unlinked)
      this.#adoptLife()
      // The note that it is in goes out ahead of its first vector, behind which it would wait on a slow line.
      await fabric.sleep(fabric.now())
    }
    return this.#run.round !== round
  }

  /**
   * Throws where others have finished, and this peer can neither continue nor take their model: they are gone, or it
   * has reached none of them for two timeouts.
   */
  #checkResult(longest: LongestWait): void {
    const { fabric } = this.#parts
    const { finished, isMain, isTooLate, present } = this.#member
    if (finished.length === 0 || isMain) return
    if (!isTooLate && !longest.isLongAlone(fabric.now())) return
    const rounds = finished.map((peer) => this.#member.recordOf(peer)?.round ?? 0)
    const end = `${finished.join(', ')} finished the run in round ${Math.max(...rounds)}`
    throw new NeighboursMissingError(finished, `${fabric.self}: ${end} without ${present.join(', ')}, and are gone`)
  }

  /** Waits until anything has arrived, or until `until`. A peer that waits between rounds takes part in none. */
  async #waitForNews(until: Milliseconds): Promise<void> {
    const { notes } = this.#parts
    notes.isWaiting = true
    this.#adoptLife()
    this.#trainee.edges.pause(this.#member.isPaused)
    await this.#trainee.wait(until)
    notes.isWaiting = false
  }

  #adoptLife(): void {
    const life = this.#member.lifeOf(this.#parts.fabric.self)
    if (life === this.#life || life === 0) return
    this.#life = life
    this.#trainee.edges.beginLife(life)
  }
}
