/**
 * Bounded staleness for keyed rows: the stale synchronous parallel server (Ho et al., NIPS 2013, section 3: SSPtable).
 * Each worker has a clock c, 0, 1, …; what it adds has the time of its clock. A read at clock c sees all adds with
 * times up to c − s − 1, all adds of the workers of its own peer, and perhaps some later ones of others. Rows are held
 * by the homes of their keys. A peer keeps copies of the rows that its workers read, and reads these as long as they
 * are new enough.
 *
 * A copy has a clock m up to which it is complete: the least clock of all when its home sent it. So it may be read at
 * clocks up to m + s. After that there are two ways. With synchronisation by the client (SSP) the peer asks the home
 * again, which answers once all have reached c − s. With synchronisation by the server (SSPPush, or ESSP: Dai et al.,
 * AAAI 2015, section 4) a home sends what has changed to all peers with copies whenever the least clock advances.
 *
 * The clock of a peer is the least of its workers'. When it advances, what they have added is sent to the homes
 * (`flush`), with the clock. Messages between two peers are processed in order, so everything before a clock has
 * arrived when the clock does, and a row from the home contains all flushes that the home has acknowledged before
 * (`flushed`). The others are added again here, so a worker sees its own adds.
 *
 * A phase begins at the clock `phase · 2²⁴`. Workers that have ended the previous phase are there already, so no peer
 * waits for them.
 */
import { invariant } from '@murmuration/core'
import { FlushLog } from './flush-log.js'
import { InOrder } from './in-order.js'
import { homeOf, KeyServer, type KeySetting, type SendTo } from './key-server.js'
import { type KeyMessage, noValues, ticksPerPhase } from './messages.js'
import { finished, grouped, inParts, keysAt, type Operation } from './operation.js'
import { RowTable } from './row-table.js'
import { StaleHome } from './stale-home.js'

export interface StalenessOptions {
  /** s: how many ticks a worker may be ahead of what it reads. */
  readonly staleness: number
  readonly synchronisation: 'client' | 'server'
}

/** A worker with more unacknowledged flushes to one home than this waits at its next tick. */
const maxFlushes = 8

/** One peer's early messages may hold this many times the numbers of the parameters. */
const maxEarly = 16

/** A key of an operation that waits for a refresh, and the clock that it needs. */
interface Read {
  readonly operation: Operation
  readonly index: number
  readonly clock: number
}

export class StaleKeyServer extends KeyServer {
  protected readonly log: FlushLog
  protected readonly home: StaleHome
  readonly #copies: RowTable
  readonly #options: StalenessOptions
  readonly #order: InOrder
  /** The clocks of this peer's workers. */
  readonly #clocks: number[]
  /** The least of them that others were sent. */
  #clock = 0
  /** The clock up to which the copy of a key is complete. */
  readonly #times: Float64Array
  /** By home: the clock up to which all copies of its rows are complete, as the home has said. */
  readonly #refreshed: number[]
  #reads: Read[] = []
  /** Ticks that wait until homes have acknowledged more flushes. */
  #heldTicks: Operation[] = []

