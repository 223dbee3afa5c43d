import {
  deferred,
  InputError,
  type Milliseconds,
  NeighboursMissingError,
  type PeerName,
  type Schema,
  type SendResult
} from '@murmuration/core'
import { differenceOf, type FrameHeader, lengthOf, targets } from '@murmuration/vectors'
import { Bell } from './bell.js'
import { realClock } from './clock.js'
import type { RegionMessage } from './control-messages.js'
import type { Opening } from './frame-reader.js'
import { Region, type Version } from './region.js'
import type { Parcel } from './send-queue.js'

/** Numbers to be written to a region, from its number `offset` on. They must not change until they are acknowledged. */
export interface Stretch {
  readonly offset: number
  readonly vector: Float32Array
}

/** What to read. */
export interface ReadOptions {
  /** The least version that will do; the newest one when absent, whole or still zeros. */
  readonly version?: number
  /** Where to write it; memory of its own when absent. As long as the region. */
  readonly out?: Float32Array
}

/** A region that a neighbour has registered for this peer. Each wait ends after `patience`, 30 s unless another is given. */
export interface RemoteRegion {
  /**
   * Writes a version, which the neighbour sees when it has all of it. What no stretch covers keeps its values. Stretches come in the
   * order of their offsets. Resolves when the neighbour has acknowledged it. To write the next one before is allowed.
   */
  write(version: number, ...stretches: readonly Stretch[]): Promise<void>
  /** Reads a whole version, without any doing of the neighbour's program. */
  read(options?: ReadOptions): Promise<Version>
}

/** How the regions of a neighbour reach it. */
export interface RegionLink {
  readonly self: PeerName
  readonly neighbour: PeerName
  /** Says something, if the neighbour can hear it now. */
  say(message: RegionMessage): void
  offer(parcel: Parcel): SendResult
  /** To be called when a region has room again. */
  roomAgain(): void
}

/** A region as this peer expects the neighbour to have it. */
interface Wanted {
  readonly name: string
  readonly schema: Schema
  readonly length: number
}

interface Question {
  readonly region: string
  readonly version: number
  readonly until: Milliseconds
  readonly vector: Float32Array
  readonly settle: (result: Version | Error) => void
}

interface Remote {
  readonly number: number
  readonly schema: Schema
}

/** The most questions of a neighbour that wait for an answer at once. */
const questionsMost = 16

/** The regions that this peer and one neighbour have for each other. */
export class Regions {
  readonly #link: RegionLink
  /** Rung when something has changed that somebody may wait for: a version, a region of the neighbour, room in the queue. */
  readonly changed = new Bell()
  readonly #own: { readonly name: string; readonly schema: Schema; readonly region: Region }[] = []
  readonly #remote = new Map<string, Remote>()
  readonly #questions = new Map<number, Question>()
  #asked = 0
  #answering = 0
  #stopped: Error | undefined

  constructor(link: RegionLink) {
    this.#link = link
  }

  /** Whether a region of this peer has no room for another version. */
  get full(): boolean {
    return this.#own.some(({ region }) => region.full)
  }

