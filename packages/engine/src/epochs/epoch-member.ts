/** A peer as a member of epochs: hands the agreement what arrives and the time, sends its notes, and waits. */
import { type Fabric, type Milliseconds, type PeerName } from '@murmuration/core'
import { type BrokenPair, distinctPairs, type MemberProgress } from '@murmuration/membership'
import type { VectorMessage } from '@murmuration/wire'
import type { Members } from '../members/members.js'
import { EpochAgreement, type AgreementOptions, type EpochSurroundings } from './agreement.js'
import type { Epoch, MemberStanding } from './epoch.js'
import { type GapNotes, isGapNote } from './gap-notes.js'
import { type FinishedPart, isEpochNote } from './notes.js'
import type { EpochFabric } from './epoch-fabric.js'
import { checkEpochWait } from './epoch-wait.js'

/** How often this peer looks at what it knows. */
const lookEvery: Milliseconds = 100
/** How often it asks for news, or to be taken in. */
const askEvery: Milliseconds = 1000
/** How often it says that it has finished. */
const sayDoneEvery: Milliseconds = 250

/** The training of this peer. */
export interface MemberTraining {
  progress(): MemberProgress
  /** Whether two members have to exchange vectors in the epoch that runs. */
  isEdge(pair: BrokenPair): boolean
  /** Takes the notes about the duality gap, where there is one. */
  readonly gaps: GapNotes | undefined
}

/** What the run is for its members. */
export interface EpochMemberOptions extends Pick<
  AgreementOptions,
  'servers' | 'neededServers' | 'isEqual' | 'hasOwnPace' | 'needsEveryPair' | 'stopTimeout'
> {
  readonly members: Members
  readonly timeout: Milliseconds
  /** How many samples this peer trains on. */
  readonly samples: number
  readonly training: MemberTraining
  readonly isConnected: (members: readonly PeerName[]) => boolean
  readonly isHeld: () => boolean
}

export class EpochMember {
  readonly agreement: EpochAgreement
  readonly #fabric: Fabric<VectorMessage>
  readonly #epochs: EpochFabric
  readonly #options: EpochMemberOptions
  /** Whether this peer has begun with the others, or asks to be taken in. */
  #isThere = false
  #isWaiting = false
  #isOver = false

