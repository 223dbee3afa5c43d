/**
 * Moves or copies rows as intents say (AdaPM; Renz-Wieland, Kieslinger, Gericke, Gemulla, Kaoudi, Markl, CIKM 2023,
 * section 4). Each worker announces in advance which rows it is about to use, and until when. The home of a key knows
 * which peers intend to use it. If one does, the row moves there. If several do, the first keeps the row, and the
 * others get copies as long as their intents last (replication of hot keys next to relocation: NuPS, Renz-Wieland et
 * al., SIGMOD 2022).
 *
 * Copies are refreshed in rounds: a peer sends what was added to its copy to the holder of the row, which adds it and
 * replies with the row. Only one such message per key is in flight at a time, so a row that arrives contains all that
 * was sent; what was added meanwhile is added to it again. A copy is dropped when no worker of the peer intends to use
 * it, after what was added to it has been acknowledged.
 *
 * So each add is applied once. A worker sees its own acknowledged adds, and everything that it has seen before. It sees
 * what others add to their copies after two rounds; this is weaker than sequential consistency. While this peer has a
 * request for a row open at its holder, it announces no intent for it: a copy could be older than the reply.
 *
 * Unlike in AdaPM, whose nodes decide when to act on an intent, an intent takes effect at once; and a copy does not
 * become the row when all others are dropped.
 */
import { IntendedBy, Intents } from './intents.js'
import { homeOf, type KeySetting, type SendTo } from './key-server.js'
import { type KeyMessage, noValues } from './messages.js'
import { finished, grouped, indexOf, keysAt, openIndexOf, type Operation } from './operation.js'
import { RelocatingKeyServer } from './relocating-key-server.js'
import { Replicas } from './replicas.js'

export interface IntentOptions {
  /** After how many ticks of its workers a peer refreshes its copies. */
  readonly every: number
}

export class IntentKeyServer extends RelocatingKeyServer {
  protected readonly replicas: Replicas
  readonly #every: number
  readonly #intents: Intents
  /** The clocks of this peer's workers, since the phase began. */
  readonly #clocks: number[]
  #ticks = 0
  /** By key: the operation that announced this peer's intent to the home; removed when the intent is withdrawn. */
  readonly #announced = new Map<number, Operation>()
  /** Copies whose refresh is in flight. */
  readonly #syncing = new Set<number>()
  /** By key: how many pulls and pushes of this peer are open at its holder. */
  readonly #openAtHolder = new Map<number, number>()
  /** For keys whose home is here. */
  readonly #intendedBy = new IntendedBy()

  constructor(setting: KeySetting, send: SendTo, start: Float32Array, { every }: IntentOptions) {
    super(setting, send, start)
    const { workers = 1, count, width } = setting
    this.replicas = new Replicas(count, width)
    this.#every = every
    this.#intents = new Intents(workers, count)
    this.#clocks = Array.from({ length: workers }, () => 0)
  }

  override intend(keys: Uint32Array, worker = 0, until = 0): Operation {
    this.#intents.add(worker, keys, until)
    return this.#announce(keys)
  }

  /** Until the end of the phase. */
  override localize(keys: Uint32Array): Operation {
    return this.intend(keys, 0, Number.POSITIVE_INFINITY)
  }

  override pull(keys: Uint32Array, out: Float32Array): Operation {
    return this.#countOpen(super.pull(keys, out))
  }

  override push(keys: Uint32Array, values: Float32Array): Operation {
    return this.#countOpen(super.push(keys, values))
  }

