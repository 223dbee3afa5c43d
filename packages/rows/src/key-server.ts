/**
 * The classic parameter server for keyed rows (Li et al., OSDI 2014): the row of a key stays at the key's home, given
 * by the range of the key's hash. It does no I/O: messages go out through `send` and come in through `receive`. A row
 * that the peer itself holds is accessed without a message.
 */
import { invariant, type KeyCounts } from '@murmuration/core'
import { isAdding, type KeyMessage, type KeySpace, noValues } from './messages.js'
import { finished, grouped, keysAt, openIndexOf, type Operation, rowsAt } from './operation.js'
import { RowTable } from './row-table.js'

/** The setting of a key server. */
export interface KeySetting extends KeySpace {
  /** The index of this peer. */
  readonly self: number
  /** How many peers hold rows at first: those with an index below this number. */
  readonly holders: number
  /** How many workers this peer has; 1 when absent. */
  readonly workers?: number
  /** How many keys a message has at most; longer ones are sent in parts. All keys fit when absent. */
  readonly keysPerMessage?: number
}

/** Sends a message to a peer by its index. */
export type SendTo = (to: number, message: KeyMessage) => void

/** What identifies a request that is forwarded or answered in parts. */
export interface Request extends Pick<KeyMessage, 'type' | 'origin' | 'id'> {
  /** The peer that sent it here; this peer itself for requests of its workers. */
  readonly from: number
}

