/**
 * Bounded staleness for keyed rows: the stale synchronous parallel server (Ho et al., NIPS 2013, section 3: SSPtable). Each worker has a clock c, 0, 1, …; what
 * it adds has the time of its clock. A read at clock c sees all that anybody has added at times up to c − s − 1, all that the workers of its own peer have added,
 * and perhaps more of what others have added since. Rows lie at the homes of their keys; a peer keeps copies of those that its workers read, and reads them as
 * long as they are new enough.
 *
 * A copy says up to which clock it has everything: m, the least clock of all when its home sent it, so that it may be read at clocks up to m + s. Then one of two
 * things happens. With synchronisation by the client (SSP) the peer asks the home again, which answers when all have got to c − s. With synchronisation by the
 * server (SSPPush, or ESSP: Dai et al., AAAI 2015, section 4) a home sends what has changed to all that have copies, whenever the least clock moves on.
 *
 * The clock of a peer is the least of its workers'; when it moves on, what they have added goes to the homes (`flush`), with the clock. All messages between two
 * peers are taken in order, so a clock says of all that comes before it that it is there, and a row from the home has what the home has answered before
 * (`flushed`). What it has not is added again here: that is how a worker sees what it has added itself.
 *
 * A phase begins at the clock `phase · 2²⁴`, at which workers that have ended the phase before stand already, so that nobody waits for them.
 */
import { invariant } from '@murmuration/core'
import { FlushLog } from './flush-log.js'
import { InOrder } from './in-order.js'
import { homeOf, KeyServer, type KeySetting, type SendTo } from './key-server.js'
import { type KeyMessage, noValues } from './messages.js'
import { finished, grouped, inParts, keysAt, type Operation } from './operation.js'
import { RowTable } from './row-table.js'
import { StaleHome } from './stale-home.js'

export interface StalenessOptions {
  /** s: how many ticks a worker may be ahead of what it reads. */
  readonly staleness: number
  readonly synchronisation: 'client' | 'server'
}

/** How many ticks a phase has at most. */
const phaseLength = 2 ** 24

/** A worker that has so many flushes open to one home waits at its next tick. */
const maxFlushes = 8

/** Messages of one peer that come before earlier ones may hold so many times the numbers of the parameters. */
const maxEarly = 16

/** A key of an operation that waits for a refresh, and for which clock. */
interface Read {
  readonly operation: Operation
  readonly place: number
  readonly clock: number
}

export class StaleKeyServer extends KeyServer {
  protected readonly log: FlushLog
  protected readonly home: StaleHome
  readonly #copies: RowTable
  readonly #options: StalenessOptions
  readonly #order: InOrder
  /** Of this peer's workers. */
  readonly #clocks: number[]
  /** The least of them that others were told. */
  #clock = 0
  /** Up to which clock the copy of a key has everything. */
  readonly #times: Float64Array
  /** Up to which clock all copies of a home's rows have everything, as the home has said. */
  readonly #refreshed: number[]
  #reads: Read[] = []
  /** Ticks that wait until homes have taken in more. */
  #held: Operation[] = []

