/**
 * Moves or copies rows as intents say (AdaPM; Renz-Wieland, Kieslinger, Gericke, Gemulla, Kaoudi, Markl, CIKM 2023, section 4). Each worker announces in
 * advance which rows it is about to use, and until when. The home of a key knows which peers intend to use it. If one does, the row moves there. If several do,
 * the first keeps the row, and the others get copies as long as their intents last (replication of hot keys next to relocation: NuPS, Renz-Wieland et al.,
 * SIGMOD 2022).
 *
 * Copies are refreshed in rounds: a peer sends what was added to its copy to the holder of the row, which adds it and replies with the row. Only one such
 * message per key is in flight at a time, so a row that arrives contains all that was sent; what was added meanwhile is added to it again. A copy is dropped
 * when no worker of the peer intends to use it, after what was added to it has been acknowledged.
 *
 * So each add is applied once. A worker sees its own acknowledged adds, and everything that it has seen before. It sees what others add to their copies after
 * two rounds; this is weaker than sequential consistency. While this peer has a request for a row open at its holder, it announces no intent for it: a copy
 * could be older than the reply.
 *
 * Unlike in AdaPM, whose nodes decide when to act on an intent, an intent takes effect at once; and a copy does not become the row when all others are dropped.
 */
import { IntendedBy, Intents } from './intents.js'
import { homeOf, type KeySetting, type SendTo } from './key-server.js'
import { type KeyMessage, noValues } from './messages.js'
import { finished, grouped, keysAt, type Operation, placeOf } from './operation.js'
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
  readonly #told = new Map<number, Operation>()
  /** Copies whose refresh is in flight. */
  readonly #syncing = new Set<number>()
  /** By key: how many pulls and pushes of this peer are open at its holder. */
  readonly #elsewhere = new Map<number, number>()
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
    return this.#noted(super.pull(keys, out))
  }

  override push(keys: Uint32Array, values: Float32Array): Operation {
    return this.#noted(super.push(keys, values))
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
        return this.#noteIntent(from, message)
      case 'kept':
        return this.#kept(message)
      case 'unintend':
        return this.#noteEnd(from, message)
      case 'sync':
        return this.tooMany(from, message) ?? this.serve(from, message)
      case 'synced':
        return this.#synced(from, message)
      case 'pulled':
      case 'pushed':
        return this.#answered(from, message)
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
    if (type === 'sync') return this.serveSync(message)
    // Waiting requests have one key each.
    if (from !== self || origin !== self || !this.replicas.has(keys[0])) return super.serve(from, message)
    const out = new Float32Array(type === 'pull' ? width : 0)
    if (type === 'pull') this.replicas.read(keys[0], out, 0)
    else this.replicas.add(keys[0], values, 0)
    this.send(self, { type: type === 'pull' ? 'pulled' : 'pushed', origin, id, keys, values: out })
    return undefined
  }

  /** Adds to rows that are here and replies with them; forwards the rest. */
  protected serveSync({ origin, id, keys, values }: KeyMessage): string | undefined {
    const { width } = this.setting
    const [here, elsewhere]: [number[], number[]] = [[], []]
    for (const place of keys.keys()) (this.table.has(keys[place]) ? here : elsewhere).push(place)
    const out = new Float32Array(here.length * width)
    for (const [index, place] of here.entries()) {
      this.table.add(keys[place], values, place * width)
      this.table.read(keys[place], out, index * width)
    }
    if (here.length > 0) this.send(origin, { type: 'synced', origin, id, keys: keysAt(keys, here), values: out })
    for (const place of elsewhere) this.seen[keys[place]] = -1
    if (elsewhere.length > 0) this.dispatch({ type: 'sync', origin, id }, keys, values, elsewhere)
    return undefined
  }

  /**
   * A row that leaves while an intent for it is announced returns, as the row or a copy: its home learned of the intent after it had sent the row
   * away.
   */
  protected override giveAway(message: KeyMessage): string | undefined {
    const left = message.keys.filter((key) => this.table.has(key) && this.#told.has(key))
    const problem = super.giveAway(message)
    if (problem === undefined) for (const key of left) this.waiting.set(key, [])
    return problem
  }

  protected override goOn(key: number): void {
    super.goOn(key)
    if (!this.#intents.has(key)) this.#giveUp([key])
  }

  /** Announces the intent to use these keys to those homes that do not know of it. */
  #announce(keys: Uint32Array): Operation {
    const told = keys.filter((key) => !this.#told.has(key) && !this.#elsewhere.has(key))
    if (told.length === 0) return finished
    const operation = this.operationOn('localize', told, noValues)
    operation.open = told.length
    operation.isDone.fill(0)
    this.enter(operation)
    for (const key of told) {
      this.#told.set(key, operation)
      if (!this.table.has(key)) this.waiting.set(key, [])
    }
    this.#tell('intend', operation.id, told)
    return operation
  }

  #tell(type: 'intend' | 'unintend', id: number, keys: Uint32Array): void {
    const { self, holders } = this.setting
    for (const [home, places] of grouped(keys.keys(), (place) => homeOf(keys[place], holders)))
      this.send(home, { type, origin: self, id, keys: keysAt(keys, places), values: noValues })
  }

  #noted(operation: Operation): Operation {
    for (const [place, key] of operation.keys.entries())
      if (operation.isDone[place] === 0) this.#elsewhere.set(key, (this.#elsewhere.get(key) ?? 0) + 1)
    return operation
  }

  #answered(from: number, message: KeyMessage): string | undefined {
    const problem = super.receive(from, message)
    if (problem !== undefined) return problem
    for (const key of message.keys) {
      const open = (this.#elsewhere.get(key) ?? 1) - 1
      if (open === 0) this.#elsewhere.delete(key)
      else this.#elsewhere.set(key, open)
    }
    this.#announce(message.keys.filter((key) => this.#intents.has(key)))
    return undefined
  }

  /** No worker here intends to use these keys. A copy is dropped once what was added to it has been acknowledged. */
  #giveUp(keys: readonly number[]): void {
    const ended: number[] = []
    const last: number[] = []
    for (const key of keys) {
      const told = this.#told.get(key)
      if (told === undefined || this.#isOpen(told, key) || this.#syncing.has(key)) continue
      const list = this.replicas.hasAdded(key) ? last : ended
      list.push(key)
    }
    for (const key of ended) {
      if (this.replicas.has(key)) this.replicas.drop(key)
      this.#told.delete(key)
    }
    if (last.length > 0) this.#sync(Uint32Array.from(last).sort())
    if (ended.length > 0) this.#tell('unintend', this.newId(), Uint32Array.from(ended).sort())
  }

  #isOpen({ keys, isDone }: Operation, key: number): boolean {
    const place = placeOf(keys, key)
    return place >= 0 && isDone[place] === 0
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
    this.dispatch({ type: 'sync', origin: self, id: operation.id }, keys, operation.values, [...keys.keys()])
  }

  /** Takes what was added to copies, to be sent. */
  protected added(keys: Uint32Array, width: number): Float32Array {
    const values = new Float32Array(keys.length * width)
    for (const [place, key] of keys.entries()) this.replicas.takeAdded(key, values, place * width)
    return values
  }

  #synced(from: number, { origin, id, keys, values }: KeyMessage): string | undefined {
    const { self, width } = this.setting
    const operation = this.operation(id)
    const isRight = origin === self && (operation?.type === 'sync' || operation?.type === 'localize')
    if (operation === undefined || !isRight || !keys.every((key) => this.#isOpen(operation, key)))
      return 'copies of rows that were not asked for'
    for (const [place, key] of keys.entries()) {
      if (from !== self) this.seen[key] = from
      this.replicas.put(key, values, place * width)
      this.count.copied++
      this.#syncing.delete(key)
      this.done(operation, placeOf(operation.keys, key))
      this.goOn(key)
    }
    return undefined
  }

  /** The home has acknowledged an intent to use rows that are here. */
  #kept({ origin, id, keys }: KeyMessage): string | undefined {
    const operation = this.operation(id)
    const isRight = origin === this.setting.self && operation?.type === 'localize'
    if (
      operation === undefined ||
      !isRight ||
      !keys.every((key) => this.#isOpen(operation, key) && this.table.has(key))
    )
      return 'an answer, kept, to what was not asked'
    for (const key of keys) this.done(operation, placeOf(operation.keys, key))
    this.#giveUp([...keys].filter((key) => !this.#intents.has(key)))
    return undefined
  }

  /** A peer intends to use rows whose home is here: they move to it, or it gets copies. */
  #noteIntent(from: number, { origin, id, keys }: KeyMessage): string | undefined {
    if (from !== origin) return 'a message of intend for another than its sender'
    const { self, holders, width } = this.setting
    if (keys.some((key) => homeOf(key, holders) !== self)) return 'a message of intend for a key whose home is not here'
    const isAlone = Array.from(keys, (key) => this.#intendedBy.add(key, origin, id))
    const kept = keys.filter((key) => this.holders[key] === origin)
    if (kept.length > 0) this.send(origin, { type: 'kept', origin, id, keys: kept, values: noValues })
    const others = [...keys.keys()].filter((place) => this.holders[keys[place]] !== origin)
    const groups = grouped(others, (place) => 2 * this.holders[keys[place]] + Number(isAlone[place]))
    for (const place of others) if (isAlone[place]) this.holders[keys[place]] = origin
    for (const [group, places] of groups) {
      const part = { origin, id, keys: keysAt(keys, places) }
      const values = new Float32Array(places.length * width)
      this.send(
        group >> 1,
        group % 2 === 1 ? { ...part, type: 'relocate', values: noValues } : { ...part, type: 'sync', values }
      )
    }
    return undefined
  }

  /** A peer no longer intends to use rows. */
  #noteEnd(from: number, { origin, id, keys }: KeyMessage): string | undefined {
    if (from !== origin) return 'a message of unintend for another than its sender'
    for (const key of keys) this.#intendedBy.remove(key, origin, id)
    return undefined
  }
}
