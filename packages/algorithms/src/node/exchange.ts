import { byName, type Envelope, type Milliseconds, type PeerName } from '@murmuration/core'
import type { VectorMessage } from '@murmuration/wire'
import type { Flow, Message, Mixing, Route, State } from '../record.js'
import { type Debt, type Edge, Edges } from './edge.js'
import { Debts } from './debts.js'
import { type Early, type EarlyMessages, tagOf } from './early.js'
import type { Absence, ControlKinds, Exchanging } from './exchanging.js'
import { Heard } from './heard.js'
import type { Owner } from './owner.js'
import { noTerms, termNumbers, termsOf } from './terms.js'

/** How far ahead a message may be and is kept; far more than neighbours that wait for each other ever are apart. */
const roundsAhead = 64

const nobody: readonly PeerName[] = []
const nobodyOf: ReadonlySet<PeerName> = new Set()

function oneWayOf({ to, from }: Route): ReadonlySet<PeerName> {
  if (from === to || from.every((peer) => to.includes(peer))) return nobodyOf
  return new Set(from.filter((peer) => !to.includes(peer)))
}

/** The edges of a channel at work: {@link Edges} decides, and here it is sent, kept and applied. */
export class Exchange implements Exchanging {
  readonly takesAll = false
  readonly #owner: Owner
  readonly #early: Early
  /** Whether a sum over the peers is kept, so that an exchange that one has gone on without is owed. */
  readonly #isOwed: boolean
  readonly #edges: Edges<Message>
  readonly #debts: Debts
  readonly #heard = new Heard()
  #route: Route | undefined
  /** Of whom a message comes in this round, and who is sent none. */
  #oneWay: ReadonlySet<PeerName> = nobodyOf
  #unsaid = 0
  #asked: Edge<Message> | undefined
  /** Whether X has been said to all, and nobody has answered SKIP or begun anew, under the tag that has begun. */
  #isUsual = true

  constructor(owner: Owner, early: Early, kinds: ControlKinds, isOwed: boolean) {
    this.#owner = owner
    this.#early = early
    this.#isOwed = isOwed
    this.#edges = new Edges(
      ({ mine }) => owner.arena.pin(mine, -1),
      (peer) => {
        early.dropAll(peer)
        this.#heard.forget(peer)
        // What was said to its earlier life brings no X, nor does it send to where that was.
        if (this.#edges.isOpen) this.#heard.note(peer, this.begun)
        this.#isUsual = false
      }
    )
    this.#debts = new Debts(owner, this.#edges, kinds)
  }

  /** Who has not sent yet what this peer went on without. */
  get owing(): readonly PeerName[] {
    return this.#edges.owing
  }

  get hasDebts(): boolean {
    return this.#edges.debts > 0
  }

  /** The tag that has begun. */
  get begun(): number {
    return this.#edges.begun
  }

