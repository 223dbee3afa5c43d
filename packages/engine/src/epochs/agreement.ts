/**
 * How the members of an epoch agree on the next one: one decision per epoch, by a quorum of the members of the last one
 * (Lamport, "The part-time parliament", ACM TOCS 16(2), 1998; one instance of its single-decree protocol per epoch). It
 * does no I/O and reads no clock: its peer hands in what arrives, with the time, and takes what is to be sent.
 */
import { byName, invariant, maxNoteBytes, type Milliseconds, type PeerName } from '@murmuration/core'
import { type BrokenPair, sign, type Signer } from '@murmuration/membership'
import {
  acceptText,
  type Ballot,
  type Epoch,
  isBefore,
  isMember,
  isQuorum,
  noEpoch,
  type MemberPlace,
  type MemberStanding
} from './epoch.js'
import { type EpochRules, isApart, nextEpoch, nextEpochProblem, stagesWithoutModel } from './next-epoch.js'
import { type Accepted, type Decision, type EpochNote, type FinishedPart, noteText, readNote } from './notes.js'

/** What is not answered is sent again after this time. */
const resendAfter: Milliseconds = 250
/** The first of the living members, in the order of names, proposes at once; each other this much later. */
const turn: Milliseconds = 1000
/** An ask to be taken in counts for this long; it is repeated every second. */
const asksFor: Milliseconds = 3000
/** How long a member that is said to be gone may take to answer: it may be back, or cut off from those that said so. */
const grace: Milliseconds = 250
/** How often a member may make others stop for a reason that they do not see themselves. */
const unfoundedEvery: Milliseconds = 60_000
/** A proposer of which nothing came is followed again after this time, then after twice as long, and so on. */
const proposesAgain: Milliseconds = 4000
/** How far a ballot may be ahead of the last one: a liar must not use up the numbers. */
const maxBallotStep = 1_000_000
/** The most decisions in a note, and that are kept for who has missed them. */
const decisionsPerNote = 8
const maxDecisions = 256

/** What a peer knows of the others, at the time of each call. */
export interface EpochSurroundings {
  /** The life of this peer; 0 before it has begun. */
  readonly life: number
  /** Whether a member is dead, has left, has another life, or was not there when the run began. */
  isGone(place: MemberPlace): boolean
  /** Whether it has said that it leaves: then it does not answer. */
  hasLeft(place: MemberPlace): boolean
  /** Whether its record says that it has finished the run. */
  hasFinished(place: MemberPlace): boolean
  /** Whether nothing has been heard of it lately, or nothing can be sent to it. */
  isSilent(place: MemberPlace): boolean
  /** Whether a peer that asks is taken in: it is there, and does not come back too often. */
  mayJoin(place: MemberPlace): boolean
  /** Pairs of members that cannot exchange vectors, and have to. */
  readonly broken: readonly BrokenPair[]
  /** The other peers of the run that are there, and train. */
  readonly present: readonly PeerName[]
}

export interface AgreementOptions extends EpochRules {
  readonly self: PeerName
  /** All peers and servers of the run. */
  readonly peers: readonly PeerName[]
  readonly signer: Signer
  readonly surroundings: EpochSurroundings
  /** How long a member that is not known to be gone may take to stop. */
  readonly stopTimeout: Milliseconds
}

/** What this peer, as the proposer, has heard. */
interface Proposal {
  readonly ballot: Ballot
  readonly promises: Map<PeerName, { readonly standing: MemberStanding; readonly accepted?: Accepted | undefined }>
  readonly accepts: Map<PeerName, string>
  readonly since: Milliseconds
  value: Epoch | undefined
  sentAt: Milliseconds
}

