/**
 * Watches a simulated run in epochs. E1: an epoch has one value. E2: its members contain a quorum of the last one's.
 * E3: a session takes only messages of its epoch, and nothing once it is closed. E4: all members begin with the same
 * bits. E5: what a peer has promised stays until the next epoch. E6: it promises only in the life in which it is a
 * member. E7: an epoch begins with the mean of the models of its givers. E8: rounds do not decrease. E9, that a run
 * without a fault is the one without membership, is in try-epochs.ts.
 */
import type { Algorithm, ElasticSession, Epoch, Members, Saved, State, Vector } from '@murmuration/algorithms'
import type { Milliseconds, PeerName, StepReport } from '@murmuration/core'
import { SessionsWatch } from './sessions-watch.js'

/** What is said of an epoch in a note. */
interface ToldNote {
  readonly kind: string
  readonly epoch: number
  readonly standing?: { readonly opened: number; readonly round: number; readonly hasModel: boolean }
  readonly decisions?: readonly { readonly value: Epoch }[]
  readonly value?: Epoch
}

/** What a peer had when it promised to stop. */
interface Given {
  readonly model: Float32Array
  readonly carried: Saved | undefined
  /** What it said of itself; unknown of a proposer. */
  readonly standing: string | undefined
  /** The last epoch that it had begun. */
  readonly opened: number
}

/** A vector with which an epoch begins, and its counterpart in what a giver had. */
interface Mean {
  readonly epoch: Epoch
  readonly what: string
  readonly mean: Float32Array
  readonly of: (given: Given) => Float32Array | undefined
}

export interface WatchedRun {
  readonly algorithm: Algorithm
  /** Whether the models of all peers are equal in every round. */
  readonly areEqual: boolean
  readonly hasOwnPace: boolean
}

/** More are not reported. */
const maxFindings = 10
/** The mean of float32 numbers may differ by this fraction of the largest of them. */
const rounding = 2 ** -22

export class EpochWatch {
  readonly run: WatchedRun
  readonly #found = new Set<string>()
  /** By number, each epoch as it was decided. */
  readonly values = new Map<number, Epoch>()
  readonly #given = new Map<number, Map<PeerName, Given>>()
  /** Each peer that has proposed, and its epoch. */
  readonly proposers = new Set<string>()
  readonly #means = new Map<string, Mean>()
  /** By epoch and what begins: its bits, and the peer that began with them first. */
  readonly #beginnings = new Map<string, { readonly bits: string; readonly first: PeerName }>()
  /** The present process of each peer. */
  readonly processes = new Map<PeerName, ProcessWatch>()
  readonly sessions: SessionsWatch
  #steppedAt: Milliseconds | undefined
  /** The longest time in which no peer has ended a round. */
  longestPause: { readonly time: Milliseconds; readonly until: Milliseconds } = { time: 0, until: 0 }
  /** The process that begins an epoch now: until its session starts, no other process does anything. */
  beginning: ProcessWatch | undefined

  constructor(run: WatchedRun) {
    this.run = run
    this.sessions = new SessionsWatch((what) => this.find(what))
    this.sessions.inherits = (left) => this.beginning?.inherits(left)
  }