  begin(route: Route): 'begins' | 'under way' {
    const { to, from } = route
    const [tag, edges] = [tagOf(route), this.#edges]
    const isUnderWay = edges.isOpen && tag === this.begun
    if (isUnderWay && this.#route !== undefined) return 'under way'
    if (to !== this.#route?.to || from !== this.#route.from) this.#oneWay = oneWayOf(route)
    this.#route = route
    this.#unsaid = 0
    // X was said before this peer was saved, and not to all perhaps.
    this.#isUsual = !isUnderWay
    if (!isUnderWay) edges.begin(tag)
    return isUnderWay ? 'under way' : 'begins'
  }

  /** The terms to send with X; undefined where X is not to be said. */
  termsTo(to: PeerName): readonly number[] | undefined {
    const edges = this.#edges
    const edge = edges.of(to)
    this.#asked = edge
    if (!edges.maySay(edge) && this.#route?.from.includes(to) === true) {
      this.#debts.remind(to)
      this.#unsaid++
      return undefined
    }
    const { offer } = this.#route as Partial<Mixing>
    const isUsual = offer === undefined && edges.life === 1 && edge.life === 1
    return isUsual ? noTerms : termNumbers({ offer, life: edges.life, toLife: edge.life })
  }

  /** X has been sent to the peer whose terms were asked for. */
  said(): void {
    if (this.#asked !== undefined) this.#edges.say(this.#asked)
  }

  /** X could not be sent. */
  unsaid(): void {
    this.#unsaid++
  }

  /**
   * Whom there was something to say to has heard it. Who is left out of a repaired row and sends nothing itself hears SKIP. What others have sent
   * under this tag or before is answered with SKIP.
   */
  hasBegun(): void {
    const { to, offer, filedTo = nobody, filedFrom = nobody } = this.#route as Mixing
    const isLeftOut = (peer: PeerName) => !to.includes(peer) && !filedFrom.includes(peer)
    if (offer !== undefined) for (const peer of filedTo) if (isLeftOut(peer)) this.#skip(peer, this.begun)
    this.#isUsual = this.#unsaid === 0 && (this.#oneWay.size === 0 || !this.#hasOneWayPassed)
    this.#early.eachUpTo(this.begun, this.#answer)
  }

  /** Whether something of the tag that has begun, or of a later one, has come from who sends and is sent nothing. */
  get #hasOneWayPassed(): boolean {
    return [...this.#oneWay].some((peer) => this.#heard.isPast(peer, this.begun))
  }

  /** Says SKIP to a message that has come before its round began and has no place in it. */
  readonly #answer = (tag: number, from: PeerName): void => {
    if (tag === this.begun && this.#edges.hasSaid(from)) return
    if (tag === this.begun && this.#oneWay.has(from)) return this.#answerOneWay(from, this.#early.find(tag, from))
    this.#early.drop(tag, from)
    this.#skip(from, tag)
  }

  /** A sender whose row is repaired may wait for what this peer does not send. */
  #answerOneWay(from: PeerName, message: Message | undefined): void {
    if (message !== undefined && termsOf(message).offer !== undefined) this.#skip(from, this.begun)
  }

  /** Whether X of all who were sent one is to come, so that no peer need be asked for. */
  get isUsual(): boolean {
    return this.#isUsual
  }

  /** Whether X of a sender may still come under the tag that has begun. */
  isAwaited(from: PeerName): boolean {
    if (this.#oneWay.has(from)) return !this.#heard.isPast(from, this.begun)
    return this.#edges.hasSaid(from) && !this.#edges.hasSkipped(from)
  }

  /** Whether a message of a tag to come is not kept. */
  isTooEarly(tag: number): boolean {
    return tag > tagOf({ round: this.#owner.round + roundsAhead })
  }

  /** There is no room for a message. */
  refuse(from: PeerName, { round, part = 0, field = 0, offset = 0 }: VectorMessage): void {
    if (field > 0 || offset > 0) return
    const tag = tagOf({ round, part })
    this.#heard.note(from, tag)
    this.#edges.refuse(from, tag)
    this.#skip(from, tag)
  }

  /** X has come. Returns whether it is to be kept. */
  take(from: PeerName, tag: number, message: Message): boolean {
    const { life, toLife } = termsOf(message)
    if (!this.#edges.isOfLives(from, life, toLife)) return false
    const verdict = this.#edges.come(from, tag)
    if (verdict === 'late') this.#settle(from, message)
    if (verdict === 'keep') this.#isAhead(from, tag)
    if (verdict !== 'skip') return verdict === 'keep' || verdict === 'mix'
    if (tag !== this.begun || !this.#edges.isOpen || !this.#oneWay.has(from)) {
      this.#skip(from, tag)
      return false
    }
    this.#answerOneWay(from, message)
    return true
  }

  /** A message of a tag to come has come, or nothing will under it. */
  #isAhead(from: PeerName, tag: number): void {
    this.#heard.note(from, tag)
    if (this.#oneWay.has(from)) this.#isUsual = false
  }

  /** The tag is over, and X of a sender has not come, which was waited for since then. What became of it. */
  goOnWithout(from: PeerName, mine: Message | undefined, since: Milliseconds): Absence {
    const edges = this.#edges
    if (this.#oneWay.has(from)) return this.isAwaited(from) ? 'silent' : 'skipped'
    if (!edges.hasSaid(from)) return edges.of(from).silentUntil < edges.begun ? 'unsaid' : 'skipped'
    if (edges.hasSkipped(from)) return 'skipped'
    if (this.#isOwed && mine !== undefined) this.#owe(from, mine, since)
    return 'silent'
  }

  leave(): void {}

  close(): void {
    this.#edges.isOpen = false
  }

  acceptSkip(envelope: Envelope<VectorMessage>): void {
    const tag = this.#debts.read(envelope)
    if (tag === undefined) return
    this.#heard.note(envelope.from, tag)
    const debt = this.#edges.skip(envelope.from, tag)
    const { presence } = this.#owner
    // Whoever was asked may say so because it is far behind. Where members count what a peer has cost, and who is behind takes a state, it is waited for again.
    if (debt?.asked === undefined) this.#excuse(envelope.from, debt)
    else if (presence.members !== undefined) presence.heard(envelope.from)
    if (tag >= this.begun) this.#isUsual = false
  }

  acceptWithdraw(envelope: Envelope<VectorMessage>): void {
    const tag = this.#debts.read(envelope)
    if (tag === undefined || !this.#edges.withdraw(envelope.from, tag)) return
    if (tag > this.begun) this.#early.drop(tag, envelope.from)
    this.#skip(envelope.from, tag)
  }

  askAll(): number {
    const { fabric, timeout, presence } = this.#owner
    let until = fabric.now()
    for (const [peer, { debt }] of this.#edges.entries())
      if (debt !== undefined && !presence.isDead(peer)) until = Math.max(until, debt.since + timeout)
    this.#debts.askAll()
    return until
  }

  remindAll(): void {
    this.#debts.remindAll()
  }

  /** The flows whose message has come late, by name and tag: of one peer they come in the order of tags. */
  takeFlows(): readonly Flow<Message>[] {
    const flows = this.#debts.takeFlows()
    return flows.length < 2 ? flows : [...flows].sort((left, right) => byName(left.from, right.from))
  }

  /** A peer has a new life, without the state that it had: nothing is open with it any more. */
  newLife(peer: PeerName, life: number): void {
    // What has come from a life is kept when that life is told of.
    if (life <= this.#edges.of(peer).life) return
    this.#edges.newLife(peer, life)
  }

  /** This peer has a new life. */
  beginLife(life: number): void {
    this.#edges.beginLife(life)
  }

  /** A peer that pauses says SKIP to all that it has and gets. */
  pause(isPaused: boolean): void {
    this.#edges.declines = isPaused
    if (!isPaused) return
    this.#early.eachUpTo(Number.POSITIVE_INFINITY, (tag, from) => {
      if (tag <= this.begun) return
      this.#early.drop(tag, from)
      this.#edges.refuse(from, tag)
      this.#skip(from, tag)
    })
  }

  saved(messages: EarlyMessages): State {
    return this.#debts.saved(messages)
  }

  restore(state: State): void {
    this.#debts.restore(state)
  }

  #owe(to: PeerName, mine: Message, since: Milliseconds): void {
    const W = this.#route as Mixing
    const offer = W.row(to)
    const theirs = W.offer === undefined ? offer : (W.filed?.(to) ?? offer)
    this.#debts.owe(to, { tag: this.begun, mine, offer, theirs, since })
  }

  #settle(from: PeerName, theirs: Message): void {
    const weightOf = (debt: Debt<Message>) => Math.min(debt.offer, termsOf(theirs).offer ?? debt.theirs)
    this.#excuse(from, this.#debts.settle(from, theirs, weightOf))
  }

  /** What was owed has come, or been cancelled. Had it been waited for, it would have come in time: it is again. */
  #excuse(from: PeerName, debt: Debt<Message> | undefined): void {
    const { fabric, timeout, presence } = this.#owner
    if (debt !== undefined && fabric.now() - debt.since <= timeout) presence.heard(from)
  }

  #skip(to: PeerName, tag: number): void {
    this.#debts.say('skip', to, tag)
  }
}
