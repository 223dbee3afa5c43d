/** One process of a test swarm: a member, and the rounds that it drives with empty vectors. No values, no algorithm. */
import type { Milliseconds, PeerName, Topology } from '@murmuration/core'
import { repairedRow } from './graph.js'
import type { Member } from './member.js'
import type { Process } from './network.test.support.js'

export type Message =
  | { readonly kind: 'note'; readonly text: string }
  | { readonly kind: 'X' | 'SKIP'; readonly round: number; readonly life: number; readonly toLife: number }
  | { readonly kind: 'state?' }
  | { readonly kind: 'state'; readonly round: number }

/** A process's view of its world. */
export interface World {
  readonly now: Milliseconds
  readonly topology: Topology
  /** Milliseconds of work in a round; drawn anew each time. */
  workTime(): Milliseconds
  send(to: PeerName, message: Message): void
  /** Does something later in this process. */
  later(delay: Milliseconds, act: () => void): void
  struck(peer: PeerName, reason: string): void
}

const roundTimeout = 6000
const transfer = 200
const maxEarly = 64

export class Trainer implements Process {
  isUp = true
  frozenUntil = 0
  round = -1
  rounds = 0
  #isComputing = false
  /** Peers that this round still waits for, with their lives. */
  readonly #waitsFor = new Map<PeerName, number>()
  readonly #owes = new Set<PeerName>()
  #begunAt = 0
  #askedAt: Milliseconds | undefined
  /** The future rounds of which a vector has already arrived, with the life of its sender. */
  readonly #early = new Map<PeerName, Map<number, number>>()
  /** The last round for which a vector was sent to each peer. */
  readonly #sentRounds = new Map<PeerName, number>()

  constructor(
    readonly name: PeerName,
    readonly member: Member,
    readonly world: World
  ) {}

  get hasBegun(): boolean {
    return this.round >= 0
  }

  get life(): number {
    return this.member.lifeOf(this.name)
  }

  tick(): void {
    const { member, world } = this
    const waitsFor = this.#isComputing ? [] : [...this.#waitsFor.keys()]
    member.report({ round: Math.max(0, this.round), samples: this.rounds, waitsFor, owes: [...this.#owes] }, world.now)
    member.tick(world.now)
    this.#checkWaits()
    this.#takePlace()
  }

  receive(from: PeerName, message: Exclude<Message, { kind: 'note' }>): void {
    this.member.heard(from, this.world.now)
    if (message.kind === 'state?') this.#giveState(from)
    else if (message.kind === 'state') this.#takeState(message.round)
    else if (message.toLife === this.life) this.#exchange(from, message)
  }

  /** Continues when no peer is waited for any longer. */
  continue(): void {
    const { member } = this
    if (!this.hasBegun || this.#isComputing) return
    for (const [peer, life] of this.#waitsFor) {
      const isSameLife = member.lifeOf(peer) === life
      if (!member.isGone(peer) && isSameLife) continue
      this.#waitsFor.delete(peer)
      if (!member.isDead(peer) && isSameLife) this.#owes.add(peer)
    }
    for (const peer of this.#owes) if (member.isDead(peer)) this.#owes.delete(peer)
    if (this.#waitsFor.size === 0) this.#nextRound()
  }

  #giveState(to: PeerName) {
    if (!this.hasBegun || this.member.isPaused) return
    this.world.later(transfer, () => this.world.send(to, { kind: 'state', round: this.round }))
  }

  #takeState(round: number) {
    if (this.#askedAt === undefined || (this.hasBegun && round <= this.round)) return
    this.#begin(round + 2)
  }

  #exchange(from: PeerName, { kind, round, life }: { kind: 'X' | 'SKIP'; round: number; life: number }) {
    this.#owes.delete(from)
    if (round === this.round && this.#waitsFor.delete(from)) return
    if (kind === 'SKIP') return
    if (round > this.round) this.#keep(from, round, life)
    else if (this.#sentRounds.get(from) !== round) this.#send(from, 'SKIP', round, life)
  }

  #keep(from: PeerName, round: number, life: number) {
    const kept = this.#early.get(from) ?? new Map<number, number>()
    if (kept.size < maxEarly) this.#early.set(from, kept.set(round, life))
  }

  #send(to: PeerName, kind: 'X' | 'SKIP', round: number, toLife = this.member.lifeOf(to)) {
    this.world.send(to, { kind, round, life: this.life, toLife })
  }

  #takePlace() {
    const { member, world } = this
    if (!this.hasBegun && member.mayBegin) return this.#begin(0)
    if (world.now - (this.#askedAt ?? -Infinity) < 3000) return
    const donor = member.donor(world.now)
    if (donor === undefined) return
    this.#askedAt = world.now
    world.send(donor, { kind: 'state?' })
  }

  #begin(round: number) {
    this.member.begin(round, this.world.now)
    this.#askedAt = undefined
    this.#owes.clear()
    this.#sentRounds.clear()
    this.#waitsFor.clear()
    this.#isComputing = false
    this.round = round - 1
    this.#nextRound()
  }

  #nextRound() {
    const { member, world } = this
    if (member.isPaused) return this.#decline()
    const round = ++this.round
    this.rounds++
    this.#begunAt = member.awake(world.now)
    for (const peer of this.#neighbours(round)) {
      this.#waitsFor.set(peer, member.lifeOf(peer))
      this.#sentRounds.set(peer, round)
      this.#send(peer, 'X', round)
    }
    this.#useEarly(round)
    this.#isComputing = true
    const { life } = this
    world.later(world.workTime(), () => {
      if (this.round === round && this.life === life) this.#isComputing = false
    })
  }

  #neighbours(round: number): PeerName[] {
    const { member, world, name } = this
    const isUsable = (peer: PeerName) => member.isUsable(peer, round)
    const { receiveFrom } = repairedRow(world.topology, name, round, isUsable, member.brokenPairs)
    return receiveFrom.map(({ name: peer }) => peer).filter((peer) => !member.isLate(peer) && !member.isLeftOutBy(peer))
  }

  #useEarly(round: number) {
    for (const [peer, rounds] of this.#early) {
      const life = rounds.get(round)
      if (life !== undefined && !this.#waitsFor.delete(peer)) this.#send(peer, 'SKIP', round, life)
      for (const earlyRound of rounds.keys()) if (earlyRound <= round) rounds.delete(earlyRound)
    }
  }

  /** A peer that pauses answers everything that it holds. */
  #decline() {
    for (const [peer, rounds] of this.#early) {
      for (const [round, life] of rounds) this.#send(peer, 'SKIP', round, life)
      rounds.clear()
    }
  }

  #checkWaits() {
    if (!this.hasBegun || this.#isComputing) return
    const { member, world } = this
    const waited = member.awake(world.now) - this.#begunAt
    for (const peer of this.#waitsFor.keys()) {
      if (waited < roundTimeout * (1 + member.chainBehind(peer) / 8)) continue
      member.lostTime(peer, waited, roundTimeout, world.now)
      if (member.isLate(peer)) world.struck(peer, `${this.name} in round ${this.round}`)
      this.#waitsFor.delete(peer)
    }
  }
}
