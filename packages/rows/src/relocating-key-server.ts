/**
 * Dynamic parameter allocation: rows move to the peer that is about to use them (Lapse; Renz-Wieland, Gemulla, Zeuch,
 * Markl, VLDB 2020). Each key has a home, which knows the holder of its row. To move a row here (`localize`), a peer
 * asks the home. The home records the new holder and tells the old one, which sends the row to the peer. These are
 * three messages, and the row is at no peer during one of them only. Requests for a row on its way wait at its
 * destination.
 *
 * One peer at a time holds a row, and each operation takes effect there at one moment: awaited operations are
 * sequentially consistent, key by key. A request goes to where the row was last seen (a location cache), or to the
 * home; a peer that does not hold the row forwards it.
 *
 * Answers and rows go to the origin of a request, and a forwarded request only claims its origin. So one that nobody
 * here has asked for may be caused by a third peer: it is no fault of its sender. An answer is dropped, and a row goes
 * home.
 */
import { homeOf, KeyServer, type KeySetting, type Request, type SendTo } from './key-server.js'
import { isAdding, type KeyMessage, noValues } from './messages.js'
import { finished, grouped, keysAt, type Operation, indexOf, rowsAt } from './operation.js'

/** A request that waits for a row on its way here. */
interface WaitingRequest extends Request {
  readonly values: Float32Array
}

/**
 * The most requests from one other peer that wait for rows on their way here; the number of rows, where this is larger.
 * Requests from one peer never take another's room.
 */
const maxWaiting = 1 << 16

/** How often a forwarded request may come home: whenever the row has moved on before it was there. */
const maxReturns = 64
const requests: readonly KeyMessage['type'][] = ['pull', 'push', 'relocate', 'intend', 'sync']

export class RelocatingKeyServer extends KeyServer {
  /** For keys whose home is here: the peer that holds the row, or is about to. */
  protected readonly holders: Uint16Array
  /** Where the row of a key was last seen; −1 where unknown. */
  protected readonly seen: Int16Array
  /** For each key whose row is on its way here: the requests that wait for it, in order. */
  protected readonly waiting = new Map<number, WaitingRequest[]>()
  /** How many requests from each peer wait. */
  readonly #waitingOf: number[]
  /** How often a request for a key has come home without having met the row. */
  readonly #returned = new Map<string, number>()

  constructor(setting: KeySetting, send: SendTo, start: Float32Array) {
    super(setting, send, start)
    const { count, holders, peers } = setting
    this.#waitingOf = Array.from({ length: peers }, () => 0)
    this.holders = Uint16Array.from({ length: count }, (_, key) => homeOf(key, holders))
    this.seen = new Int16Array(count).fill(-1)
  }

  override localize(keys: Uint32Array): Operation {
    const { self, holders } = this.setting
    let operation: Operation | undefined
    const lacking: number[] = []
    for (let i = 0; i < keys.length; i++) {
      const key = keys[i]
      if (this.table.has(key) || this.waiting.has(key)) continue
      operation = this.markMissing(operation, 'localize', keys, noValues, i)
      this.waiting.set(key, [])
      lacking.push(i)
    }
    if (operation === undefined) return finished
    this.enter(operation)
    for (const [home, indices] of grouped(lacking, (index) => homeOf(keys[index], holders)))
      this.send(home, {
        type: 'localize',
        origin: self,
        id: operation.id,
        keys: keysAt(keys, indices),
        values: noValues
      })
    return operation
  }

  override intend(keys: Uint32Array): Operation {
    return this.localize(keys)
  }

  override receive(from: number, message: KeyMessage): string | undefined {
    const problem = this.tooMany(from, message)
    // A forwarded request is not its sender's.
    if (problem !== undefined) return from === message.origin ? problem : undefined
    switch (message.type) {
      case 'localize':
        return this.#serveLocalize(from, message)
      case 'relocate':
        return this.#isFromHome(from, message)
          ? this.giveAway(message)
          : 'a message of relocate from a peer that is not the home'
      case 'moved':
        return this.#takeMoved(from, message)
      case 'pulled':
      case 'pushed':
        this.takeAnswer(from, message)
        return undefined
      default:
        return super.receive(from, message)
    }
  }