  get findings(): readonly string[] {
    this.sessions.check()
    for (const { epoch, what, mean, of } of this.#means.values()) this.#checkMean(epoch, what, mean, of)
    return [...this.#found]
  }

  /** Whether any peer has begun to train. */
  get hasBegun(): boolean {
    return this.values.size > 0
  }

  find(what: string): void {
    if (this.#found.size < maxFindings) this.#found.add(what)
  }

  process(self: PeerName): ProcessWatch {
    const process = new ProcessWatch(this, self, this.processes.get(self)?.life ?? 0)
    this.processes.set(self, process)
    return process
  }

  /** E1 and E2: an epoch has one value, and its members contain a quorum of those of the last one. */
  decided(epoch: Epoch, by: PeerName): void {
    const known = this.values.get(epoch.number)
    if (known !== undefined) {
      if (textOf(known) !== textOf(epoch)) this.find(`E1: ${by} has epoch ${textOf(epoch)}, others ${textOf(known)}`)
      return
    }
    this.values.set(epoch.number, epoch)
    const last = this.values.get(epoch.number - 1)
    if (last !== undefined && !isQuorumOf(last, epoch.members))
      this.find(`E2: epoch ${epoch.number} has no quorum of the last one: ${textOf(epoch)}, ${textOf(last)}`)
  }

  /** E4: all members begin an epoch with the same. */
  begins(self: PeerName, epoch: number, what: string, bits: string): void {
    const key = `${epoch} ${what}`
    const known = this.#beginnings.get(key)
    if (known === undefined) this.#beginnings.set(key, { bits, first: self })
    else if (known.bits !== bits)
      this.find(`E4: ${self} begins epoch ${epoch} with another ${what} than ${known.first}`)
  }

  /** Some peer has ended a round. */
  stepped(now: Milliseconds): void {
    const time = now - (this.#steppedAt ?? now)
    if (time > this.longestPause.time) this.longestPause = { time, until: now }
    this.#steppedAt = now
  }

  gives(self: PeerName, epoch: number, given: Given): void {
    const all = this.#given.get(epoch) ?? new Map<PeerName, Given>()
    this.#given.set(epoch, all)
    all.set(self, given)
  }

  givenBy(peer: PeerName, epoch: number): Given | undefined {
    return this.#given.get(epoch)?.get(peer)
  }

  /** What an epoch begins with, the same at all members. */
  beginsWith(epoch: Epoch, what: string, mean: Float32Array, of: Mean['of']): void {
    this.#means.set(`${epoch.number} ${what}`, { epoch, what, mean: mean.slice(), of })
  }

  /** E7: what an epoch begins with is the mean of what its givers had. */
  #checkMean(epoch: Epoch, what: string, mean: Float32Array, of: Mean['of']): void {
    const { givers, number } = epoch
    const missing = givers.filter((name) => this.givenBy(name, number) === undefined)
    const silent = missing.filter((name) => !this.proposers.has(`${name} ${number}`))
    if (silent.length > 0) this.find(`E7: ${silent.join()} gave to epoch ${number} without a promise`)
    // What a proposer that has died gave is unknown.
    if (missing.length > 0) return
    const opened = givers.flatMap((name) => this.givenBy(name, number)?.opened ?? [])
    if (opened.some((other) => other !== opened[0]))
      this.find(`E7: the givers of epoch ${number} have begun different epochs: ${opened.join()}`)
    const models = givers.flatMap((name) => {
      const given = this.givenBy(name, number)
      return (given && of(given)) ?? []
    })
    if (models.length < givers.length) return this.find(`E7: a giver of epoch ${number} had no ${what}`)
    const areEqual = models.every((model) => bitsOf(model) === bitsOf(models[0]))
    if (this.run.areEqual && what === 'model' && !areEqual)
      this.find(`E7: the givers' models of epoch ${number} differ`)
    const wrong = mean.findIndex((value, index) => {
      const sum = models.reduce((total, model) => total + model[index], 0)
      const scale = Math.max(...models.map((model) => Math.abs(model[index])))
      const expected = Math.fround(sum / models.length)
      return areEqual ? value !== models[0][index] : Math.abs(value - expected) > rounding * scale
    })
    if (wrong >= 0 || models[0]?.length !== mean.length)
      this.find(`E7: the ${what} with which epoch ${number} begins is not the mean of its givers: ${textOf(epoch)}`)
  }
}

/** One process of a peer. */
export class ProcessWatch {
  readonly #watch: EpochWatch
  readonly self: PeerName
  readonly #lastLife: number
  #session: ElasticSession | undefined
  #members: Members | undefined
  #arena: Vector['arena'] | undefined
  #reported: { readonly round: number; readonly epoch: number } | undefined
  /** The last epoch that it has opened. */
  #opened = 0
  /** The last epoch that it has said to know. */
  #told = -1
  /** The last epoch to which it has promised. */
  #promisedTo = -1
  #standing: { readonly opened: number; readonly round: number; readonly epoch: number } | undefined

  /** @param lastLife - the life that the peer's process before this one has shown; 0 if there was none */
  constructor(watch: EpochWatch, self: PeerName, lastLife: number) {
    this.#watch = watch
    this.self = self
    this.#lastLife = lastLife
  }

  /** Whether it has begun the run again, since all that knew of its earlier life were gone. */
  get isAnew(): boolean {
    return this.life > 0 && this.life <= this.#lastLife
  }

  /** The life that it shows; 0 before it has begun. */
  get life(): number {
    return this.#members?.life ?? 0
  }

  /** The last epoch that it knows to be decided, once it has begun. */
  get known(): Epoch | undefined {
    return this.#watch.values.get(Math.max(this.#told, this.#session?.epoch.number ?? -1))
  }

  begins(session: ElasticSession, members: Members): void {
    this.#session = session
    this.#members = members
  }

  /** It has begun an epoch after the first one. */
  opened(epoch: Epoch): void {
    this.#watch.decided(epoch, this.self)
    const left = this.#arena && this.#watch.sessions.leftBy(this.#arena)
    if (left !== undefined) this.#gives({ ...left, standing: undefined, opened: this.#opened }, epoch.number)
    this.#opened = epoch.number
    this.#watch.beginning = this
  }

  inherits(left: Saved | undefined): void {
    const { epoch } = this.#session ?? {}
    if (epoch === undefined || epoch.servers.includes(this.self)) return
    const { vectors = new Map<string, Float32Array>(), tree } = left ?? {}
    const bits = [JSON.stringify(tree), ...[...vectors].map(([name, vector]) => `${name} ${bitsOf(vector)}`)]
    this.#watch.begins(this.self, epoch.number, 'state', bits.join())
    for (const [name, vector] of vectors)
      this.#watch.beginsWith(epoch, name, vector, ({ carried }) => carried?.vectors.get(name))
  }

  /** The record's start, with which the training of an epoch begins. */
  started({ x }: { readonly x: Vector }): void {
    this.#watch.beginning = undefined
    const { epoch } = this.#session ?? {}
    if (epoch === undefined) return
    const { number } = epoch
    if (number === 0) this.#watch.decided(epoch, this.self)
    if (this.#arena !== undefined && !this.#watch.sessions.isClosed(this.#arena))
      this.#watch.find(`E3: ${this.self} begins epoch ${number} before the session of the last one has closed`)
    this.#arena = x.arena
    this.#watch.sessions.begins(this.self, x.arena, number)
    this.#watch.begins(this.self, number, 'model', bitsOf(x.values))
    if (number > 0) this.#watch.beginsWith(epoch, 'model', x.values, ({ model }) => model)
  }

  /** A note of this peer. */
  tells(text: string): void {
    if (!text.startsWith('E{')) return
    const note = JSON.parse(text.slice(1)) as ToldNote
    for (const { value } of note.decisions ?? []) this.#watch.decided(value, this.self)
    if (note.kind === 'latest' && note.value !== undefined) this.#watch.decided(note.value, this.self)
    if (['news', 'join', 'done'].includes(note.kind)) this.#told = Math.max(this.#told, note.epoch)
    if (note.kind === 'prepare') this.#watch.proposers.add(`${this.self} ${note.epoch}`)
    if (note.kind === 'promise') this.#promises(note)
  }

  /** E8: rounds do not decrease, unless this peer was outside. */
  stepped({ round, epoch = 0 }: StepReport, now: Milliseconds): void {
    this.#watch.stepped(now)
    const last = this.#reported
    this.#reported = { round, epoch }
    if (last === undefined || this.#watch.run.hasOwnPace || round >= last.round) return
    if (!this.#wasOutside(last.epoch, epoch))
      this.#watch.find(`E8: ${this.self} reports round ${round} after ${last.round}`)
  }

  /** E5 and E6. */
  #promises({ epoch, standing }: ToldNote): void {
    const last = this.#watch.values.get(epoch - 1)
    const isMember = last?.members.some(({ name, life }) => name === this.self && life === this.life)
    if (isMember === false) this.#watch.find(`E6: ${this.self} promises in life ${this.life}, of epoch ${textOf(last)}`)
    this.#stands(epoch, String(JSON.stringify(standing)))
    const before = this.#standing
    // A server reports no rounds, and those of workers count.
    if (standing?.hasModel !== true) return
    this.#standing = { ...standing, epoch }
    if (before === undefined || this.#watch.run.hasOwnPace || this.#wasOutside(before.epoch - 1, epoch - 1)) return
    if (standing.round < before.round || standing.opened < before.opened)
      this.#watch.find(`E8: ${this.self} stands in ${JSON.stringify(standing)} after ${JSON.stringify(before)}`)
  }

  #stands(epoch: number, standing: string): void {
    const kept = this.#session?.parameters ?? new Float32Array(0)
    const known = this.#promisedTo === epoch ? this.#watch.givenBy(this.self, epoch) : undefined
    this.#promisedTo = epoch
    if (known === undefined) {
      const carried = this.#watch.sessions.carriedBeside(kept)
      return this.#gives({ model: kept.slice(), carried, standing, opened: this.#opened }, epoch)
    }
    if (standing !== known.standing || bitsOf(kept) !== bitsOf(known.model))
      this.#watch.find(`E5: ${this.self} has promised ${known.standing} to epoch ${epoch}, and then ${standing}`)
  }

  /** A proposer tells nobody of its own promise: it keeps the same since the last epoch that it has opened. */
  #gives(given: Given, epoch: number): void {
    for (let number = this.#opened + 1; number <= epoch; number++)
      if (this.#watch.givenBy(this.self, number) === undefined) this.#watch.gives(this.self, number, given)
  }

  /** Whether it was no member of some epoch after one of these and up to the other. */
  #wasOutside(after: number, to: number): boolean {
    for (let number = after + 1; number <= to; number++) {
      const epoch = this.#watch.values.get(number)
      if (epoch?.members.some(({ name, life }) => name === this.self && life === this.life) !== true) return true
    }
    return false
  }
}

/** A record whose start is watched, in each of its roles. */
export function watchedStart(record: Algorithm, process: ProcessWatch, started: () => void): Algorithm {
  const { server } = record
  const watched = <Start extends (origin: { readonly x: Vector; readonly zero: Vector }, node: never) => State>(
    start: Start
  ) =>
    ((origin, node) => {
      started()
      process.started(origin)
      return start(origin, node)
    }) as Start
  return {
    ...record,
    start: watched(record.start.bind(record)),
    ...(server && { server: { ...server, start: watched(server.start.bind(server)) } })
  }
}

/** More than half of an epoch's places, or of two halves the one with the first name. */
export function isQuorumOf(
  { members }: Epoch,
  places: readonly Pick<Epoch['members'][number], 'name' | 'life'>[]
): boolean {
  const isAmong = (place: Epoch['members'][number]) =>
    places.some(({ name, life }) => name === place.name && life === place.life)
  const count = members.filter(isAmong).length
  return 2 * count > members.length || (2 * count === members.length && count > 0 && isAmong(members[0]))
}

function textOf(epoch: Epoch | undefined): string {
  return JSON.stringify(epoch)
}

/** The bits of numbers, as text. */
export function bitsOf(numbers: Float32Array): string {
  return new Uint32Array(numbers.slice().buffer).join()
}
