/** Key servers, each with a planted error that the checker of histories has to find. */
import {
  IntentKeyServer,
  type KeyMessage,
  type Operation,
  RelocatingKeyServer,
  StaleKeyServer
} from '@murmuration/algorithms'
import { intended, moving, type ServerKind, stale } from './histories.js'

type PlantedRequest = KeyMessage & { readonly from: number }
const none = new Float32Array(0)

/** The old holder continues to answer reads of a row that it has given away. */
class OldHolderReads extends RelocatingKeyServer {
  readonly #old = new Map<number, Float32Array>()

  protected override giveAway(message: KeyMessage): string | undefined {
    const { width } = this.setting
    for (const key of message.keys) {
      const row = new Float32Array(width)
      if (this.table.read(key, row, 0)) this.#old.set(key, row)
    }
    return super.giveAway(message)
  }

  protected override serve(from: number, message: KeyMessage): string | undefined {
    const [key] = message.keys
    const row = this.#old.get(key)
    if (message.type !== 'pull' || message.keys.length > 1 || row === undefined || this.table.has(key))
      return super.serve(from, message)
    this.send(message.origin, { ...message, type: 'pulled', values: row })
    return undefined
  }
}

/** An add that has waited for its row is acknowledged but not applied. */
class LostQueuedWrite extends RelocatingKeyServer {
  protected override keep(key: number, request: PlantedRequest, values: Float32Array, at: number): boolean {
    const zeros = request.type === 'push' ? new Float32Array(this.setting.width) : none
    return request.type === 'push' ? super.keep(key, request, zeros, 0) : super.keep(key, request, values, at)
  }
}

/** An add that has waited for its row is applied twice. */
class DoubledQueuedWrite extends RelocatingKeyServer {
  protected override keep(key: number, request: PlantedRequest, values: Float32Array, at: number): boolean {
    if (request.type !== 'push') return super.keep(key, request, values, at)
    return super.keep(
      key,
      request,
      values.map((value) => 2 * value),
      at
    )
  }
}

/** A row that is given away is still held here as well. */
class TwoHolders extends RelocatingKeyServer {
  protected override giveAway(message: KeyMessage): string | undefined {
    const { width } = this.setting
    const rows = [...message.keys].map((key) => {
      const row = new Float32Array(width)
      return this.table.read(key, row, 0) ? ([key, row] as const) : undefined
    })
    const problem = super.giveAway(message)
    for (const row of rows) if (row !== undefined) this.table.put(row[0], row[1], 0)
    return problem
  }
}

/** An add from another peer is acknowledged at once and applied with the next message. */
class AnsweredBeforeDone extends RelocatingKeyServer {
  #held: { readonly from: number; readonly message: KeyMessage } | undefined

  override receive(from: number, message: KeyMessage): string | undefined {
    const held = this.#held
    this.#held = undefined
    const problem = super.receive(from, message)
    if (held !== undefined)
      for (const [place, key] of held.message.keys.entries())
        this.table.add(key, held.message.values, place * this.setting.width)
    return problem
  }

  protected override serve(from: number, message: KeyMessage): string | undefined {
    const isHere = message.keys.every((key) => this.table.has(key))
    if (message.type !== 'push' || !isHere || message.origin === this.setting.self) return super.serve(from, message)
    this.#held = { from, message }
    this.send(message.origin, { ...message, type: 'pushed', values: none })
    return undefined
  }
}

/**
 * Operations that wait for a row overtake earlier ones: an add is acknowledged before the row is given away without it.
 */
class GivenAwayTooEarly extends RelocatingKeyServer {
  protected override serveWaiting(key: number): void {
    const queue = this.waiting.get(key) ?? []
    const last = queue.findIndex(({ type }) => type === 'relocate')
    const pushes = queue.filter(({ type }, place) => type === 'push' && place < last)
    for (const { origin, id } of pushes)
      this.send(origin, { type: 'pushed', origin, id, keys: Uint32Array.of(key), values: none })
    this.waiting.set(
      key,
      queue.filter((each) => !pushes.includes(each))
    )
    super.serveWaiting(key)
  }
}

/** A copy is read a tick longer than allowed. */
class TickTooOld extends StaleKeyServer {
  protected override needed(clock: number): number {
    return Math.max(0, super.needed(clock) - 1)
  }
}

/** A home answers a read at once, even if workers are behind. */
class NotWaitedFor extends StaleKeyServer {
  override receive(from: number, message: KeyMessage): string | undefined {
    const { home } = this
    const serve = home.serve.bind(home)
    home.serve = (sender, request) => serve(sender, request, 0)
    const problem = super.receive(from, message)
    home.serve = serve
    return problem
  }
}

/** A row from its home replaces the copy, and local adds that have not reached the home are not seen. */
class OwnAddsForgotten extends StaleKeyServer {
  protected override keepCopies(keys: Uint32Array, values: Float32Array): void {
    const { log } = this
    const addTo = log.addTo.bind(log)
    log.addTo = () => {}
    super.keepCopies(keys, values)
    log.addTo = addTo
  }
}