  constructor(fabric: Fabric<VectorMessage>, epochs: EpochFabric, options: EpochMemberOptions) {
    const { members, training } = options
    this.#fabric = fabric
    this.#epochs = epochs
    this.#options = options
    const { topology, signer } = members.options
    const surroundings = this.#surroundings()
    this.agreement = new EpochAgreement({ ...options, self: fabric.self, peers: topology.peers, signer, surroundings })
    members.attend({
      progress: () => training.progress(),
      isMine: (note) => isEpochNote(note) || (training.gaps !== undefined && isGapNote(note)),
      take: (from, note) => (isGapNote(note) ? training.gaps?.take(from, note) : this.#take(from, note))
    })
  }

  /** This peer is there: with `first`, in the epoch with which all begin, otherwise in none yet. */
  begin(first: Epoch | undefined): void {
    this.#isThere = true
    if (first !== undefined) this.agreement.begin(first)
    this.#fabric.spawn((spawned) => this.#look(spawned))
  }

  /** Sends nothing more of its own accord. */
  end(): void {
    this.#isOver = true
  }

  /** Waits until this peer is a member of the epoch that was decided last. Returns that epoch. */
  async membership(): Promise<Epoch> {
    const { members, isConnected, samples } = this.#options
    const { agreement } = this
    if (!agreement.isIn) {
      const since = this.#fabric.now()
      let next = since
      const ask = () => {
        const now = this.#fabric.now()
        // While the links are built, the others train: but not forever, since a link may be broken.
        const isLong = now - since > this.#options.timeout
        if (now < next || !(isLong || isConnected(this.#living))) return
        agreement.join(samples)
        next = now + askEvery
      }
      await this.#until(() => agreement.isIn, 'to be taken in', ask, lookEvery)
    }
    if (members.isJoining) members.begin(agreement.epoch.round)
    agreement.started()
    return agreement.epoch
  }

  /** This peer has stopped: waits for the epoch after `last`. */
  async agreed(last: Epoch, standing: MemberStanding): Promise<void> {
    this.agreement.stopped(standing, this.#fabric.now())
    this.#send()
    const news = () => this.agreement.askForNews()
    await this.#until(() => this.agreement.epoch.number > last.number, 'for the others to agree', news, askEvery)
  }

  /**
   * Waits until all other members have done their training, or are gone. Throws {@link EpochOverError} where another
   * epoch begins.
   */
  async othersTrain(): Promise<void> {
    await this.#othersFinish('training', () => this.agreement.isLast)
  }

  /**
   * As {@link othersTrain}, for all of the run. Where those that have finished are no quorum, others may go on without
   * them: this peer ends all the same after two timeouts, but only if it `needsAll`, and so has finished with all of
   * its epoch.
   *
   * @throws NeighboursMissingError where it has to give up
   */
  async othersEnd(needsAll: boolean): Promise<void> {
    const { agreement } = this
    const since = this.#fabric.now()
    const isLong = () => this.#fabric.now() - since > 2 * this.#options.timeout
    await this.#othersFinish('run', () => agreement.isLast && (agreement.areEnoughDone || (needsAll && isLong())))
  }

  async #othersFinish(part: FinishedPart, isDone: () => boolean): Promise<void> {
    const { agreement } = this
    const isOver = () => this.#epochs.isOver || isDone()
    await this.#until(isOver, 'for the others to finish', () => agreement.finished(part), sayDoneEvery)
    this.#epochs.check()
    agreement.finished(part)
    this.#send()
  }

  /** The others that are there, heard by this peer or not. */
  get #living(): readonly PeerName[] {
    const { knowledge, standing } = this.#options.members
    return standing.members.filter((name) => !knowledge.isDead(name) && !knowledge.hasLeft(name))
  }

  #take(from: PeerName, note: string): string | undefined {
    if (this.#isOver || !this.#isThere || this.#options.isHeld()) return undefined
    const fault = this.agreement.receive(from, note, this.#fabric.now())
    this.#send()
    return fault
  }

  /** Sends what is due, and stops the epoch that runs if it is over. */
  #send(): void {
    for (const { to, note } of this.agreement.take()) this.#fabric.tell(to, note)
    if (this.agreement.mustStop) this.#epochs.end()
    if (this.#isWaiting) this.#fabric.wake()
  }

  async #look(spawned: Pick<Fabric<unknown>, 'now' | 'sleep'>): Promise<void> {
    const { training } = this.#options
    let round = -1
    let since = 0
    while (!this.#isOver) {
      const now = spawned.now()
      const { round: current } = training.progress()
      if (current !== round) since = now
      round = current
      if (now - since >= askEvery && this.agreement.isIn) {
        this.agreement.askForNews()
        since = now
      }
      if (!this.#options.isHeld()) {
        this.agreement.tick(now)
        this.#send()
      }
      await spawned.sleep(now + lookEvery)
    }
  }

  /**
   * Waits between two epochs, or for the end.
   *
   * @param what - for the error, after "has waited"
   * @param repeat - called at once, since it may change whether the wait is over, and then at times
   */
  async #until(isDone: () => boolean, what: string, repeat: () => void, every: Milliseconds): Promise<void> {
    const start = this.#fabric.now()
    let next = start
    for (;;) {
      this.#fabric.signal.throwIfAborted()
      const now = this.#fabric.now()
      if (now >= next) {
        repeat()
        this.#send()
        next = now + every
      }
      if (isDone()) return
      checkEpochWait(this.#fabric.self, this.#options, this.agreement, { waited: now - start, what })
      this.#isWaiting = true
      await this.#epochs.wait(now + lookEvery)
      this.#isWaiting = false
    }
  }

  #surroundings(): EpochSurroundings {
    const { members, training } = this.#options
    const { knowledge } = members
    const { self } = this.#fabric
    const life = () => (this.#isThere ? Math.max(1, members.life) : 0)
    return {
      get life() {
        return life()
      },
      isGone({ name, life: begun }) {
        if (name === self) return false
        return knowledge.isDead(name) || knowledge.hasLeft(name) || isOther(knowledge.recordOf(name)?.life, begun)
      },
      hasLeft: ({ name }) => knowledge.hasLeft(name),
      hasFinished: ({ name, life: begun }) => knowledge.hasFinished(name) && knowledge.lifeOf(name) === begun,
      isSilent: ({ name }) => name !== self && (!knowledge.isPresent(name) || knowledge.isBroken(self, name)),
      mayJoin({ name, life: asked }) {
        if (knowledge.isDead(name) || knowledge.hasLeft(name) || members.isRestless(name)) return false
        return knowledge.lifeOf(name) <= asked
      },
      get broken() {
        return distinctPairs(knowledge.brokenPairs).filter((pair) => training.isEdge(pair))
      },
      get present() {
        return members.standing.present.filter((name) => name !== self && knowledge.recordOf(name)?.isIn === true)
      }
    }
  }
}

/** Whether a member has another life than that in which it is one, or was not there when the run began. */
function isOther(known: number | undefined, begun: number): boolean {
  return known === undefined || known > begun
}