  /** Takes an answer; returns whether it was asked for. */
  protected takeAnswer(from: number, message: KeyMessage): boolean {
    if (!this.complete(message)) return false
    if (from !== this.setting.self) for (const key of message.keys) this.seen[key] = from
    return true
  }

  /** The problem, in words, if more requests from this peer would wait here than allowed. */
  protected tooMany(from: number, { type, keys }: KeyMessage): string | undefined {
    if (from === this.setting.self || this.waiting.size === 0 || !requests.includes(type)) return undefined
    const more = keys.reduce((sum, key) => sum + Number(this.waiting.has(key)), 0)
    const most = Math.max(maxWaiting, this.setting.count)
    if (more === 0 || this.#waitingOf[from] + more <= most) return undefined
    return `more than ${most} requests for rows on their way here`
  }

  /** The holder of the row, if its home is here; else where it was last seen, or the home. */
  override whereIs(key: number): number {
    const home = homeOf(key, this.setting.holders)
    if (home === this.setting.self) return this.holders[key]
    return this.seen[key] < 0 ? home : this.seen[key]
  }

  /** Forgets where a row was seen if it is no longer here; the home knows better. */
  protected override serve(from: number, message: KeyMessage): string | undefined {
    for (const key of message.keys) if (!this.table.has(key)) this.seen[key] = -1
    const lost = this.lostOf(from, message)
    return lost === undefined ? super.serve(from, message) : this.refuseLost(from, lost)
  }

  /** The first key of a forwarded request whose row is lost, if there is one. */
  protected lostOf(from: number, message: KeyMessage): number | undefined {
    return message.keys.find((key) => this.#isLost(from, message, key))
  }

  /**
   * A request for a lost row is dropped, and is the fault of the peer that should have the row: others only forward it.
   */
  protected refuseLost(from: number, key: number): string | undefined {
    if (this.holders[key] !== from) return undefined
    return `a request for the row of key ${key}, which its sender has, for the ${maxReturns}th time`
  }

  /**
   * Whether a forwarded request has come home again and again without meeting the row: the peer that has it, as its
   * home knows, has it no more. Without a limit such a request would go round forever.
   */
  #isLost(from: number, { origin, id }: KeyMessage, key: number): boolean {
    const { self, holders } = this.setting
    if (this.table.has(key) || homeOf(key, holders) !== self || from === self) return false
    if (from === origin && from !== this.holders[key]) return false
    const request = `${origin} ${id} ${key}`
    const times = (this.#returned.get(request) ?? 0) + 1
    if (this.#returned.size >= maxWaiting) this.#returned.clear()
    this.#returned.set(request, times)
    return times >= maxReturns
  }

  protected override mayForward(): boolean {
    return true
  }

  protected override keep(key: number, request: Request, values: Float32Array, at: number): boolean {
    const queue = this.waiting.get(key)
    if (queue === undefined) return false
    const { type, origin, id, from } = request
    const ownValues = isAdding(type) ? values.slice(at, at + this.setting.width) : noValues
    queue.push({ type, origin, id, from, values: ownValues })
    this.#waitingOf[this.#asker(request)]++
    return true
  }

  /**
   * The peer in whose room a request waits: the one that sent it, since the origin is only claimed; where this peer
   * acts for the origin, that one.
   */
  #asker({ from, origin }: Request): number {
    return from === this.setting.self ? origin : from
  }

  /** A peer asks for rows whose home is here. */
  #serveLocalize(from: number, { origin, id, keys }: KeyMessage): string | undefined {
    const { self, holders } = this.setting
    if (from !== origin) return 'a message of localize in the name of another peer'
    for (const key of keys) {
      if (homeOf(key, holders) !== self) return `a message of localize for the key ${key}, whose home is not here`
      if (this.holders[key] === origin) return `a message of localize for the key ${key}, whose row its sender has`
    }
    const groups = grouped(keys.keys(), (index) => this.holders[keys[index]])
    for (const key of keys) this.holders[key] = origin
    for (const [holder, indices] of groups)
      this.send(holder, { type: 'relocate', origin, id, keys: keysAt(keys, indices), values: noValues })
    return undefined
  }

  #isFromHome(from: number, { keys }: KeyMessage): boolean {
    return keys.every((key) => homeOf(key, this.setting.holders) === from)
  }