  constructor(setting: KeySetting, send: SendTo, start: Float32Array, options: StalenessOptions) {
    super(setting, send, start)
    const { places, count, width, workers = 1 } = setting
    this.#options = options
    this.log = new FlushLog(setting)
    this.home = new StaleHome(setting, this.table, this.#isRefreshed, (...message) => this.#post(...message))
    this.#copies = new RowTable(count, width)
    this.#order = new InOrder(places, maxEarly * (start.length + 1))
    this.#clocks = Array.from({ length: workers }, () => 0)
    this.#refreshed = Array.from({ length: places }, () => -1)
    this.#times = new Float64Array(count).fill(-1)
  }

  override get open(): number {
    return super.open + this.log.open
  }

  override pull(keys: Uint32Array, out: Float32Array, worker = 0): Operation {
    const clock = this.needed(this.#clocks[worker])
    const asked: number[] = []
    let operation: Operation | undefined
    for (let i = 0; i < keys.length; i++) {
      if (this.#read(keys[i], clock, out, i)) continue
      operation = this.lack(operation, 'pull', keys, out, i)
      if (this.#isRefreshed && this.#copies.has(keys[i])) this.#reads.push({ operation, place: i, clock })
      else asked.push(i)
    }
    const open = operation?.open ?? 0
    this.count.local += keys.length - open
    this.count.queued += open - asked.length
    if (operation === undefined) return finished
    this.enter(operation)
    this.#ask(operation, asked, clock)
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
    invariant(clock % phaseLength !== 0, () => `a phase of more than ${phaseLength} ticks`)
    this.#advance()
    if (this.log.longest <= maxFlushes) return finished
    const operation: Operation = { ...finished, open: 1 }
    this.#held.push(operation)
    return operation
  }

  /** The worker stands at the beginning of the next phase. */
  override end(worker: number): void {
    this.#clocks[worker] = (Math.floor(this.#clocks[worker] / phaseLength) + 1) * phaseLength
    this.#advance()
  }

  override receive(from: number, message: KeyMessage): string | undefined {
    if (from === this.setting.self) return this.#act(from, message)
    const due = this.#order.take(from, message)
    if (typeof due === 'string') return due
    const problems = due.map((each) => this.#act(from, each))
    return problems.find((problem) => problem !== undefined)
  }

  /** Which clock all have to have got to for a read at `clock`: what is added before c − s has to be there. */
  protected needed(clock: number): number {
    return Math.max(0, clock - this.#options.staleness)
  }

  /** Whether homes send anew what has changed. */
  get #isRefreshed(): boolean {
    return this.#options.synchronisation === 'server'
  }

  #read(key: number, clock: number, out: Float32Array, place: number): boolean {
    const at = place * this.setting.width
    if (this.table.has(key)) return this.home.least >= clock && this.table.read(key, out, at)
    const time = Math.max(this.#times[key], this.#refreshed[homeOf(key, this.setting.holders)])
    return time >= clock && this.#copies.read(key, out, at)
  }

  #ask({ id, keys }: Operation, asked: readonly number[], clock: number): void {
    const { self, holders, count, keysPerMessage = count } = this.setting
    for (const [home, places] of grouped(asked, (place) => homeOf(keys[place], holders))) {
      this.count[home === self ? 'queued' : 'remote'] += places.length
      for (const part of inParts(keysAt(keys, places), keysPerMessage))
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
        return this.#flushed(from)
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
        return 'rows that were not asked for, or are not of their home'
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
    this.#reads = this.#reads.filter(({ operation, place, clock: needed }) => {
      const isNew = this.#read(operation.keys[place], needed, operation.values, place)
      if (isNew) this.done(operation, place)
      return !isNew
    })
    return undefined
  }

  /** Keeps rows that have come from their home; `values` then have what was added here besides. */
  protected keepCopies(keys: Uint32Array, values: Float32Array): void {
    const { width } = this.setting
    for (const [place, key] of keys.entries()) {
      this.log.addTo(key, values, place * width)
      this.#copies.put(key, values, place * width)
      this.count.copied++
    }
  }

  #areOf(home: number, keys: Uint32Array): boolean {
    return keys.every((key) => homeOf(key, this.setting.holders) === home)
  }

  /** The clock of this peer may have moved on: its homes are told, with what was added until then. */
  #advance(): void {
    const { self, holders, count, keysPerMessage = count } = this.setting
    const clock = Math.min(...this.#clocks)
    const before = this.#clock
    if (clock === before) return
    this.#clock = clock
    for (let home = 0; home < holders; home++) {
      if (home === self) continue
      const parts = this.log.flush(home, keysPerMessage)
      for (const [index, part] of parts.entries()) {
        const time = index === parts.length - 1 ? clock : before
        this.#post(home, { type: 'flush', origin: self, id: 0, ...part }, time)
      }
    }
    this.home.setClock(self, clock)
  }

  #flushed(from: number): string | undefined {
    if (!this.log.answered(from)) return 'an answer, flushed, to what was not sent'
    this.ended++
    if (this.log.longest > maxFlushes) return undefined
    for (const operation of this.#held) operation.open = 0
    this.#held = []
    return undefined
  }

  #post(to: number, message: KeyMessage, clock: number): void {
    const order = to === this.setting.self ? 0 : this.#order.next(to)
    this.send(to, { ...message, timing: { order, clock } })
  }
}