/** One peer's part in the agreement on epochs. */
export class EpochAgreement {
  /** Whether this peer's round has failed although no member is gone. */
  isStuck = false
  readonly #options: AgreementOptions
  readonly #peers: ReadonlySet<string>
  #epoch = noEpoch
  /** The number of the epoch that this peer has begun last. */
  #begun = noEpoch.number
  /** How the epochs after the first one that this peer has known were decided. */
  readonly #decisions: Decision[] = []
  /** The highest ballot that this peer has promised to follow. */
  #promised: Ballot = noBallot
  #accepted: Accepted | undefined
  #proposal: Proposal | undefined
  #standing: MemberStanding | undefined
  /** To whom a promise is due once this peer has stopped. */
  #due: PeerName | undefined
  readonly #asking = new Map<PeerName, { readonly place: MemberPlace; readonly at: Milliseconds }>()
  readonly #done = new Map<PeerName, FinishedPart>()
  /** When a member made this peer stop for a reason that it did not see. */
  readonly #unfounded = new Map<PeerName, Milliseconds>()
  /** What others say the epoch is; only while this peer is in none. */
  readonly #told = new Map<PeerName, string>()
  /** How often each member has proposed the next epoch under a new ballot, and when it did last. */
  readonly #proposers = new Map<PeerName, { readonly count: number; readonly at: Milliseconds }>()
  #reasonSince: Milliseconds | undefined
  #promisedAt: Milliseconds = Number.NEGATIVE_INFINITY
  #finished: FinishedPart | undefined
  #notes: { readonly to: PeerName; readonly note: string }[] = []

  constructor(options: AgreementOptions) {
    this.#options = options
    this.#peers = new Set(options.peers)
  }

  /** The epoch that was decided last, as far as this peer knows. */
  get epoch(): Epoch {
    return this.#epoch
  }

  /** Whether this peer is a member of it, in its present life. */
  get isIn(): boolean {
    return isMember(this.#epoch, this.#options.self, this.#around.life)
  }

  /** Whether this peer has to stop: it is to promise something, is no member, or another epoch has been decided. */
  get mustStop(): boolean {
    return this.#due !== undefined || !this.isIn || this.#begun !== this.#epoch.number
  }

  /** Whether all other members have finished, as far as this peer has, or are gone. */
  get isLast(): boolean {
    return this.#epoch.members.every(
      (place) => place.name === this.#options.self || this.#hasDone(place) || this.#around.isGone(place)
    )
  }

  /** Whether those that have finished, with this peer, are a quorum: then no others go on without them. */
  get areEnoughDone(): boolean {
    const done = this.#epoch.members.filter((place) => place.name === this.#options.self || this.#hasDone(place))
    return isQuorum(this.#epoch, new Set(done.map(({ name }) => name)))
  }

  /** Whether this peer has finished the run in this epoch. */
  get hasFinished(): boolean {
    return this.#finished === 'run'
  }

  #hasDone(place: MemberPlace): boolean {
    const done = this.#done.get(place.name)
    return this.#hasEnded(place) || (done === 'training' && this.#finished !== 'run')
  }