  /** Sends rows to the peer that asks for them; those on their way here, once they have arrived. */
  protected giveAway({ origin, id, keys }: KeyMessage): string | undefined {
    const { width, self, holders } = this.setting
    for (const key of keys)
      if (origin === self || (!this.table.has(key) && !this.waiting.has(key)))
        return `a message of relocate for the key ${key}, whose row is not here`
    const rows = new Float32Array(keys.length * width)
    const here: number[] = []
    for (const [index, key] of keys.entries()) {
      if (this.table.take(key, rows, here.length * width)) {
        here.push(index)
        this.seen[key] = origin
      } else this.keep(key, { type: 'relocate', origin, id, from: homeOf(key, holders) }, noValues, 0)
    }
    if (here.length > 0)
      this.send(origin, {
        type: 'moved',
        origin,
        id,
        keys: keysAt(keys, here),
        values: rows.slice(0, here.length * width)
      })
    return undefined
  }

  /**
   * Takes rows that were asked for, and serves the requests that wait for them. A row that is awaited here is welcome
   * even if it comes for another request; others go home.
   */
  #takeMoved(from: number, message: KeyMessage): string | undefined {
    const { origin, id, keys, values } = message
    const { width, self } = this.setting
    const operation = origin === self ? this.operation(id) : undefined
    const isAsked = (key: number) => {
      const index = operation?.type === 'localize' ? indexOf(operation.keys, key) : -1
      return index >= 0 && operation?.isDone[index] === 0
    }
    const others: number[] = []
    for (const [index, key] of keys.entries()) {
      const asking = isAsked(key) ? operation : this.localizing(key)
      if (asking === undefined || this.table.has(key)) {
        others.push(index)
        continue
      }
      this.table.put(key, values, index * width)
      this.count.moved++
      this.done(asking, indexOf(asking.keys, key))
      this.serveWaiting(key)
    }
    if (others.length === 0) return undefined
    return this.#sendHome(from, { ...message, keys: keysAt(keys, others), values: rowsAt(values, others, width) })
  }

  /**
   * Rows that nobody here has asked for go home. A home takes those back that it has had sent to the peer from which
   * they come, or from which another says that they came: the origin.
   */
  #sendHome(from: number, { origin, id, keys, values }: KeyMessage): string | undefined {
    const { self, holders, width } = this.setting
    const homes = grouped(keys.keys(), (index) => homeOf(keys[index], holders))
    if (origin !== self && [...homes.keys()].some((home) => home !== self))
      return 'moved rows that are neither for this peer nor at home here'
    for (const [home, indices] of homes) {
      const part = { type: 'moved', id, keys: keysAt(keys, indices), values: rowsAt(values, indices, width) } as const
      if (home !== self) this.send(home, { ...part, origin: from })
      else for (const index of indices) this.#takeBack(from, origin, keys[index], values, index * width)
    }
    return undefined
  }

  #takeBack(from: number, origin: number, key: number, values: Float32Array, at: number): void {
    const { self } = this.setting
    const holder = this.holders[key]
    if (holder === self || (holder !== from && holder !== origin) || this.waiting.has(key)) return
    this.holders[key] = self
    this.table.put(key, values, at)
  }

  /**
   * Serves the requests that waited for a row, in order. Those after it was given away are forwarded, or wait on if it
   * is to come back.
   */
  protected serveWaiting(key: number): void {
    const queue = this.waiting.get(key) ?? []
    this.waiting.delete(key)
    const keys = Uint32Array.of(key)
    for (const request of queue) {
      const next = this.waiting.get(key)
      if (next !== undefined) {
        next.push(request)
        continue
      }
      const { type, origin, id, values } = request
      this.#waitingOf[this.#asker(request)]--
      const message = { type, origin, id, keys, values }
      if (type === 'relocate') this.giveAway(message)
      else this.serve(origin, message)
    }
  }
}
