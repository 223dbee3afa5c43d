/**
 * Peers that go through their phases, among crashes, restarts, cut links and exchanges that stay open. What the members
 * would say follows at once from who reaches whom; phases, waits and models taken are the real ones.
 */
import { type PeerName, peerName, type Topology } from '@murmuration/core'
import type { Member } from '@murmuration/membership'
import type { Model, Move } from '../edges/explore.test.support.js'
import { CatchingUp } from './catching-up.js'
import { isBeforeOthers } from './held.js'
import { LongestWait } from './longest-wait.js'
import type { Trainee, TraineeRun } from './participants.js'
import { type PhaseFacts, type PeerPhase, phase, roundWith } from './phase.js'

/** How often each fault may happen, and the size of the model. */
export interface PhaseModelOptions {
  readonly peers: number
  readonly rounds: number
  /** By how many rounds a peer may be behind. */
  readonly lag?: number
  readonly crashes?: number
  readonly restarts?: number
  readonly cuts?: number
  /** How often an exchange of two peers stays open, so that neither is in the rows of the other. */
  readonly debts?: number
  /** The rules, or mutants of them. */
  readonly phaseOf?: (known: PhaseFacts) => PeerPhase
  readonly roundOf?: typeof roundWith
}

const faults = ['crashes', 'restarts', 'cuts', 'debts'] as const
type Fault = (typeof faults)[number]

/** 'finished' peers serve the others; those that have 'ended' did so until nobody needed them; 'lost' ones gave up. */
type Fate = 'here' | 'down' | 'finished' | 'ended' | 'lost'

interface Plain {
  readonly fate: Fate
  readonly hasBegun: boolean
  readonly life: number
  readonly round: number
  /** The round in which it began with its own state. */
  readonly firstRound: number
  /** Whether it has waited for others for as long as it may. */
  readonly hasHeld: boolean
  /** The peers that it knows to have finished. */
  readonly finished: readonly PeerName[]
}

export interface Group {
  readonly peers: Readonly<Record<PeerName, Plain>>
  /** Pairs that do not reach each other, and pairs with an open exchange. */
  readonly cut: readonly string[]
  readonly owing: readonly string[]
  readonly left: Readonly<Record<Fault, number>>
  /** What the last step did wrong. */
  readonly problem?: string
}

const fresh: Plain = { fate: 'here', hasBegun: false, life: 1, round: 0, firstRound: -1, hasHeld: false, finished: [] }

export function phaseModel(options: PhaseModelOptions): Model<Group> {
  const model = new PhaseModel(options)
  return {
    start: model.start,
    moves: (group) => model.moves(group),
    keyOf: (group) => JSON.stringify(group),
    problemOf: (group, isEnd) => model.problemOf(group, isEnd)
  }
}

/** What follows from a group for a peer: looked up often for the same group. */
class Kept<Value> {
  #group: Group | undefined
  readonly #values = new Map<PeerName, Value>()

  constructor(readonly find: (group: Group, name: PeerName) => Value) {}

  of(group: Group, name: PeerName): Value {
    if (this.#group !== group) this.#values.clear()
    this.#group = group
    const value = this.#values.get(name) ?? this.find(group, name)
    this.#values.set(name, value)
    return value
  }
}

class PhaseModel {
  readonly start: Group
  readonly #names: readonly PeerName[]
  readonly #rounds: number
  readonly #lag: number
  readonly #members = new Kept((group, name) => this.#findMembers(group, name))
  readonly #known = new Kept((group, name) => this.#look(group, name))
  readonly #phaseOf: (known: PhaseFacts) => PeerPhase
  readonly #roundOf: typeof roundWith

