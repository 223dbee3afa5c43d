import { byName, type Envelope, type Milliseconds, type PeerName } from '@murmuration/core'
import type { VectorMessage } from '@murmuration/wire'
import type { Flow, Message, Mixing, Route, State } from '../record.js'
import { type Debt, type Edge, Edges } from './edge.js'
import { type Early, type EarlyMessages, partsPerRound, tagOf } from './early.js'
import type { Absence, ControlKinds, Exchanging } from './exchanging.js'
import type { Owner } from './owner.js'
import { restoreEdges, savedEdges } from './saved-edges.js'
import { noTerms, readTerms, termNumbers, termsOf } from './terms.js'

/** How far ahead a message may be and is kept; far more than neighbours that wait for each other ever are apart. */
const roundsAhead = 64

const empty = new Float32Array(0)

/** The edges of a channel at work: {@link Edges} decides, and here it is sent, kept and applied. */
export class Exchange implements Exchanging {
  readonly takesAll = false
  readonly #owner: Owner
  readonly #early: Early
  readonly #kinds: ControlKinds
  /** Whether a sum over the peers is kept, so that an exchange that one has gone on without is owed. */
  readonly #isOwed: boolean
  readonly #edges: Edges<Message>
  #route: Route | undefined
  #unsaid = 0
  #asked: Edge<Message> | undefined
  /** Whether X has been said to all, and nobody has answered SKIP or begun anew, under the tag that has begun. */
  #isUsual = true
  #flows: { readonly tag: number; readonly flow: Flow<Message> }[] = []

  constructor(owner: Owner, early: Early, kinds: ControlKinds, isOwed: boolean) {
    this.#owner = owner
    this.#early = early
    this.#kinds = kinds
    this.#isOwed = isOwed
    this.#edges = new Edges(
      ({ mine }) => owner.arena.pin(mine, -1),
      (peer) => {
        early.dropAll(peer)
        // What was said to its earlier life brings no X.
        this.#isUsual = false
      }
    )
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

  begin(route: Route): void {
    this.#edges.begin(tagOf(route))
    this.#route = route
    this.#unsaid = 0
  }