/**
 * Where the row of a key is at first, by the range that its hash falls into: Fibonacci hashing, Knuth, TAOCP 3, 6.4.
 */
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
  /** How many awaited operations have ended. */
  ended = 0

  /** @param start - the rows of all keys at the start; this peer copies those that it holds */
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

  /** How many operations of this peer are open. */
  get open(): number {
    return this.#open.size
  }

  /** The indices of the peers that open operations wait for, as far as is known here; ascending. */
  get unanswered(): readonly number[] {
    const peers = new Set<number>()
    for (const { keys, isDone } of this.#open.values())
      for (let i = 0; i < keys.length; i++) if (isDone[i] === 0) peers.add(this.whereIs(keys[i]))
    peers.delete(this.setting.self)
    return [...peers].sort((left, right) => left - right)
  }

  /** The keys of the rows held here, and the rows. */
  held(): { readonly keys: Uint32Array; readonly rows: Float32Array } {
    const { width } = this.setting
    const keys = this.table.keys()
    const rows = new Float32Array(keys.length * width)
    for (let i = 0; i < keys.length; i++) this.table.read(keys[i], rows, i * width)
    return { keys, rows }
  }

  /** Sets rows that are held here, of all keys that are held here, while no operation is open. */
  restore(keys: Uint32Array, rows: Float32Array): void {
    const { width } = this.setting
    for (let i = 0; i < keys.length; i++) this.table.put(keys[i], rows, i * width)
  }

  /**
   * Reads the rows of `keys` into `out`. Rows of other peers are there once the operation has ended.
   *
   * @param _worker - which of this peer's workers reads, 0, 1, …
   */
  pull(keys: Uint32Array, out: Float32Array, _worker = 0): Operation {
    const { width } = this.setting
    let operation: Operation | undefined
    for (let i = 0; i < keys.length; i++)
      if (!this.readHere(keys[i], out, i * width)) operation = this.markMissing(operation, 'pull', keys, out, i)
    return this.#begin(operation, keys.length)
  }

  /** Adds `values` to the rows of `keys`. They must not change while the operation is open. */
  push(keys: Uint32Array, values: Float32Array): Operation {
    const { width } = this.setting
    let operation: Operation | undefined
    for (let i = 0; i < keys.length; i++)
      if (!this.addHere(keys[i], values, i * width)) operation = this.markMissing(operation, 'push', keys, values, i)
    return this.#begin(operation, keys.length)
  }

  /** Moves the rows of `keys` here; does nothing where rows do not move. */
  localize(_keys: Uint32Array): Operation {
    return finished
  }

  /**
   * A worker intends to use the rows of `keys` until a tick of its clock. Servers that can prepare for it do so.
   *
   * @param _until - the first tick at which it no longer needs them
   */
  intend(_keys: Uint32Array, _worker: number, _until: number): Operation {
    return finished
  }

  /** A worker has reached the next tick of its clock, where servers use clocks. */
  tick(_worker: number): Operation {
    return finished
  }

  /** A worker has finished its part of the phase. */
  end(_worker: number): void {}

  /** Processes a message of the peer with index `from`. Returns what is wrong with it, if anything. */
  receive(from: number, message: KeyMessage): string | undefined {
    switch (message.type) {
      case 'pull':
      case 'push':
        return this.serve(from, message)
      case 'pulled':
      case 'pushed':
        return this.complete(message) ? undefined : `an answer, ${message.type}, that was not asked for`
      default:
        return `a message of ${message.type}, where rows do not move`
    }
  }

  /** Reads a row for a worker of this peer; returns whether it is here. */
  protected readHere(key: number, out: Float32Array, at: number): boolean {
    return this.table.read(key, out, at)
  }

  /** Adds to a row for a worker of this peer; returns whether it is here. */
  protected addHere(key: number, values: Float32Array, at: number): boolean {
    return this.table.add(key, values, at)
  }

  /** The index of the peer to ask for the row of a key that is not here. */
  whereIs(key: number): number {
    return homeOf(key, this.setting.holders)
  }

  /** Keeps the request if it must wait here for the row of this key; returns whether it does. */
  protected keep(_key: number, _request: Request, _values: Float32Array, _at: number): boolean {
    return false
  }

  /** Marks the key with index `place` of an operation as not here. */
  protected markMissing(
    operation: Operation | undefined,
    type: Operation['type'],
    keys: Uint32Array,
    values: Float32Array,
    index: number
  ): Operation {
    const marked = operation ?? this.operationOn(type, keys, values)
    marked.isDone[index] = 0
    marked.open++
    return marked
  }

  /** An operation with nothing open. */
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
    const indices: number[] = []
    for (let i = 0; i < operation.keys.length; i++) if (operation.isDone[i] === 0) indices.push(i)
    const { self } = this.setting
    const { sent, kept } = this.dispatch(
      { ...operation, origin: self, from: self },
      operation.keys,
      operation.values,
      indices
    )
    this.count.remote += sent
    this.count.queued += kept
    return operation
  }

  /** Sends each part of a request to where its rows are, except what waits here for rows on their way. */
  protected dispatch(
    request: Request,
    keys: Uint32Array,
    values: Float32Array,
    indices: readonly number[]
  ): { readonly sent: number; readonly kept: number } {
    const { width } = this.setting
    const { type, origin, id } = request
    const rest = indices.filter((index) => !this.keep(keys[index], request, values, index * width))
    for (const [to, group] of grouped(rest, (index) => this.whereIs(keys[index]))) {
      const rows = isAdding(type) ? rowsAt(values, group, width) : noValues
      this.send(to, { type, origin, id, keys: keysAt(keys, group), values: rows })
    }
    return { sent: rest.length, kept: indices.length - rest.length }
  }

  /** Answers for the rows that are here, and forwards the rest. */
  protected serve(from: number, { type, origin, id, keys, values }: KeyMessage): string | undefined {
    const { width } = this.setting
    if (from !== origin && keys.some((key) => !this.mayForward(key)))
      return `a message of ${type} in the name of another peer`
    const out = type === 'pull' ? new Float32Array(keys.length * width) : values
    const here: number[] = []
    const elsewhere: number[] = []
    for (let i = 0; i < keys.length; i++) {
      const at = i * width
      const isHere = type === 'pull' ? this.table.read(keys[i], out, at) : this.table.add(keys[i], values, at)
      const list = isHere ? here : elsewhere
      list.push(i)
    }
    const isNone = elsewhere.some((i) => !this.mayForward(keys[i]))
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
    if (elsewhere.length > 0) this.dispatch({ type, origin, id, from }, keys, values, elsewhere)
    return undefined
  }

  /** Whether another peer may have the row of a key, or it is on its way here. */
  protected mayForward(_key: number): boolean {
    return false
  }

  protected send(to: number, message: KeyMessage): void {
    // The result is ignored: another peer may have sent a request in this one's name, whose answer was not asked for.
    if (to === this.setting.self) this.receive(to, message)
    else this.#send(to, message)
  }

  /** Completes the keys of an operation that an answer is about; returns whether all of them were asked for. */
  protected complete({ type, origin, id, keys, values }: KeyMessage): boolean {
    const operation = this.#open.get(id)
    const isPull = type === 'pulled'
    if (operation === undefined || origin !== this.setting.self || operation.type !== (isPull ? 'pull' : 'push'))
      return false
    const indices = Array.from(keys, (key) => openIndexOf(operation, key))
    if (indices.includes(-1)) return false
    const { width } = this.setting
    for (const [i, index] of indices.entries()) {
      if (isPull) for (let j = 0; j < width; j++) operation.values[index * width + j] = values[i * width + j]
      this.done(operation, index)
    }
    return true
  }

  /** The open operation with this id. */
  protected operation(id: number): Operation | undefined {
    return this.#open.get(id)
  }

  /** The open operation that moves the row of a key here, if there is one. */
  protected localizing(key: number): Operation | undefined {
    for (const operation of this.#open.values()) {
      if (operation.type === 'localize' && openIndexOf(operation, key) >= 0) return operation
    }
    return undefined
  }

  /** The key with index `place` of an operation is done. */
  protected done(operation: Operation, index: number): void {
    operation.isDone[index] = 1
    if (--operation.open > 0) return
    this.#open.delete(operation.id)
    this.ended++
  }
}
