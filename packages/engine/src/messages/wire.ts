/** Converts messages to what a fabric carries, and back. */
import type { PeerName, SendResult } from '@murmuration/core'
import type { VectorMessage } from '@murmuration/wire'
import type { NumberField } from '../record/number-fields.js'
import type { Message, Shape, VectorKind } from '../record/record.js'
import type { Owner } from './owner.js'
import { type EdgeHeader, readHeader, usualHeader } from './header.js'
import type { Range, Vector } from '../vectors/vector.js'

/** The size of a message beyond its numbers, counted as numbers. */
export const overhead = 256

const empty = new Float32Array(0)

/** How many messages of one sender may be incomplete at a time. If there are more, something is lost for good. */
const maxIncomplete = 4

/** A message of which some parts have arrived. */
interface Incomplete {
  readonly tag: number
  readonly has: Uint8Array
  readonly vectors: Float32Array[]
  numbers: readonly number[]
  lacks: number
}

/** The result of a part of a message: the whole message with its last part; nothing yet; or the sender's fault. */
export type Opened = Message | undefined | string

/** Sends and receives messages of one shape: a fabric carries one vector at a time, with a few numbers. */
export class Wire {
  readonly #owner: Owner
  readonly #kind: number
  readonly #fields: Fields
  /** Whether vectors are sent in parts. */
  readonly #isSplit: boolean
  readonly #parts: number
  /** Whether a header may be sent with the fields. */
  readonly #hasHeaders: boolean
  /** That of the message which `open` returned last. */
  header = usualHeader
  #incomplete: Map<PeerName, Incomplete[]> | undefined

  /**
   * @param kind - the number of the channel, the same at all peers
   * @param hasHeaders - whether a header may be sent with the fields
   */
  constructor(owner: Owner, kind: number, shape: Shape, hasHeaders = false) {
    const fields = fieldsOf(shape)
    this.#owner = owner
    this.#kind = kind
    this.#hasHeaders = hasHeaders
    this.#fields = fields
    this.#isSplit = fields.carries === 'vectors' && owner.ranges.length > 1
    this.#parts = fields.vectors.length * (this.#isSplit ? owner.ranges.length : 1)
  }

  /** Whether messages carry ranges of the parameters. */
  get carries(): Carried {
    return this.#fields.carries
  }

