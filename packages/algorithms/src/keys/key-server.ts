/**
 * The classic parameter server for keyed rows (Li et al., OSDI 2014): the row of a key stays at the key's home, by the range of the key's hash. Without
 * I/O: what is to be sent is handed to `send`, what has come to `receive`. A row that the peer itself holds is reached without a message.
 */
import { invariant, type KeyCounts } from '@murmuration/core'
import { isAdding, type KeyMessage, type KeySpace, noValues } from './messages.js'
import { finished, grouped, keysAt, type Operation, placeOf, rowsAt } from './operation.js'
import { RowTable } from './row-table.js'

/** What a key server is made for. */
export interface KeySetting extends KeySpace {
  /** The place of this peer. */
  readonly self: number
  /** How many peers hold rows at first: those of the places below. */
  readonly holders: number
  /** How many workers this peer has; 1 when absent. */
  readonly workers?: number
  /** How many keys a message has at most; as many as there are when absent. Longer ones are sent in parts. */
  readonly keysPerMessage?: number
}

/** Hands a message over to the peer at a place. */
export type SendTo = (to: number, message: KeyMessage) => void

/** A request that was passed on, or answered: what comes of a part of its keys. */
type Request = Pick<KeyMessage, 'type' | 'origin' | 'id'>

/** Where the row of a key is at first, by the range in which its hash lies: Fibonacci hashing, Knuth, TAOCP 3, 6.4. */
export function homeOf(key: number, holders: number): number {
  return Math.floor(((Math.imul(key + 1, 0x9e3779b1) >>> 0) / 2 ** 32) * holders)
}

export class KeyServer {
  protected readonly setting: KeySetting
  protected readonly table: RowTable
  protected readonly count = { local: 0, remote: 0, queued: 0, moved: 0, copied: 0 }
  readonly #send: SendTo
  readonly #open = new Map<number, Operation>()
  #nextId = 0
  /** How many operations have ended that were waited for. */
  ended = 0

  /** @param start - the rows of all keys at the start; this peer takes a copy of those that it holds */
  constructor(setting: KeySetting, send: SendTo, start: Float32Array) {
    const { count, width, self, holders } = setting
    invariant(start.length === count * width, () => `${start.length} numbers in ${count} rows of ${width}`)
    this.setting = setting
    this.table = new RowTable(count, width)
    this.#send = send
    if (self < holders)
      for (let key = 0; key < count; key++) if (homeOf(key, holders) === self) this.table.put(key, start, key * width)
  }

  get counts(): KeyCounts {
    return { ...this.count }
  }

  /** How many operations of this peer are under way. */
  get open(): number {
    return this.#open.size
  }

  /** The keys of the rows that are held, and the rows. */
  held(): { readonly keys: Uint32Array; readonly rows: Float32Array } {
    const { width } = this.setting
    const keys = this.table.keys()
    const rows = new Float32Array(keys.length * width)
    for (let i = 0; i < keys.length; i++) this.table.read(keys[i], rows, i * width)
    return { keys, rows }
  }

  /**
   * Reads the rows of `keys` to `out`. Those of other peers are there when nothing of the operation is open.
   *
   * @param _worker - which of this peer's workers reads, 0, 1, …
   */
  pull(keys: Uint32Array, out: Float32Array, _worker = 0): Operation {
    const { width } = this.setting
    let operation: Operation | undefined
    for (let i = 0; i < keys.length; i++)
      if (!this.readHere(keys[i], out, i * width)) operation = this.lack(operation, 'pull', keys, out, i)
    return this.#begin(operation, keys.length)
  }

  /** Adds `values` to the rows of `keys`. They must not change while the operation is open. */
  push(keys: Uint32Array, values: Float32Array): Operation {
    const { width } = this.setting
    let operation: Operation | undefined
    for (let i = 0; i < keys.length; i++)
      if (!this.addHere(keys[i], values, i * width)) operation = this.lack(operation, 'push', keys, values, i)
    return this.#begin(operation, keys.length)
  }

  /** Moves the rows of `keys` here, where rows move; nothing is done where they do not. */
  localize(_keys: Uint32Array): Operation {
    return finished
  }

  /**
   * A worker is about to use the rows of `keys`, until its clock has got to a tick. Servers that know how to do something about it begin to.
   *
   * @param _until - its first tick at which it needs them no longer
   */
  intend(_keys: Uint32Array, _worker: number, _until: number): Operation {
    return finished
  }

  /** A worker has come to the next tick of its clock, where servers go by clocks. */
  tick(_worker: number): Operation {
    return finished
  }

  /** A worker has done what it does in this phase. */
  end(_worker: number): void {}

  /** Takes in a message of the peer at place `from`. The result says what is wrong with it, if something is. */
  receive(from: number, message: KeyMessage): string | undefined {
    switch (message.type) {
      case 'pull':
      case 'push':
        return this.serve(from, message)
      case 'pulled':
      case 'pushed':
        return this.#complete(message)
      default:
        return `a message of ${message.type}, where rows do not move`
    }
  }

  /** Reads a row for a worker of this peer, if it is here. */
  protected readHere(key: number, out: Float32Array, at: number): boolean {
    return this.table.read(key, out, at)
  }

  /** Adds to a row for a worker of this peer, if it is here. */
  protected addHere(key: number, values: Float32Array, at: number): boolean {
    return this.table.add(key, values, at)
  }