  override tick(worker: number): Operation {
    this.#giveUp(this.#intents.end(worker, ++this.#clocks[worker]))
    if (++this.#ticks % this.#every === 0) this.#sync(this.replicas.keys())
    return finished
  }

  override end(worker: number): void {
    this.#clocks[worker] = 0
    this.#giveUp(this.#intents.end(worker, Number.POSITIVE_INFINITY))
  }

  override receive(from: number, message: KeyMessage): string | undefined {
    switch (message.type) {
      case 'intend':
        return this.tooMany(from, message) ?? this.#noteIntent(from, message)
      case 'kept':
        return this.#takeKept(message)
      case 'unintend':
        return this.#noteIntentEnd(from, message)
      case 'sync': {
        const problem = this.tooMany(from, message)
        if (problem !== undefined) return from === message.origin ? problem : undefined
        return this.serve(from, message)
      }
      case 'synced':
        this.#takeSynced(from, message)
        return undefined
      default:
        return super.receive(from, message)
    }
  }

  protected override readHere(key: number, out: Float32Array, at: number): boolean {
    return super.readHere(key, out, at) || this.replicas.read(key, out, at)
  }

  protected override addHere(key: number, values: Float32Array, at: number): boolean {
    return super.addHere(key, values, at) || this.replicas.add(key, values, at)
  }

  /** Serves from a copy what has waited for it here. */
  protected override serve(from: number, message: KeyMessage): string | undefined {
    const { self, width } = this.setting
    const { type, origin, id, keys, values } = message
    if (type === 'sync') {
      const lost = this.lostOf(from, message)
      return lost === undefined ? this.serveSync(from, message) : this.refuseLost(from, lost)
    }
    // Waiting requests have one key each.
    if (from !== self || origin !== self || !this.replicas.has(keys[0])) return super.serve(from, message)
    const out = new Float32Array(type === 'pull' ? width : 0)
    if (type === 'pull') this.replicas.read(keys[0], out, 0)
    else this.replicas.add(keys[0], values, 0)
    this.send(self, { type: type === 'pull' ? 'pulled' : 'pushed', origin, id, keys, values: out })
    return undefined
  }

  /** Adds to rows that are here and replies with them; forwards the rest. */
  protected serveSync(from: number, { origin, id, keys, values }: KeyMessage): string | undefined {
    const { width } = this.setting
    const here: number[] = []
    const elsewhere: number[] = []
    for (const index of keys.keys()) (this.table.has(keys[index]) ? here : elsewhere).push(index)
    const out = new Float32Array(here.length * width)
    for (const [slot, index] of here.entries()) {
      this.table.add(keys[index], values, index * width)
      this.table.read(keys[index], out, slot * width)
    }
    if (here.length > 0) this.send(origin, { type: 'synced', origin, id, keys: keysAt(keys, here), values: out })
    for (const index of elsewhere) this.seen[keys[index]] = -1
    if (elsewhere.length > 0) this.dispatch({ type: 'sync', origin, id, from }, keys, values, elsewhere)
    return undefined
  }

  /**
   * A row that leaves while an intent for it is announced returns, as the row or a copy: its home learned of the intent
   * after it had sent the row away.
   */
  protected override giveAway(message: KeyMessage): string | undefined {
    const departing = message.keys.filter((key) => this.table.has(key) && this.#announced.has(key))
    const problem = super.giveAway(message)
    if (problem === undefined) for (const key of departing) this.waiting.set(key, [])
    return problem
  }

  protected override serveWaiting(key: number): void {
    super.serveWaiting(key)
    if (!this.#intents.has(key)) this.#giveUp([key])
  }

  /** Announces the intent to use these keys to those homes that do not know of it. */
  #announce(keys: Uint32Array): Operation {
    const unannounced = keys.filter((key) => !this.#announced.has(key) && !this.#openAtHolder.has(key))
    if (unannounced.length === 0) return finished
    const operation = this.operationOn('localize', unannounced, noValues)
    operation.open = unannounced.length
    operation.isDone.fill(0)
    this.enter(operation)
    for (const key of unannounced) {
      this.#announced.set(key, operation)
      if (!this.table.has(key)) this.waiting.set(key, [])
    }
    this.#sendIntent('intend', operation.id, unannounced)
    return operation
  }

  #sendIntent(type: 'intend' | 'unintend', id: number, keys: Uint32Array): void {
    const { self, holders } = this.setting
    for (const [home, indices] of grouped(keys.keys(), (index) => homeOf(keys[index], holders)))
      this.send(home, { type, origin: self, id, keys: keysAt(keys, indices), values: noValues })
  }

  #countOpen(operation: Operation): Operation {
    for (const [index, key] of operation.keys.entries())
      if (operation.isDone[index] === 0) this.#openAtHolder.set(key, (this.#openAtHolder.get(key) ?? 0) + 1)
    return operation
  }

  protected override takeAnswer(from: number, message: KeyMessage): boolean {
    if (!super.takeAnswer(from, message)) return false
    for (const key of message.keys) {
      const open = (this.#openAtHolder.get(key) ?? 1) - 1
      if (open === 0) this.#openAtHolder.delete(key)
      else this.#openAtHolder.set(key, open)
    }
    this.#announce(message.keys.filter((key) => this.#intents.has(key)))
    return true
  }

  /** No worker here intends to use these keys. A copy is dropped once what was added to it has been acknowledged. */
  #giveUp(keys: readonly number[]): void {
    const ended: number[] = []
    const last: number[] = []
    for (const key of keys) {
      const announcement = this.#announced.get(key)
      if (announcement === undefined || openIndexOf(announcement, key) >= 0 || this.#syncing.has(key)) continue
      const list = this.replicas.hasAdded(key) ? last : ended
      list.push(key)
    }
    for (const key of ended) {
      if (this.replicas.has(key)) this.replicas.drop(key)
      this.#announced.delete(key)
    }
    if (last.length > 0) this.#sync(Uint32Array.from(last).sort())
    if (ended.length > 0) this.#sendIntent('unintend', this.newId(), Uint32Array.from(ended).sort())
  }

  /** Refreshes copies. */
  #sync(replicas: Uint32Array): void {
    const { width, self } = this.setting
    const keys = replicas.filter((key) => !this.#syncing.has(key))
    if (keys.length === 0) return
    const operation = this.operationOn('sync', keys, this.added(keys, width))
    for (const key of keys) this.#syncing.add(key)
    operation.open = keys.length
    operation.isDone.fill(0)
    this.enter(operation)
    this.dispatch({ ...operation, origin: self, from: self }, keys, operation.values, [...keys.keys()])
  }

  /** Takes what was added to copies, to be sent. */
  protected added(keys: Uint32Array, width: number): Float32Array {
    const values = new Float32Array(keys.length * width)
    for (const [index, key] of keys.entries()) this.replicas.takeAdded(key, values, index * width)
    return values
  }

  /** Takes copies that were asked for; others are dropped. */
  #takeSynced(from: number, { origin, id, keys, values }: KeyMessage): void {
    const { self, width } = this.setting
    const operation = this.operation(id)
    const isRight = origin === self && (operation?.type === 'sync' || operation?.type === 'localize')
    if (operation === undefined || !isRight || !keys.every((key) => openIndexOf(operation, key) >= 0)) return
    for (const [index, key] of keys.entries()) {
      if (from !== self) this.seen[key] = from
      this.replicas.put(key, values, index * width)
      this.count.copied++
      this.#syncing.delete(key)
      this.done(operation, indexOf(operation.keys, key))
      this.serveWaiting(key)
    }
  }

  /** The home has acknowledged an intent to use rows that are here. */
  #takeKept({ origin, id, keys }: KeyMessage): string | undefined {
    const operation = this.operation(id)
    const isRight = origin === this.setting.self && operation?.type === 'localize'
    if (
      operation === undefined ||
      !isRight ||
      !keys.every((key) => openIndexOf(operation, key) >= 0 && this.table.has(key))
    )
      return 'an answer, kept, without a request'
    for (const key of keys) this.done(operation, indexOf(operation.keys, key))
    this.#giveUp([...keys].filter((key) => !this.#intents.has(key)))
    return undefined
  }