  constructor({ peers, rounds, lag = 1, phaseOf = phase, roundOf = roundWith, ...counts }: PhaseModelOptions) {
    this.#names = [...'abc'].slice(0, peers).map(peerName)
    this.#rounds = rounds
    this.#lag = lag
    this.#phaseOf = phaseOf
    this.#roundOf = roundOf
    const left = Object.fromEntries(faults.map((fault) => [fault, counts[fault] ?? 0])) as Group['left']
    this.start = { peers: Object.fromEntries(this.#names.map((name) => [name, fresh])), cut: [], owing: [], left }
  }

  moves(group: Group): readonly Move<Group>[] {
    const moves = [...this.#steps(group), ...this.#settled(group)]
    // The longest waits are longer than anything that others do meanwhile.
    const ends = moves.length > 0 ? [] : [...this.#ends(group)]
    return [...moves, ...ends, ...this.#faults(group)]
  }

  problemOf(group: Group, isEnd: boolean): string | undefined {
    if (group.problem !== undefined) return group.problem
    const training = this.#names.filter((name) => this.#isUp(group, name) && this.#phase(group, name) === 'training')
    for (const name of training) {
      const around = this.#around(group, name)
      const alone = training.find((other) => !around.includes(other))
      if (alone !== undefined) return `${name} and ${alone} train, and do not reach each other`
      if (!this.#mayGoOn(group, name)) return `${name} trains, and its group may not go on`
      if (this.#known.of(group, name).isAlone) return `${name} trains alone`
      if (group.peers[name].round >= this.#rounds) return `${name} trains on after the last round`
    }
    const stuck = this.#names.find((name) => this.#isUp(group, name))
    return isEnd && stuck !== undefined ? `${stuck} is ${this.#phase(group, stuck)} forever` : undefined
  }

  /** What each peer does by itself. */
  *#steps(group: Group): Iterable<Move<Group>> {
    for (const name of this.#names) {
      if (!this.#isUp(group, name)) continue
      const next = this.#acted(group, name)
      if (next !== undefined) yield this.#move(`${name} is ${this.#phase(group, name)}`, group, next)
      if (this.#isHeldBriefly(group, name))
        yield this.#move(`${name} has waited for the others`, group, this.#with(group, name, { hasHeld: true }))
    }
  }

  *#settled(group: Group): Iterable<Move<Group>> {
    for (const pair of group.owing) {
      if (group.cut.includes(pair) || !pair.split(' ').every((name) => this.#isUp(group, name as PeerName))) continue
      yield this.#move(`${pair} settle`, group, { ...group, owing: group.owing.filter((other) => other !== pair) })
    }
  }

  /** The longest waits are over. */
  *#ends(group: Group): Iterable<Move<Group>> {
    for (const name of this.#names) {
      if (!this.#isUp(group, name)) continue
      const found = this.#phase(group, name)
      if (found === 'finishing') yield this.#move(`${name} leaves`, group, this.#with(group, name, { fate: 'ended' }))
      if (found === 'finishing' || found === 'training') continue
      const longest = new LongestWait({ start: 100, pause: 100 }, 0, 1)
      const what = found === 'alone' || found === 'catching up' ? found : undefined
      if (longest.exceeded(1e9, group.peers[name].hasBegun, what) === undefined) continue
      const isNeedless = this.#mayGoOn(group, name) && !this.#lacksOthers(group, name, found)
      const problem = isNeedless ? `${name} gives up, though its group may go on` : undefined
      const next = this.#with(group, name, { fate: 'lost' })
      yield this.#move(`${name} gives up, ${found}`, group, problem === undefined ? next : { ...next, problem })
    }
  }

  /**
   * Whether a peer of a group that may go on waits all the same: not all are there to begin, or it reaches none of its
   * round.
   */
  #lacksOthers(group: Group, name: PeerName, found: PeerPhase): boolean {
    const { begun } = this.#members.of(group, name)
    if (found === 'entering') return begun.length === 0
    const usable = begun.filter((other) => group.peers[other].fate === 'here')
    return found === 'alone' && usable.every((other) => this.#isCut(group, name, other))
  }

  *#faults(group: Group): Iterable<Move<Group>> {
    for (const name of this.#names) {
      const { fate, life } = group.peers[name]
      if (this.#isUp(group, name)) yield* this.#fault('crashes', `${name} crashes`, group, name, { fate: 'down' })
      if (fate === 'down') yield* this.#fault('restarts', `${name} restarts`, group, name, { ...fresh, life: life + 1 })
    }
    for (const pair of this.#pairs) {
      if (group.cut.includes(pair)) {
        const cut = group.cut.filter((other) => other !== pair)
        yield { ...this.#move(`${pair} meet again`, group, { ...group, cut }), isFault: true }
      } else if (group.left.cuts > 0) {
        const left = { ...group.left, cuts: group.left.cuts - 1 }
        yield {
          ...this.#move(`${pair} are cut`, group, { ...group, left, cut: [...group.cut, pair].sort() }),
          isFault: true
        }
      }
      if (group.left.debts > 0 && !group.owing.includes(pair)) {
        const left = { ...group.left, debts: group.left.debts - 1 }
        const owing = [...group.owing, pair].sort()
        yield { ...this.#move(`${pair} owe each other`, group, { ...group, left, owing }), isFault: true }
      }
    }
  }

  *#fault(fault: Fault, label: string, group: Group, name: PeerName, change: Partial<Plain>): Iterable<Move<Group>> {
    if (group.left[fault] === 0) return
    const left = { ...group.left, [fault]: group.left[fault] - 1 }
    yield { ...this.#move(label, group, this.#with({ ...group, left }, name, change)), isFault: true }
  }

  get #pairs(): readonly string[] {
    return this.#names.flatMap((a) => this.#names.filter((b) => a < b).map((b) => `${a} ${b}`))
  }

  /** A step, after which all that reach each other know the same, and no round has gone back. */
  #move(label: string, before: Group, after: Group): Move<Group> {
    const peers = Object.fromEntries(
      this.#names.map((name) => {
        const around = this.#around(after, name)
        const finished = this.#names.filter(
          (other) =>
            around.some((seen) => after.peers[seen].finished.includes(other)) ||
            (around.includes(other) && hasFinished(after.peers[other]))
        )
        return [name, { ...after.peers[name], finished }]
      })
    )
    const back = this.#names.find((name) => {
      const old = before.peers[name]
      const now = after.peers[name]
      return old.fate !== 'down' && now.round < old.round
    })
    const problem = back === undefined ? after.problem : `the round of ${back} goes back`
    return { label, isFault: false, next: { ...after, peers, ...(problem !== undefined && { problem }) } }
  }

  #with(group: Group, name: PeerName, change: Partial<Plain>): Group {
    return { ...group, peers: { ...group.peers, [name]: { ...group.peers[name], ...change } } }
  }

  #isUp({ peers }: Group, name: PeerName): boolean {
    return peers[name].fate === 'here' || peers[name].fate === 'finished'
  }

  /** The peers that reach each other, with `name`, if it is there. */
  #around(group: Group, name: PeerName): readonly PeerName[] {
    const around = [name]
    for (const from of around)
      for (const to of this.#names)
        if (!around.includes(to) && this.#isUp(group, from) && this.#isUp(group, to) && !this.#isCut(group, from, to))
          around.push(to)
    return around
  }

  #isCut({ cut }: Group, a: PeerName, b: PeerName): boolean {
    return cut.includes([a, b].sort().join(' '))
  }

  /** Whether those that reach each other are at least two, and more than half of all but those that gave up. */
  #mayGoOn(group: Group, name: PeerName): boolean {
    const around = this.#around(group, name).length
    return around >= 2 && 2 * around > this.#names.filter((other) => group.peers[other].fate !== 'lost').length
  }

  /** What the membership tells a peer. */
  #findMembers(group: Group, name: PeerName) {
    const self = group.peers[name]
    const around = this.#around(group, name).filter((other) => other !== name)
    const begun = around.filter((other) => group.peers[other].hasBegun)
    const rounds = begun.map((other) => group.peers[other].round).sort((a, b) => a - b)
    const median = rounds.at((rounds.length - 1) >> 1)
    const upper = rounds.at(rounds.length >> 1) ?? Number.POSITIVE_INFINITY
    const isMain = this.#mayGoOn(group, name)
    const all = this.#names.filter((other) => group.peers[other].fate !== 'lost')
    const mayBegin =
      !self.hasBegun &&
      (median === undefined
        ? around.length + 1 === this.#names.length
        : self.life === 1 && median <= self.round + this.#lag)
    const unfinished = [name, ...around].filter((other) => !self.finished.includes(other)).length
    const hasResult =
      self.finished.length >= Math.max(1, Math.min(2, all.length - 1)) && self.finished.length >= unfinished
    const isBehind = median !== undefined && (self.hasBegun ? isMain && median - self.round > this.#lag : !mayBegin)
    const mayCome = all.filter((other) => !self.finished.includes(other) || around.includes(other))
    return {
      begun,
      isMain,
      mayBegin,
      hasResult,
      present: [name, ...around],
      isAhead: self.round - upper > this.#lag,
      isAnyJoining: around.some((other) => !group.peers[other].hasBegun),
      isTooLate: self.finished.length > 0 && 2 * mayCome.length <= all.length,
      finisher: around.find((other) => group.peers[other].fate === 'finished'),
      hasFinished: (peer: PeerName) => self.finished.includes(peer),
      donor: () => (isBehind ? begun.find((other) => group.peers[other].round >= (median ?? 0)) : undefined),
      reunion: undefined
    }
  }

  /** The peer whose model a peer needs. */
  #donor(group: Group, name: PeerName): PeerName | undefined {
    const { hasBegun, round } = group.peers[name]
    const end = { isNear: () => false }
    const run = {
      round,
      isAtOwnPace: false,
      end,
      nextExchange: (next: number) => (next < this.#rounds ? next : undefined)
    }
    const sendTo = this.#names.filter((other) => other !== name).map((other) => ({ name: other }))
    const topology = { mixing: () => ({ sendTo }) } as unknown as Topology
    const member = this.#members.of(group, name) as unknown as Member
    const trainee = { run: run as unknown as TraineeRun } as Trainee
    return new CatchingUp(member, trainee, name, { topology }).donor(hasBegun, 0)
  }

  #phase(group: Group, name: PeerName): PeerPhase {
    return this.#phaseOf(this.#known.of(group, name))
  }

  #look(group: Group, name: PeerName): PhaseFacts {
    const { fate, hasBegun, round, firstRound, hasHeld } = group.peers[name]
    const seen = this.#members.of(group, name)
    const own = { isFirst: round === firstRound, isAtOwnPace: false, lastSign: 0, aloneSince: undefined }
    const usable = seen.begun.filter((other) => group.peers[other].fate === 'here')
    return {
      hasFinished: fate === 'finished',
      hasBegun,
      needsModel: this.#donor(group, name) !== undefined,
      isPaused: hasBegun && !seen.isMain,
      awaitsOthers: hasBegun && !hasHeld && isBeforeOthers(seen, own),
      isAlone: usable.length > 0 && usable.every((other) => group.owing.includes([name, other].sort().join(' ')))
    }
  }

  #isHeldBriefly(group: Group, name: PeerName): boolean {
    const known = this.#known.of(group, name)
    return this.#phaseOf(known) === 'held' && known.awaitsOthers && !known.isPaused
  }