  /** Where to ask for the row of a key that is not here. */
  protected whereIs(key: number): number {
    return homeOf(key, this.setting.holders)
  }

  /** Whether the request waits here for the row of this key; it is then kept. */
  protected keep(_key: number, _request: Request, _values: Float32Array, _at: number): boolean {
    return false
  }

  /** Notes that key number `place` of an operation is not here. */
  protected lack(
    operation: Operation | undefined,
    type: Operation['type'],
    keys: Uint32Array,
    values: Float32Array,
    place: number
  ): Operation {
    const noted = operation ?? this.operationOn(type, keys, values)
    noted.isDone[place] = 0
    noted.open++
    return noted
  }

  /** An operation of which nothing is open. */
  protected operationOn(type: Operation['type'], keys: Uint32Array, values: Float32Array): Operation {
    return { id: this.newId(), type, keys, values, open: 0, isDone: new Uint8Array(keys.length).fill(1) }
  }

  /** Larger than all before. */
  protected newId(): number {
    return this.#nextId++ >>> 0
  }

  /** Keeps an operation until it has ended. */
  protected enter(operation: Operation): void {
    this.#open.set(operation.id, operation)
  }

  #begin(operation: Operation | undefined, all: number): Operation {
    this.count.local += all - (operation?.open ?? 0)
    if (operation === undefined) return finished
    this.enter(operation)
    const places: number[] = []
    for (let i = 0; i < operation.keys.length; i++) if (operation.isDone[i] === 0) places.push(i)
    const { self } = this.setting
    const { sent, kept } = this.dispatch({ ...operation, origin: self }, operation.keys, operation.values, places)
    this.count.remote += sent
    this.count.queued += kept
    return operation
  }

  /** Sends each part of a request to where its rows are, but for what is kept here until they come. */
  protected dispatch(
    { type, origin, id }: Request,
    keys: Uint32Array,
    values: Float32Array,
    places: readonly number[]
  ): { readonly sent: number; readonly kept: number } {
    const { width } = this.setting
    const left = places.filter((place) => !this.keep(keys[place], { type, origin, id }, values, place * width))
    for (const [to, group] of grouped(left, (place) => this.whereIs(keys[place]))) {
      const rows = isAdding(type) ? rowsAt(values, group, width) : noValues
      this.send(to, { type, origin, id, keys: keysAt(keys, group), values: rows })
    }
    return { sent: left.length, kept: places.length - left.length }
  }

  /** Answers what is asked of rows that are here, and passes on the rest. */
  protected serve(from: number, { type, origin, id, keys, values }: KeyMessage): string | undefined {
    const { width } = this.setting
    if (from !== origin && keys.some((key) => !this.mayPassOn(key)))
      return `a message of ${type} for another than its sender`
    const out = type === 'pull' ? new Float32Array(keys.length * width) : values
    const [here, elsewhere]: [number[], number[]] = [[], []]
    for (let i = 0; i < keys.length; i++) {
      const at = i * width
      const isHere = type === 'pull' ? this.table.read(keys[i], out, at) : this.table.add(keys[i], values, at)
      const list = isHere ? here : elsewhere
      list.push(i)
    }
    const isNone = elsewhere.some((i) => !this.mayPassOn(keys[i]))
    if (isNone) return `a message of ${type} for a row that is not here`
    if (here.length > 0) {
      const rows = type === 'pull' ? rowsAt(out, here, width) : noValues
      this.send(origin, {
        type: type === 'pull' ? 'pulled' : 'pushed',
        origin,
        id,
        keys: keysAt(keys, here),
        values: rows
      })
    }
    if (elsewhere.length > 0) this.dispatch({ type, origin, id }, keys, values, elsewhere)
    return undefined
  }

  /** Whether somebody else may have the row of a key, or it is on its way here. */
  protected mayPassOn(_key: number): boolean {
    return false
  }

  protected send(to: number, message: KeyMessage): void {
    // An answer to what another peer has asked in this one's name is nothing that was asked for: it is left out.
    if (to === this.setting.self) this.receive(to, message)
    else this.#send(to, message)
  }

  #complete({ type, origin, id, keys, values }: KeyMessage): string | undefined {
    const operation = this.#open.get(id)
    const isPull = type === 'pulled'
    if (operation === undefined || origin !== this.setting.self || operation.type !== (isPull ? 'pull' : 'push'))
      return `an answer, ${type}, to what was not asked`
    for (let i = 0; i < keys.length; i++) {
      const place = this.#openPlace(operation, keys[i])
      if (place < 0) return `an answer, ${type}, about the key ${keys[i]}, which was not asked for or has been answered`
      const { width } = this.setting
      if (isPull) for (let j = 0; j < width; j++) operation.values[place * width + j] = values[i * width + j]
      this.done(operation, place)
    }
    return undefined
  }

  #openPlace({ keys, isDone }: Operation, key: number): number {
    const place = placeOf(keys, key)
    return place >= 0 && isDone[place] === 0 ? place : -1
  }

  /** The open operation of this number. */
  protected operation(id: number): Operation | undefined {
    return this.#open.get(id)
  }

  /** Key number `place` of an operation has been done. */
  protected done(operation: Operation, place: number): void {
    operation.isDone[place] = 1
    if (--operation.open > 0) return
    this.#open.delete(operation.id)
    this.ended++
  }
}