  /** A peer intends to use rows whose home is here: they move to it, or it gets copies. */
  #noteIntent(from: number, { origin, id, keys }: KeyMessage): string | undefined {
    if (from !== origin) return 'a message of intend in the name of another peer'
    const { self, holders, width } = this.setting
    if (keys.some((key) => homeOf(key, holders) !== self)) return 'a message of intend for a key whose home is not here'
    const isAlone = Array.from(keys, (key) => this.#intendedBy.add(key, origin, id))
    const kept = keys.filter((key) => this.holders[key] === origin)
    if (kept.length > 0) this.send(origin, { type: 'kept', origin, id, keys: kept, values: noValues })
    const others = [...keys.keys()].filter((index) => this.holders[keys[index]] !== origin)
    const groups = grouped(others, (index) => 2 * this.holders[keys[index]] + Number(isAlone[index]))
    for (const index of others) if (isAlone[index]) this.holders[keys[index]] = origin
    for (const [group, indices] of groups) {
      const part = { origin, id, keys: keysAt(keys, indices) }
      const values = new Float32Array(indices.length * width)
      this.send(
        group >> 1,
        group % 2 === 1 ? { ...part, type: 'relocate', values: noValues } : { ...part, type: 'sync', values }
      )
    }
    return undefined
  }

  /** A peer no longer intends to use rows. */
  #noteIntentEnd(from: number, { origin, id, keys }: KeyMessage): string | undefined {
    if (from !== origin) return 'a message of unintend in the name of another peer'
    for (const key of keys) this.#intendedBy.remove(key, origin, id)
    return undefined
  }
}