  constructor(setting: KeySetting, send: SendTo, start: Float32Array, options: StalenessOptions) {
    super(setting, send, start)
    const { peers, count, width, workers = 1 } = setting
    this.#options = options
    this.log = new FlushLog(setting)
    this.home = new StaleHome(setting, this.table, this.#isRefreshed, (...message) => this.#post(...message))
    this.#copies = new RowTable(count, width)
    this.#order = new InOrder(peers, maxEarly * (start.length + 1))
    this.#clocks = Array.from({ length: workers }, () => 0)
    this.#refreshed = Array.from({ length: peers }, () => -1)
    this.#times = new Float64Array(count).fill(-1)
  }

  override get open(): number {
    return super.open + this.log.open
  }

  /** Also the peers whose clocks are waited for, here at the home of rows. */
  override get unanswered(): readonly number[] {
    const others = this.home.behind.filter((peer) => peer !== this.setting.self)
    return [...new Set([...super.unanswered, ...others])].sort((left, right) => left - right)
  }

  override pull(keys: Uint32Array, out: Float32Array, worker = 0): Operation {
    const clock = this.needed(this.#clocks[worker])
    const missing: number[] = []
    let operation: Operation | undefined
    for (let i = 0; i < keys.length; i++) {
      if (this.#read(keys[i], clock, out, i)) continue
      operation = this.markMissing(operation, 'pull', keys, out, i)
      if (this.#isRefreshed && this.#copies.has(keys[i])) this.#reads.push({ operation, index: i, clock })
      else missing.push(i)
    }
    const open = operation?.open ?? 0
    this.count.local += keys.length - open
    this.count.queued += open - missing.length
    if (operation === undefined) return finished
    this.enter(operation)
    this.#ask(operation, missing, clock)
    return operation
  }

  override push(keys: Uint32Array, values: Float32Array): Operation {
    const { width, self } = this.setting
    for (let i = 0; i < keys.length; i++) {
      const at = i * width
      if (this.table.add(keys[i], values, at)) this.home.noteChange(keys[i], self)
      else {
        this.#copies.add(keys[i], values, at)
        this.log.add(keys[i], values, at)
      }
    }
    this.count.local += keys.length
    return finished
  }

  override tick(worker: number): Operation {
    const clock = ++this.#clocks[worker]
    invariant(clock % ticksPerPhase !== 0, () => `a phase of more than ${ticksPerPhase} ticks`)
    this.#advance()
    if (this.log.longest <= maxFlushes) return finished
    const operation: Operation = { ...finished, open: 1 }
    this.#heldTicks.push(operation)
    return operation
  }

  /** The worker is at the beginning of the next phase. */
  override end(worker: number): void {
    this.#clocks[worker] = (Math.floor(this.#clocks[worker] / ticksPerPhase) + 1) * ticksPerPhase
    this.#advance()
  }

  override receive(from: number, message: KeyMessage): string | undefined {
    if (from === this.setting.self) return this.#act(from, message)
    const due = this.#order.take(from, message)
    if (typeof due === 'string') return due
    const problems = due.map((each) => this.#act(from, each))
    return problems.find((problem) => problem !== undefined)
  }

  /** The clock that all must have reached for a read at `clock`: what was added before c − s must be there. */
  protected needed(clock: number): number {
    return Math.max(0, clock - this.#options.staleness)
  }

  /** Whether homes refresh copies. */
  get #isRefreshed(): boolean {
    return this.#options.synchronisation === 'server'
  }

  #read(key: number, clock: number, out: Float32Array, index: number): boolean {
    const at = index * this.setting.width
    if (this.table.has(key)) return this.home.least >= clock && this.table.read(key, out, at)
    const time = Math.max(this.#times[key], this.#refreshed[homeOf(key, this.setting.holders)])
    return time >= clock && this.#copies.read(key, out, at)
  }

  #ask({ id, keys }: Operation, missing: readonly number[], clock: number): void {
    const { self, holders, count, keysPerMessage = count } = this.setting
    for (const [home, indices] of grouped(missing, (index) => homeOf(keys[index], holders))) {
      this.count[home === self ? 'queued' : 'remote'] += indices.length
      for (const part of inParts(keysAt(keys, indices), keysPerMessage))
        this.#post(home, { type: 'pull', origin: self, id, keys: part, values: noValues }, clock)
    }
  }

  #act(from: number, message: KeyMessage): string | undefined {
    const clock = message.timing?.clock ?? 0
    switch (message.type) {
      case 'pull':
        return this.home.serve(from, message, clock)
      case 'pulled':
        return this.#takeRows(from, message, clock)
      case 'flush':
        return this.home.takeFlush(from, message, clock)
      case 'flushed':
        return this.#takeFlushed(from)
      case 'refresh':
        return this.#refresh(from, message, clock)
      default:
        return `a message of ${message.type}, where rows do not move`
    }
  }

  #takeRows(from: number, message: KeyMessage, clock: number): string | undefined {
    const { keys, values, id } = message
    if (from !== this.setting.self) {
      if (this.operation(id) === undefined || !this.#areOf(from, keys))
        return 'rows that were not requested, or do not come from their home'
      this.keepCopies(keys, values)
      for (const key of keys) this.#times[key] = clock
    }
    return super.receive(from, message)
  }

  #refresh(from: number, { keys, values }: KeyMessage, clock: number): string | undefined {
    const isCopied = keys.every((key) => this.#copies.has(key))
    if (!this.#isRefreshed || !isCopied || !this.#areOf(from, keys))
      return 'a message of refresh for rows of which this peer has no copies'
    this.keepCopies(keys, values)
    this.#refreshed[from] = Math.max(this.#refreshed[from], clock)
    this.#reads = this.#reads.filter(({ operation, index, clock: needed }) => {
      const isNew = this.#read(operation.keys[index], needed, operation.values, index)
      if (isNew) this.done(operation, index)
      return !isNew
    })
    return undefined
  }

  /** Keeps rows that arrived from their home. Afterwards `values` also contains what was added here. */
  protected keepCopies(keys: Uint32Array, values: Float32Array): void {
    const { width } = this.setting
    for (const [index, key] of keys.entries()) {
      this.log.addTo(key, values, index * width)
      this.#copies.put(key, values, index * width)
      this.count.copied++
    }
  }

  #areOf(home: number, keys: Uint32Array): boolean {
    return keys.every((key) => homeOf(key, this.setting.holders) === home)
  }

  /** If the clock of this peer has advanced, sends it to the homes, with what was added up to it. */
  #advance(): void {
    const { self, holders, count, keysPerMessage = count } = this.setting
    const clock = Math.min(...this.#clocks)
    const previous = this.#clock
    if (clock === previous) return
    this.#clock = clock
    for (let home = 0; home < holders; home++) {
      if (home === self) continue
      const parts = this.log.flush(home, keysPerMessage)
      for (const [index, part] of parts.entries()) {
        const time = index === parts.length - 1 ? clock : previous
        this.#post(home, { type: 'flush', origin: self, id: 0, ...part }, time)
      }
    }
    this.home.setClock(self, clock)
  }

  #takeFlushed(from: number): string | undefined {
    if (!this.log.answered(from)) return 'an answer, flushed, without a flush'
    this.ended++
    if (this.log.longest > maxFlushes) return undefined
    for (const operation of this.#heldTicks) operation.open = 0
    this.#heldTicks = []
    return undefined
  }

  #post(to: number, message: KeyMessage, clock: number): void {
    const order = to === this.setting.self ? 0 : this.#order.next(to)
    this.send(to, { ...message, timing: { order, clock } })
  }
}