  /** The group after a peer has acted as its phase says; undefined where it only waits. */
  #acted(group: Group, name: PeerName): Group | undefined {
    const self = group.peers[name]
    const seen = this.#members.of(group, name)
    const found = this.#phase(group, name)
    const isLate = seen.isTooLate && !seen.isMain && self.hasBegun && self.fate === 'here'
    if (isLate && found !== 'catching up') return this.#with(group, name, { fate: 'lost' })
    switch (found) {
      case 'entering':
        return seen.mayBegin ? this.#with(group, name, { hasBegun: true, firstRound: self.round }) : undefined
      case 'catching up':
        return this.#caughtUp(group, name)
      case 'training': {
        const round = self.round + 1
        const fate = round >= this.#rounds ? 'finished' : 'here'
        return this.#with(group, name, { round, fate, hasHeld: false })
      }
      case 'finishing': {
        const isDone = seen.present.every((other) => group.peers[other].fate === 'finished')
        return isDone ? this.#with(group, name, { fate: 'ended' }) : undefined
      }
      case 'held':
      case 'alone':
        return undefined
    }
  }

  /** A peer that pauses gives no state. */
  #caughtUp(group: Group, name: PeerName): Group | undefined {
    const donor = this.#donor(group, name)
    if (donor === undefined) return undefined
    const { fate, round: taken } = group.peers[donor]
    if (fate !== 'finished' && this.#known.of(group, donor).isPaused) return undefined
    const self = group.peers[name]
    const next = this.#roundOf(self.round, taken, false)
    if (next === undefined) return undefined
    const round = Math.min(next, this.#rounds)
    const ended = round >= this.#rounds ? ({ fate: 'finished' } as const) : {}
    return this.#with(group, name, { round, hasBegun: true, life: self.life + 1, hasHeld: false, ...ended })
  }
}

function hasFinished({ fate }: Plain): boolean {
  return fate === 'finished' || fate === 'ended'
}