  /** A region of this peer that the neighbour may write and read. Its memory is taken now. */
  register(name: string, schema: Schema): Region {
    if (this.#own.some((own) => own.name === name)) throw new Error(`a region "${name}" is registered already`)
    const region = new Region(lengthOf(schema), this.changed, () => this.#link.roomAgain())
    this.#own.push({ name, schema, region })
    this.#link.say({ kind: 'region', number: this.#own.length, name, schema })
    return region
  }

  /** The neighbour's region of this name, registered by it before or later with the same schema. */
  remote(name: string, schema: Schema, patience: Milliseconds = 30_000): RemoteRegion {
    const wanted = { name, schema, length: lengthOf(schema) }
    return {
      write: (version, ...stretches) => this.#write(wanted, version, stretches, realClock.now() + patience),
      read: (options = {}) => this.#read(wanted, options, realClock.now() + patience)
    }
  }

  /** Says again what the neighbour has to know, after a handshake. */
  announce(): void {
    for (const [index, { name, schema }] of this.#own.entries()) {
      this.#link.say({ kind: 'region', number: index + 1, name, schema })
    }
    for (const [number, question] of this.#questions) this.#ask(number, question)
  }

  /** Takes in what the neighbour says of regions. */
  hear(message: RegionMessage): void {
    if (message.kind === 'unread') {
      this.#questions
        .get(message.question)
        ?.settle(new Error(`"${this.#link.neighbour}" does not give it: ${message.why}`))
    } else if (message.kind === 'read') {
      void this.#answer(message)
    } else {
      this.#remote.set(message.name, { number: message.number, schema: message.schema })
      for (const [number, question] of this.#questions)
        if (question.region === message.name) this.#ask(number, question)
      this.changed.ring()
    }
  }

  /** Where a vector goes that begins to come. */
  open({ target, number, kind, round, offset, length }: FrameHeader): Opening {
    if (target === targets.answer) return this.#openAnswer(number, length)
    const region = this.#own[number - 1]?.region
    if (region === undefined) return { kind: 'fault', fault: 'region', detail: `no region ${number} is registered` }
    const vector = kind > 1 ? `${kind} is no kind of write` : region.place(round, offset, length)
    return typeof vector === 'string' ? { kind: 'fault', fault: 'region', detail: vector } : { kind: 'into', vector }
  }

  /** A vector is whole. */
  whole({ target, number, kind, round, offset, length }: FrameHeader): void {
    if (target === targets.region) return this.#own[number - 1]?.region.wrote(offset, length, kind === 1)
    const question = this.#questions.get(number)
    question?.settle({ version: round, vector: question.vector })
  }

  /** A vector has come that cannot be used. */
  spoilt({ target, number, kind, offset, length }: FrameHeader): void {
    if (target === targets.region) this.#own[number - 1]?.region.spoil(offset, length, kind === 1)
    if (target === targets.answer) this.#questions.get(number)?.settle(new Error('what came is not finite'))
  }

  /** Ends all waits. */
  stop(reason: Error): void {
    this.#stopped = reason
    for (const { settle } of [...this.#questions.values()]) settle(reason)
    this.changed.ring()
  }

  async #write(wanted: Wanted, version: number, stretches: readonly Stretch[], until: Milliseconds): Promise<void> {
    const { name } = wanted
    checkStretches(wanted, stretches)
    const { number } = await this.#known(wanted, until)
    let [left, lost] = [stretches.length, false]
    const onGone = (acknowledged: boolean) => {
      left--
      lost ||= !acknowledged
    }
    for (const [index, { offset, vector }] of stretches.entries()) {
      const kind = index === stretches.length - 1 ? 1 : 0
      const parcel = { target: targets.region, kind, round: version, number, offset, vector, onGone }
      while (this.#link.offer(parcel) !== 'queued') await this.#wait(until, `taking version ${version} of "${name}"`)
    }
    const what = `acknowledging version ${version} of "${name}"`
    while (left > 0) await this.#wait(until, what)
    if (lost) throw this.#missing(what)
  }

  async #read(wanted: Wanted, { version = 0, out }: ReadOptions, until: Milliseconds): Promise<Version> {
    const { name, length } = wanted
    const vector = out ?? new Float32Array(length)
    if (vector.length !== length) throw new RangeError(`room for ${vector.length} numbers, and "${name}" has ${length}`)
    await this.#known(wanted, until)
    const number = ++this.#asked
    const result = deferred<Version>()
    const late = () => settle(this.#missing(`giving version ${version} of "${name}"`))
    const settle = (value: Version | Error) => {
      callOff()
      this.#questions.delete(number)
      if (value instanceof Error) result.reject(value)
      else result.resolve(value)
    }
    const callOff = realClock.at(until, late)
    const question = { region: name, version, until, vector, settle }
    this.#questions.set(number, question)
    this.#ask(number, question)
    return result.promise
  }

  #ask(question: number, { region, version, until }: Question): void {
    const remote = this.#remote.get(region)
    const patience = Math.max(0, until - realClock.now())
    if (remote !== undefined) this.#link.say({ kind: 'read', question, region: remote.number, version, patience })
  }

  #openAnswer(number: number, length: number): Opening {
    const question = this.#questions.get(number)
    if (question === undefined) return { kind: 'skip' }
    const { vector, region, settle } = question
    if (vector.length === length) return { kind: 'into', vector }
    settle(new Error(`"${region}" came with ${length} numbers instead of ${vector.length}`))
    return { kind: 'skip' }
  }

  async #answer({
    question,
    region: number,
    version,
    patience
  }: Extract<RegionMessage, { kind: 'read' }>): Promise<void> {
    const refuse = (why: string) => this.#link.say({ kind: 'unread', question, why })
    const region = this.#own[number - 1]?.region
    if (region === undefined) return refuse(`no region ${number} is registered`)
    if (this.#answering >= questionsMost) return refuse(`${questionsMost} questions wait already`)
    this.#answering++
    const there = await region.reached(version, realClock.now() + Math.min(patience, 600_000), () => realClock.now())
    this.#answering--
    if (!there) return refuse(`it has no version ${version} yet`)
    const lent = region.lend()
    const sent = this.#link.offer({
      target: targets.answer,
      kind: 0,
      round: lent.version,
      number: question,
      offset: 0,
      vector: lent.vector,
      onGone: () => region.release()
    })
    if (sent === 'queued') return
    region.release()
    refuse('the queue is full')
  }

  /** The neighbour's region, once it has said that it has it. */
  async #known({ name, schema }: Wanted, until: Milliseconds): Promise<Remote> {
    for (;;) {
      const remote = this.#remote.get(name)
      const difference = remote && differenceOf(schema, remote.schema)
      if (difference !== undefined)
        throw new InputError(`the region "${name}" of ${this.#link.neighbour}: ${difference}`)
      if (remote !== undefined) return remote
      await this.#wait(until, `registering "${name}"`)
    }
  }

  async #wait(until: Milliseconds, what: string): Promise<void> {
    if (this.#stopped !== undefined) throw this.#stopped
    if (realClock.now() >= until) throw this.#missing(what)
    await this.changed.wait(until)
    if (this.#stopped !== undefined) throw this.#stopped
  }

  #missing(what: string): NeighboursMissingError {
    const { self, neighbour } = this.#link
    return new NeighboursMissingError([neighbour], `${self} waited for ${neighbour} in vain, for ${what}`)
  }
}

/** Throws a RangeError for what the neighbour could not take, before anything is sent. */
function checkStretches({ name, length }: Wanted, stretches: readonly Stretch[]): void {
  if (stretches.length === 0) throw new RangeError(`a version of "${name}" without numbers was to be written`)
  let next = 0
  for (const { offset, vector } of stretches) {
    const end = offset + vector.length
    if (offset < next || end > length) {
      throw new RangeError(
        `numbers ${offset} to ${end - 1} of "${name}", which has ${length}, after number ${next - 1}`
      )
    }
    next = end
  }
}