  /** Whether a message carries this range of the parameters; always true where no ranges are carried. */
  isOf(message: Message, { offset, length }: Range): boolean {
    if (this.#fields.carries === 'vectors') return true
    const vector = message[this.#fields.vectors[0]] as Vector
    return vector.offset === offset && vector.length === length
  }

  /** The most numbers that a message's vectors hold. */
  get size(): number {
    return Math.max(1, this.#fields.vectors.length * this.#owner.length)
  }

  /** The size of a message, in numbers. */
  sizeOf(message: Message | undefined): number {
    if (message === undefined) return 0
    let size = overhead
    for (const field of this.#fields.vectors) size += (message[field] as Vector).length
    return size
  }

  /** Sends the parts of a message until one is refused, since each needs all others. */
  send(to: PeerName, round: number, part: number, message: Message, offset = 0, header = none): SendResult {
    const owner = this.#owner
    const kind = this.#kind
    let numbers =
      this.#fields.numbers.length === 0 ? none : this.#fields.numbers.map((field) => message[field] as number)
    if (header.length > 0) numbers = [...numbers, ...header]
    if (this.#fields.vectors.length === 0)
      return owner.send(to, { kind, round, part, field: 0, numbers, offset, vector: empty })
    for (let field = 0; field < this.#fields.vectors.length; field++) {
      const { values: vector } = message[this.#fields.vectors[field]] as Vector
      const whole = { kind, round, part, field, numbers, offset, vector, packed: this.#fields.packed[field] }
      const result = this.#isSplit ? this.#sendRanges(to, whole) : owner.send(to, whole)
      if (result !== 'queued') return result
      numbers = none
    }
    return 'queued'
  }

  #sendRanges(to: PeerName, whole: VectorMessage): SendResult {
    for (const { offset, length } of this.#owner.ranges) {
      const numbers = offset === 0 ? whole.numbers : none
      const vector = whole.vector.subarray(offset, offset + length)
      const result = this.#owner.send(to, { ...whole, numbers, offset, vector })
      if (result !== 'queued') return result
    }
    return 'queued'
  }

  /** Pins the vectors of a message (`change` 1) or unpins them (−1). */
  pin(message: Message, change: 1 | -1): void {
    for (const field of this.#fields.vectors) (message[field] as Vector).pins += change
  }

  /** Hands the vectors of a kept message to the current round. */
  adopt(message: Message): void {
    for (const field of this.#fields.vectors) {
      const vector = message[field] as Vector
      vector.pins--
      vector.isOfRound = true
    }
  }

  /** The message that this part completes. The wire owns the memory of the part from now on, unless it is a fault. */
  open(from: PeerName, tag: number, part: VectorMessage): Opened {
    const problem = this.#problemOf(part)
    if (problem !== undefined) return problem
    const { vector, numbers = none } = part
    if (this.#parts > 1) return this.#assemble(from, tag, part)
    if (this.#fields.vectors.length === 1 && numbers.length === 0) {
      this.header = usualHeader
      return { [this.#fields.vectors[0]]: this.#owner.arena.adopt(vector, part.offset) }
    }
    return this.#message([vector], numbers, part.offset)
  }

  #problemOf({ field = 0, offset = 0, numbers = none, vector: { length } }: VectorMessage): string | undefined {
    const { length: whole, ranges } = this.#owner
    const fields = this.#fields.vectors.length
    if (field >= Math.max(1, fields)) return `a message has no vector number ${field}`
    const range = this.#isSplit ? ranges[indexOf(ranges, offset)] : undefined
    const expected = field === 0 && (range?.offset ?? 0) === 0 ? this.#fields.numbers.length : 0
    if (numbers.length !== expected && !(this.#hasHeaders && field === 0 && (range?.offset ?? 0) === 0))
      return `${numbers.length} numbers beside a vector; ${expected} are expected`
    for (const number of numbers) if (!Number.isFinite(number)) return 'a number is NaN or infinite'
    for (let index = 0; index < expected; index++) {
      const allowed = this.#fields.allowed[index]
      if (allowed === undefined || allowed.isAllowed(numbers[index], this.#owner)) continue
      return `${this.#fields.numbers[index]} is ${numbers[index]}; expected: ${allowed.allowed(this.#owner)}`
    }
    if (numbers.length !== expected && readHeader(numbers.slice(expected)) === undefined)
      return `the numbers ${numbers.slice(expected).join(', ')} beside a vector are not the terms of an exchange`
    if (fields === 0) return length === 0 ? undefined : `${length} parameters where none are expected`
    if (this.#fields.carries !== 'vectors' && offset + length <= whole) return undefined
    if (this.#isSplit ? range?.length === length : offset === 0 && length === whole) return undefined
    return `${length} parameters from index ${offset}, of ${whole}: no such range is exchanged`
  }

  #assemble(from: PeerName, tag: number, { field = 0, offset = 0, numbers = none, vector }: VectorMessage): Opened {
    const { fabric, ranges } = this.#owner
    const range = this.#isSplit ? indexOf(ranges, offset) : 0
    const index = this.#isSplit ? field * ranges.length + range : field
    const incomplete = this.#incompleteOf(from, tag, index)
    if (incomplete.has[index] === 1) return 'a part of a message is duplicate'
    incomplete.has[index] = 1
    if (index === 0) incomplete.numbers = numbers
    if (this.#isSplit) {
      incomplete.vectors[field] ??= fabric.allocate(this.#owner.length)
      incomplete.vectors[field].set(vector, offset)
      fabric.free(vector)
    } else incomplete.vectors[field] = vector
    if (--incomplete.lacks > 0) return undefined
    const all = this.#incomplete?.get(from) ?? []
    all.splice(all.indexOf(incomplete), 1)
    return this.#message(incomplete.vectors, incomplete.numbers, this.#fields.carries !== 'vectors' ? offset : 0)
  }

  /** @param index - that of a part that has arrived */
  #incompleteOf(from: PeerName, tag: number, index: number): Incomplete {
    this.#incomplete ??= new Map()
    const all = this.#incomplete.get(from) ?? []
    this.#incomplete.set(from, all)
    const existing = all.find((incomplete) => incomplete.tag === tag)
    // The first part again: a new process of the sender has restarted its numbering.
    const isAnew = existing !== undefined && index === 0 && existing.has[0] === 1
    if (existing !== undefined && !isAnew) return existing
    if (existing !== undefined) this.#drop(all, all.indexOf(existing))
    if (all.length === maxIncomplete) this.#drop(all, 0)
    const fresh: Incomplete = { tag, has: new Uint8Array(this.#parts), vectors: [], numbers: none, lacks: this.#parts }
    all.push(fresh)
    return fresh
  }

  #drop(all: Incomplete[], index: number): void {
    const [{ vectors }] = all.splice(index, 1)
    for (const vector of vectors) if (vector !== undefined) this.#owner.fabric.free(vector)
  }

  #message(vectors: readonly Float32Array[], numbers: readonly number[], offset?: number): Message {
    const message: Record<string, Vector | number> = {}
    for (const [index, field] of this.#fields.vectors.entries())
      message[field] = this.#owner.arena.adopt(vectors[index], offset)
    for (const [index, field] of this.#fields.numbers.entries()) message[field] = numbers[index]
    this.header = this.#headerIn(numbers)
    return message
  }

  #headerIn(numbers: readonly number[]): EdgeHeader {
    const { length } = this.#fields.numbers
    return numbers.length === length ? usualHeader : (readHeader(numbers.slice(length)) ?? usualHeader)
  }
}

const none: readonly number[] = []

/** The fields of a shape. */
interface Fields {
  readonly numbers: readonly string[]
  /** For each number which values are allowed; any when absent. */
  readonly allowed: readonly (NumberField | undefined)[]
  readonly vectors: readonly string[]
  /** For each vector whether it is sent packed. */
  readonly packed: readonly (true | undefined)[]
  readonly carries: Carried
}

/** What messages carry: vectors as long as the parameters, or ranges, of the parameters or of samples. */
type Carried = 'vectors' | 'ranges' | 'samples'

function carriedBy(kinds: readonly VectorKind[]): Carried {
  if (kinds.includes('samples')) return 'samples'
  return kinds.some((kind) => kind.endsWith('range') || kind === 'factors') ? 'ranges' : 'vectors'
}

/** All peers of a run have the same channels. */
const fieldsOfShapes = new WeakMap<Shape, Fields>()

function fieldsOf(shape: Shape): Fields {
  const cached = fieldsOfShapes.get(shape)
  if (cached !== undefined) return cached
  const all = Object.entries(shape)
  const vectors = all.flatMap(([name, kind]) => (isVectorKind(kind) ? { name, kind } : []))
  const numbers = all.flatMap(([name, kind]) => (isVectorKind(kind) ? [] : { name, kind }))
  const fields = {
    numbers: numbers.map(({ name }) => name),
    allowed: numbers.map(({ kind }) => (kind === 'number' ? undefined : kind)),
    vectors: vectors.map(({ name }) => name),
    packed: vectors.map(({ kind }) => kind.startsWith('packed') || kind === 'samples' || undefined),
    carries: carriedBy(vectors.map(({ kind }) => kind))
  }
  fieldsOfShapes.set(shape, fields)
  return fields
}

function isVectorKind(kind: Shape[string]): kind is VectorKind {
  return typeof kind === 'string' && kind !== 'number'
}

/** By offset, the indices of ranges. All peers of a simulation share one list. */
const indices = new WeakMap<readonly Range[], ReadonlyMap<number, number>>()

/**
 * The index of the range that begins at an offset; −1 if none does. A table, since a message has as many parts as there
 * are ranges.
 */
function indexOf(ranges: readonly Range[], offset: number): number {
  let table = indices.get(ranges)
  if (table === undefined) indices.set(ranges, (table = new Map(ranges.map((range, index) => [range.offset, index]))))
  return table.get(offset) ?? -1
}

/** The first vector of a message, if it has one. */
export function firstVectorOf(message: Message): Vector | undefined {
  for (const field in message) if (typeof message[field] !== 'number') return message[field]
  return undefined
}