  /** The terms to send with X; undefined where X is not to be said. */
  termsTo(to: PeerName): readonly number[] | undefined {
    const edges = this.#edges
    const edge = edges.of(to)
    this.#asked = edge
    if (!edges.maySay(edge) && this.#route?.from.includes(to) === true) {
      this.#remind(to)
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

  /** Whom there was something to say to has heard it. What others have sent under this tag or before is answered with SKIP. */
  hasBegun(): void {
    this.#isUsual = this.#unsaid === 0
    this.#early.eachUpTo(this.begun, this.#answer)
  }

  /** Says SKIP to a message that has come before its round began and has no place in it. */
  readonly #answer = (tag: number, from: PeerName): void => {
    if (tag === this.begun && (this.#edges.hasSaid(from) || this.#isOneWay(from))) return
    this.#early.drop(tag, from)
    this.#skip(from, tag)
  }

  /** Whether X of all who were sent one is to come, so that no peer need be asked for. */
  get isUsual(): boolean {
    return this.#isUsual
  }

  /** Whether X of a sender may still come under the tag that has begun. */
  isAwaited(from: PeerName): boolean {
    return this.#isOneWay(from) || (this.#edges.hasSaid(from) && !this.#edges.hasSkipped(from))
  }

  /** Whether a message of a tag to come is not kept. */
  isTooEarly(tag: number): boolean {
    return tag > tagOf({ round: this.#owner.round + roundsAhead })
  }

  /** There is no room for a message. */
  refuse(from: PeerName, { round, part = 0, field = 0, offset = 0 }: VectorMessage): void {
    if (field > 0 || offset > 0) return
    this.#edges.refuse(from, tagOf({ round, part }))
    this.#skip(from, tagOf({ round, part }))
  }

  /** X has come. Returns whether it is to be kept. */
  take(from: PeerName, tag: number, message: Message): boolean {
    const { life, toLife } = termsOf(message)
    if (!this.#edges.isOfLives(from, life, toLife)) return false
    const verdict = this.#edges.come(from, tag)
    if (verdict === 'late') this.#settle(from, message)
    if (verdict !== 'skip') return verdict === 'keep' || verdict === 'mix'
    if (tag === this.begun && this.#edges.isOpen && this.#isOneWay(from)) return true
    this.#skip(from, tag)
    return false
  }

  /** The tag is over, and X of a sender has not come, which was waited for since then. What became of it. */
  goOnWithout(from: PeerName, mine: Message | undefined, since: Milliseconds): Absence {
    const edges = this.#edges
    if (this.#isOneWay(from)) return 'silent'
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
    const tag = this.#open(envelope)
    if (tag === undefined) return
    const debt = this.#edges.skip(envelope.from, tag)
    // Whoever was asked may say so because it is far behind.
    if (debt?.asked === undefined) this.#heard(envelope.from, debt)
    if (tag === this.begun) this.#isUsual = false
  }

  acceptWithdraw(envelope: Envelope<VectorMessage>): void {
    const tag = this.#open(envelope)
    if (tag === undefined || !this.#edges.withdraw(envelope.from, tag)) return
    if (tag > this.begun) this.#early.drop(tag, envelope.from)
    this.#skip(envelope.from, tag)
  }

  /** Asks all who have not sent what this peer went on without. Returns until when it makes sense to wait for answers. */
  remindAll(): number {
    const { fabric, timeout } = this.#owner
    let until = fabric.now()
    for (const [peer, { debt }] of this.#edges.entries()) {
      if (debt === undefined) continue
      this.#ask(peer, debt)
      until = Math.max(until, debt.since + timeout)
    }
    return until
  }

  /** The flows whose message has come late, by name and tag. They are the round's from now on. */
  takeFlows(): readonly Flow<Message>[] {
    if (this.#flows.length === 0) return this.#flows as never[]
    const flows = this.#flows.sort((left, right) => byName(left.flow.from, right.flow.from) || left.tag - right.tag)
    this.#flows = []
    for (const { flow } of flows) {
      this.#owner.arena.pin(flow.mine, -1)
      this.#owner.arena.pin(flow.theirs, -1)
    }
    return flows.map(({ flow }) => flow)
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
    return savedEdges(this.#edges, messages)
  }

  restore(state: State): void {
    restoreEdges(this.#edges, state, this.#now)
    for (const [, { debt }] of this.#edges.entries()) if (debt !== undefined) this.#owner.arena.pin(debt.mine, 1)
  }

  get #now(): number {
    return this.#owner.fabric.now()
  }

  /** Whether a sender is sent nothing in this round: the edge goes one way. */
  #isOneWay(from: PeerName): boolean {
    return this.#route?.from.includes(from) === true && !this.#route.to.includes(from)
  }

  /** Without having been waited for, one that is late may still be on time to use what was sent; so it is not asked at once. */
  #owe(to: PeerName, mine: Message, since: Milliseconds): void {
    const W = this.#route as Mixing
    const offer = W.row(to)
    const theirs = W.offer === undefined ? offer : (W.filed?.(to) ?? offer)
    const debt = { tag: this.begun, mine, offer, theirs, since, asked: undefined }
    this.#owner.arena.pin(mine, 1)
    this.#edges.owe(to, debt)
    if (this.#owner.presence.isAwaited(to)) this.#ask(to, debt)
  }

  #remind(to: PeerName): void {
    const { debt } = this.#edges.of(to)
    if (debt !== undefined && this.#now - (debt.asked ?? debt.since) >= this.#owner.timeout) this.#ask(to, debt)
  }

  #ask(to: PeerName, debt: Debt<Message>): void {
    debt.asked = this.#now
    this.#control(this.#kinds.withdraw, to, debt.tag)
  }

  #settle(from: PeerName, theirs: Message): void {
    const debt = this.#edges.settle(from)
    if (debt === undefined) return
    const { tag, mine, offer } = debt
    const weight = Math.min(offer, termsOf(theirs).offer ?? debt.theirs)
    this.#owner.arena.pin(theirs, 1)
    this.#flows.push({ tag, flow: { from, round: Math.floor(tag / partsPerRound), weight, mine, theirs } })
    this.#heard(from, debt)
  }

  /** What was owed has come, or been cancelled. Had it been waited for, it would have come in time: it is again. */
  #heard(from: PeerName, debt: Debt<Message> | undefined): void {
    if (debt !== undefined && this.#now - debt.since <= this.#owner.timeout) this.#owner.presence.heard(from)
  }

  #skip(to: PeerName, tag: number): void {
    this.#control(this.#kinds.skip, to, tag)
  }

  /** What finds no room is lost; who waits for it asks again. */
  #control(kind: number, to: PeerName, tag: number): void {
    const { life } = this.#edges
    const numbers = termNumbers({ life, toLife: this.#edges.of(to).life })
    const [round, part] = [Math.floor(tag / partsPerRound), tag % partsPerRound]
    this.#owner.send(to, { kind, round, part, numbers, vector: empty })
  }

  /** The tag of a message without a vector; undefined for what is none, or of another life. */
  #open(envelope: Envelope<VectorMessage>): number | undefined {
    const { from, message } = envelope
    const { round, part = 0, field = 0, numbers = [], vector } = message
    const { fabric, rounds } = this.#owner
    const terms = readTerms(numbers)
    if (vector.length > 0 || field > 0 || terms === undefined || round >= rounds || part >= partsPerRound) {
      fabric.reject(envelope, `what is no answer about an exchange of round ${round}; the last is ${rounds - 1}`)
      return undefined
    }
    return this.#edges.isOfLives(from, terms.life, terms.toLife) ? tagOf({ round, part }) : undefined
  }
}