  /** Whether a member has finished the run: its note may have been lost. */
  #hasEnded(place: MemberPlace): boolean {
    return this.#done.get(place.name) === 'run' || this.#around.hasFinished(place)
  }

  get #around(): EpochSurroundings {
    return this.#options.surroundings
  }

  get #next(): number {
    return this.#epoch.number + 1
  }

  /** All members begin with this epoch. A peer that is to be taken in is in none. */
  begin(first: Epoch): void {
    invariant(this.#epoch === noEpoch, 'a peer begins once')
    this.#epoch = first
    this.#begun = first.number
  }

  /** The notes to be sent now. */
  take(): readonly { readonly to: PeerName; readonly note: string }[] {
    const notes = this.#notes
    this.#notes = []
    return notes
  }

  /** This peer has stopped: its standing stays until the next epoch, which may have been decided meanwhile. */
  stopped(standing: MemberStanding, now: Milliseconds): void {
    if (this.#begun !== this.#epoch.number) return
    this.#standing = standing
    const due = this.#due
    this.#due = undefined
    if (due !== undefined) this.#promise(due, now)
  }

  /** The epoch that was decided last runs here. */
  started(): void {
    this.#begun = this.#epoch.number
  }

  /** Tells the others that this peer has done its training, or all of the run. To be repeated. */
  finished(part: FinishedPart): void {
    this.#finished = part
    this.#tellAll({ kind: 'done', epoch: this.#epoch.number, part })
  }

  /** Asks all peers of the run to be taken in. To be repeated. */
  join(samples: number): void {
    const { life } = this.#around
    for (const peer of this.#options.peers) this.#tell(peer, { kind: 'join', epoch: this.#epoch.number, life, samples })
  }

  /** Asks the members what has been decided. */
  askForNews(): void {
    this.#tellAll({ kind: 'news', epoch: this.#epoch.number })
  }

  /** To be called several times a second. */
  tick(now: Milliseconds): void {
    for (const [name, { at }] of this.#asking) if (now - at > asksFor) this.#asking.delete(name)
    if (!this.isIn) return
    if (this.#proposal !== undefined) return this.#drive(this.#proposal, now)
    if (!this.#hasReason()) return void (this.#reasonSince = undefined)
    this.#reasonSince ??= now
    const living = this.#epoch.members.filter((place) => !this.#around.isGone(place))
    const rank = living.findIndex(({ name }) => name === this.#options.self)
    if (rank >= 0 && now - this.#mayProposeFrom(this.#reasonSince, living) >= rank * turn) this.#propose(now)
  }

  /** From when on the first of the living may propose: a living proposer that has this peer's promise has its time. */
  #mayProposeFrom(reasonSince: Milliseconds, living: readonly MemberPlace[]): Milliseconds {
    const [, proposer] = this.#promised
    const isAtWork = proposer !== this.#options.self && living.some(({ name }) => name === proposer)
    return isAtWork ? this.#promisedAt + this.#options.stopTimeout + 2 * turn : reasonSince
  }

  /** Takes a note in. Returns the sender's fault in words, if any. */
  receive(from: PeerName, text: string, now: Milliseconds): string | undefined {
    const note = readNote(text, this.#peers)
    if (typeof note === 'string') return note
    switch (note.kind) {
      case 'prepare':
      case 'accept':
        return this.#follow(from, note, now)
      case 'promise':
        return this.#countPromise(from, note, now)
      case 'accepted':
        return this.#countAccept(from, note, now)
      case 'decided':
        return this.#takeDecisions(from, note.decisions)
      case 'latest':
        return this.#takeLatest(from, note.value)
      case 'news':
        return this.#answer(from, note.epoch)
      case 'join': {
        const { life, samples } = note
        this.#answer(from, note.epoch)
        if (!isMember(this.#epoch, from, life))
          this.#asking.set(from, { place: { name: from, life, samples }, at: now })
        return undefined
      }
      case 'done':
        if (note.epoch === this.#epoch.number && this.#done.get(from) !== 'run') this.#done.set(from, note.part)
        return undefined
    }
  }

  /** A proposer's prepare or accept. */
  #follow(
    from: PeerName,
    note: Extract<EpochNote, { kind: 'prepare' | 'accept' }>,
    now: Milliseconds
  ): string | undefined {
    if (note.epoch < this.#next) return this.#answer(from, note.epoch - 1)
    if (note.epoch > this.#next) return this.#tell(from, { kind: 'news', epoch: this.#epoch.number })
    const { ballot } = note
    if (ballot[1] !== from) return `a ballot of ${ballot[1]}`
    if (ballot[0] > this.#promised[0] + maxBallotStep) return `ballot ${ballot[0]} after ${this.#promised[0]}`
    // A process that was started anew has forgotten what it promised, and has another life.
    if (!this.isIn || !isMember(this.#epoch, from) || isBefore(ballot, this.#promised)) return undefined
    if (isBefore(this.#promised, ballot) && this.#proposesTooOften(from, now)) return undefined
    if (note.kind === 'prepare') return this.#prepare(from, ballot, now)
    const problem = nextEpochProblem(this.#options, this.#epoch, note.value)
    if (problem !== undefined) return `proposes ${problem}`
    this.#follows(from, ballot, now)
    this.#accepted = { ballot, value: note.value }
    sign(this.#options.signer, acceptText(ballot, note.value), (signature) =>
      this.#tell(from, { kind: 'accepted', epoch: note.epoch, ballot, signature })
    )
    return undefined
  }

  #prepare(from: PeerName, ballot: Ballot, now: Milliseconds): undefined {
    const isNew = isBefore(this.#promised, ballot)
    if (isNew && this.#standing === undefined && !this.#mayStopFor(from, now)) return undefined
    this.#follows(from, ballot, now)
    if (this.#standing === undefined) this.#due = from
    else this.#promise(from, now)
    return undefined
  }

  /** From now on this peer accepts nothing under a lower ballot: it gives up a proposal of its own that has one. */
  #follows(from: PeerName, ballot: Ballot, now: Milliseconds): void {
    if (isBefore(this.#promised, ballot)) {
      this.#promisedAt = now
      this.#proposers.set(from, { count: (this.#proposers.get(from)?.count ?? 0) + 1, at: now })
    }
    this.#promised = ballot
    if (this.#proposal !== undefined && isBefore(this.#proposal.ballot, ballot)) this.#proposal = undefined
  }

  /** Else a liar that proposes again and again would keep the others from an epoch. */
  #proposesTooOften(from: PeerName, now: Milliseconds): boolean {
    const last = this.#proposers.get(from)
    return last !== undefined && now - last.at < 2 ** (last.count - 1) * proposesAgain
  }

  /** Whether this peer stops as a member says: it sees a reason itself, or that member has not done so lately. */
  #mayStopFor(from: PeerName, now: Milliseconds): boolean {
    if (from === this.#options.self || this.#due !== undefined || this.#hasReason()) return true
    const last = this.#unfounded.get(from)
    if (last !== undefined && now - last < unfoundedEvery) return false
    this.#unfounded.set(from, now)
    return true
  }

  #promise(to: PeerName, now: Milliseconds): void {
    const standing = this.#standing
    if (standing === undefined) return
    const accepted = this.#accepted
    const ballot = this.#promised
    if (to !== this.#options.self)
      return void this.#tell(to, {
        kind: 'promise',
        epoch: this.#next,
        ballot,
        standing,
        ...(accepted && { accepted })
      })
    this.#proposal?.promises.set(to, { standing, accepted })
    if (this.#proposal !== undefined) this.#drive(this.#proposal, now)
  }

  #hasReason(): boolean {
    // Who has stopped cannot continue without another epoch, even if why it had to is over.
    if (this.#standing !== undefined) return true
    if (this.#finished === 'run' && this.isLast) return false
    const isGone = this.#epoch.members.some(
      (place) => this.#done.get(place.name) !== 'run' && this.#around.isGone(place)
    )
    return isGone || this.isStuck || this.#broken.length > 0 || this.#joining.length > 0
  }

  /** Who asks, and would be in the next epoch: others must be no reason for one, or there is no end of epochs. */
  get #joining(): readonly MemberPlace[] {
    const { broken } = this.#around
    return [...this.#asking.values()]
      .map(({ place }) => place)
      .filter(({ name, life }) => !isMember(this.#epoch, name, life))
      .filter((place) => this.#around.mayJoin(place))
      .filter(({ name }) => !this.#options.needsEveryPair || !isApart(name, this.#epoch.members, broken))
      .sort((a, b) => byName(a.name, b.name))
  }

  /** The broken pairs of members that are not bypassed yet. */
  get #broken(): readonly BrokenPair[] {
    const isKnown = ([a, b]: BrokenPair) => this.#epoch.broken.some((pair) => pair.includes(a) && pair.includes(b))
    const areIn = (pair: BrokenPair) =>
      pair.every((name) => isMember(this.#epoch, name) && this.#done.get(name) !== 'run')
    return this.#around.broken.filter((pair) => areIn(pair) && !isKnown(pair))
  }

  #propose(now: Milliseconds): void {
    const ballot: Ballot = [this.#promised[0] + 1, this.#options.self]
    const none = { promises: new Map(), accepts: new Map(), value: undefined }
    this.#proposal = { ...none, ballot, since: now, sentAt: now }
    this.#tellAll({ kind: 'prepare', epoch: this.#next, ballot })
    this.#prepare(this.#options.self, ballot, now)
  }

  /** Sends again what is not answered; goes on with the second phase, and to the decision. */
  #drive(proposal: Proposal, now: Milliseconds): void {
    const { ballot, promises, accepts } = proposal
    const epoch = this.#next
    const isDue = now - proposal.sentAt >= resendAfter
    if (isDue) proposal.sentAt = now
    if (proposal.value === undefined) {
      const missing = this.#epoch.members.filter(({ name }) => !promises.has(name))
      if (isDue) for (const { name } of missing) this.#tell(name, { kind: 'prepare', epoch, ballot })
      const waited = now - proposal.since
      const isAwaited = (place: MemberPlace) => waited < this.#timeFor(place)
      if (!isQuorum(this.#epoch, promises) || missing.some(isAwaited)) return
      const value = this.#valueOf(promises)
      // Without a model, or a stage of it, none can begin: whoever has one may still answer.
      if (stagesWithoutModel(this.#options, value).length > 0) return
      this.#acceptOwn(proposal, value)
    } else if (isDue) {
      const { value } = proposal
      for (const { name } of this.#epoch.members)
        if (!accepts.has(name)) this.#tell(name, { kind: 'accept', epoch, ballot, value })
    }
    if (isQuorum(this.#epoch, accepts)) this.#decide(proposal)
  }

  /** How long a member has to stop. */
  #timeFor(place: MemberPlace): Milliseconds {
    if (this.#around.hasLeft(place)) return 0
    return this.#around.isGone(place) || this.#around.isSilent(place) ? grace : this.#options.stopTimeout
  }

  #acceptOwn(proposal: Proposal, value: Epoch): void {
    const { ballot } = proposal
    proposal.value = value
    this.#accepted = { ballot, value }
    sign(this.#options.signer, acceptText(ballot, value), (signature) =>
      proposal.accepts.set(this.#options.self, signature)
    )
    this.#tellAll({ kind: 'accept', epoch: this.#next, ballot, value })
  }

  /** What was accepted under the highest ballot, since it may have been decided; a new value where nothing was. */
  #valueOf(promises: Proposal['promises']): Epoch {
    let highest: Accepted | undefined
    for (const { accepted } of promises.values()) {
      if (accepted !== undefined && (highest === undefined || isBefore(highest.ballot, accepted.ballot)))
        highest = accepted
    }
    if (highest !== undefined) return highest.value
    const standings = new Map([...promises].map(([name, { standing }]) => [name, standing]))
    const { broken } = this.#around
    return nextEpoch(this.#options, { last: this.#epoch, standings, joining: this.#joining, broken })
  }

  #countPromise(from: PeerName, note: Extract<EpochNote, { kind: 'promise' }>, now: Milliseconds): string | undefined {
    const { standing, accepted } = note
    const proposal = this.#proposal
    if (proposal === undefined || !this.#isMine(note) || !isMember(this.#epoch, from)) return undefined
    if (standing.opened > this.#epoch.number) return `has opened epoch ${standing.opened}, which is not decided`
    const problem = accepted && nextEpochProblem(this.#options, this.#epoch, accepted.value)
    if (problem !== undefined) return `has accepted ${problem}`
    proposal.promises.set(from, note)
    this.#drive(proposal, now)
    return undefined
  }

  #countAccept(from: PeerName, note: Extract<EpochNote, { kind: 'accepted' }>, now: Milliseconds): string | undefined {
    const proposal = this.#proposal
    if (proposal?.value === undefined || !this.#isMine(note) || !isMember(this.#epoch, from)) return undefined
    if (!this.#options.signer.verify(from, acceptText(note.ballot, proposal.value), note.signature))
      return 'an accept with a wrong signature'
    proposal.accepts.set(from, note.signature)
    this.#drive(proposal, now)
    return undefined
  }

  #decide({ ballot, value, accepts }: Proposal): void {
    if (value === undefined) return
    const decision = { ballot, value, accepts: [...accepts] }
    const names = new Set([...this.#epoch.members, ...value.members].map(({ name }) => name))
    for (const name of names) this.#tell(name, { kind: 'decided', decisions: [decision] })
    this.#install(decision.value, decision)
  }

  /** Decisions that follow this peer's epoch, each signed by a quorum of the members of the one before. */
  #takeDecisions(from: PeerName, decisions: readonly Decision[]): string | undefined {
    for (const decision of decisions) {
      const { value, ballot, accepts } = decision
      if (value.number <= this.#epoch.number) continue
      if (value.number > this.#next) return this.#tell(from, { kind: 'news', epoch: this.#epoch.number })
      const problem = nextEpochProblem(this.#options, this.#epoch, value)
      if (problem !== undefined) return `a decision with ${problem}`
      const text = acceptText(ballot, value)
      const signed = accepts.filter(([name, signature]) => this.#options.signer.verify(name, text, signature))
      if (!isQuorum(this.#epoch, new Set(signed.map(([name]) => name))))
        return `a decision on epoch ${value.number} without a quorum`
      this.#install(value, decision)
    }
    return undefined
  }

  /**
   * Who is in no epoch cannot check decisions, and believes what more than half of the others that are there say. So
   * does a peer whose epoch can have no successor, since too many of its members have other lives.
   */
  #takeLatest(from: PeerName, value: Epoch): undefined {
    if (value.number <= this.#epoch.number || (this.isIn && !this.#isLostEpoch)) return undefined
    const text = acceptText(noBallot, value)
    this.#told.set(from, text)
    const { present } = this.#around
    const count = present.filter((name) => this.#told.get(name) === text).length
    if (2 * count > present.length) this.#install(value)
    return undefined
  }

  get #isLostEpoch(): boolean {
    const left = this.#epoch.members.filter((place) => !this.#around.isGone(place))
    return !isQuorum(this.#epoch, new Set(left.map(({ name }) => name)))
  }

  /** Tells a peer what was decided after its epoch. */
  #answer(to: PeerName, epoch: number): undefined {
    if (epoch >= this.#epoch.number) return undefined
    const first = this.#decisions.findIndex(({ value }) => value.number === epoch + 1)
    if (first < 0) return this.#tell(to, { kind: 'latest', value: this.#epoch })
    return this.#tell(to, { kind: 'decided', decisions: firstThatFit(this.#decisions.slice(first)) })
  }

  #install(epoch: Epoch, decision?: Decision): void {
    this.#epoch = epoch
    if (decision === undefined) this.#decisions.length = 0
    else this.#decisions.push(decision)
    if (this.#decisions.length > maxDecisions) this.#decisions.shift()
    this.#promised = noBallot
    this.#promisedAt = Number.NEGATIVE_INFINITY
    this.#accepted = this.#proposal = this.#due = this.#standing = this.#reasonSince = undefined
    this.#proposers.clear()
    this.#done.clear()
    this.#told.clear()
    for (const { name } of epoch.members) this.#asking.delete(name)
    this.isStuck = false
    this.#finished = undefined
  }

  #isMine({ epoch, ballot }: { readonly epoch: number; readonly ballot: Ballot }): boolean {
    const own = this.#proposal?.ballot
    return epoch === this.#next && own !== undefined && own[0] === ballot[0] && own[1] === ballot[1]
  }

  #tellAll(note: EpochNote): void {
    for (const { name } of this.#epoch.members) this.#tell(name, note)
  }

  #tell(to: PeerName, note: EpochNote): undefined {
    if (to !== this.#options.self) this.#notes.push({ to, note: noteText(note) })
    return undefined
  }
}

const noBallot: Ballot = [0, '']

/** As many decisions as have room in a note; names and signatures have one byte for each letter. */
function firstThatFit(all: readonly Decision[]): readonly Decision[] {
  for (let count = decisionsPerNote; ; count--) {
    const decisions = all.slice(0, count)
    if (count === 1 || noteText({ kind: 'decided', decisions }).length <= maxNoteBytes) return decisions
  }
}