/** Adds that a home already has are added to its row again. */
class OwnAddsTwice extends StaleKeyServer {
  readonly #width = this.setting.width

  override push(keys: Uint32Array, values: Float32Array): Operation {
    for (const [place, key] of keys.entries())
      if (!this.table.has(key)) this.#own.set(key, values.slice(place * this.#width, (place + 1) * this.#width))
    return super.push(keys, values)
  }

  readonly #own = new Map<number, Float32Array>()

  protected override keepCopies(keys: Uint32Array, values: Float32Array): void {
    for (const [place, key] of keys.entries()) {
      const own = this.#own.get(key) ?? []
      for (const [i, value] of own.entries()) values[place * this.#width + i] += value
    }
    super.keepCopies(keys, values)
  }
}

/** A home forgets what another peer has flushed when that peer's worker has ended. */
class LastFlushLost extends StaleKeyServer {
  override end(worker: number): void {
    const { log } = this
    const flush = log.flush.bind(log)
    log.flush = (home, max) => flush(home, max).map(({ keys, values }) => ({ keys, values: values.fill(0) }))
    super.end(worker)
    log.flush = flush
  }
}

const staleOf =
  (Server: typeof StaleKeyServer) =>
  (seed: number): ServerKind =>
    stale(seed, (...given) => new Server(...given))

/** As {@link planted}, for servers of bounded staleness. */
export const plantedStale: Readonly<Record<string, (seed: number) => ServerKind>> = {
  'a copy is read a tick too long': staleOf(TickTooOld),
  'a home answers before all have reached the clock': staleOf(NotWaitedFor),
  'a worker does not see what it has added itself': staleOf(OwnAddsForgotten),
  'the adds of a home are added to its row again': staleOf(OwnAddsTwice),
  'the last flush is lost': staleOf(LastFlushLost)
}

/** A refreshed copy replaces what was added meanwhile. */
class AddedMeanwhileForgotten extends IntentKeyServer {
  override receive(from: number, message: KeyMessage): string | undefined {
    if (message.type === 'synced')
      for (const key of message.keys) this.replicas.takeAdded(key, new Float32Array(this.setting.width), 0)
    return super.receive(from, message)
  }
}

/** What was added to a copy is sent again in the next round. */
class AddedSentTwice extends IntentKeyServer {
  readonly #before = new Map<number, Float32Array>()

  protected override added(keys: Uint32Array, width: number): Float32Array {
    const values = super.added(keys, width)
    for (const [place, key] of keys.entries()) {
      const own = values.slice(place * width, (place + 1) * width)
      const before = this.#before.get(key)
      for (let i = 0; i < width; i++) values[place * width + i] += before?.[i] ?? 0
      this.#before.set(key, own)
    }
    return values
  }
}

/** The holder answers with the row before it adds what was sent. */
class AnsweredBeforeAdded extends IntentKeyServer {
  protected override serveSync(from: number, message: KeyMessage): string | undefined {
    const { keys, values } = message
    if (!keys.every((key) => this.table.has(key))) return super.serveSync(from, message)
    const problem = super.serveSync(from, { ...message, values: new Float32Array(values.length) })
    for (const [place, key] of keys.entries()) this.table.add(key, values, place * this.setting.width)
    return problem
  }
}

/** What was added to a copy is not sent. */
class AddedLost extends IntentKeyServer {
  protected override added(keys: Uint32Array, width: number): Float32Array {
    return super.added(keys, width).fill(0)
  }
}

const intendedOf =
  (Server: typeof IntentKeyServer) =>
  (seed: number): ServerKind =>
    intended(seed, (...given) => new Server(...given))

/** As {@link planted}, for servers that copy rows as workers intend. */
export const plantedIntended: Readonly<Record<string, (seed: number) => ServerKind>> = {
  'what is added while a copy is refreshed is lost': intendedOf(AddedMeanwhileForgotten),
  'what was added to a copy is sent twice': intendedOf(AddedSentTwice),
  'a holder answers with a row before it adds to it': intendedOf(AnsweredBeforeAdded),
  'what was added to a copy is not sent': intendedOf(AddedLost)
}

const openOf = (Server: typeof RelocatingKeyServer): ServerKind =>
  moving((setting, send, start) => new Server(setting, send, start))

/** By the description of the error. */
export const planted: Readonly<Record<string, ServerKind>> = {
  'the old holder answers reads during and after a move': openOf(OldHolderReads),
  'a queued write is lost': openOf(LostQueuedWrite),
  'a queued write is done twice': openOf(DoubledQueuedWrite),
  'two peers hold a row': openOf(TwoHolders),
  'a write is answered before it is done': openOf(AnsweredBeforeDone),
  'a row is moved without the writes that arrived first': openOf(GivenAwayTooEarly)
}
