/**
 * The home of rows that others have copies of: knows all peers' clocks, answers once all have reached a clock, and
 * refreshes copies.
 */
import { CopiesElsewhere } from './copies-elsewhere.js'
import type { KeySetting } from './key-server.js'
import { type KeyMessage, noKeys, noValues } from './messages.js'
import { inParts } from './operation.js'
import type { RowTable } from './row-table.js'

/** The most keys of one other peer that wait here for the clock. A peer's requests never take another's room. */
const maxParked = 1 << 16

/** Sends a message with a clock to a peer by its index. */
export type Post = (to: number, message: KeyMessage, clock: number) => void

type StaleRequest = Pick<KeyMessage, 'origin' | 'id' | 'keys'> & { readonly clock: number }

export class StaleHome {
  readonly #setting: KeySetting
  readonly #table: RowTable
  readonly #post: Post
  /** Where copies are refreshed; absent where peers ask. */
  readonly #elsewhere: CopiesElsewhere | undefined
  /** The clocks of all peers, as far as known here. */
  readonly #clocks: number[]
  #least = 0
  /** Requests for rows that wait until the least clock advances. */
  #parked: StaleRequest[] = []
  /** How many keys of each peer these have. */
  readonly #parkedOf: number[]

  /** @param isRefreshing - whether copies are refreshed when the least clock advances */
  constructor(setting: KeySetting, table: RowTable, isRefreshing: boolean, post: Post) {
    this.#setting = setting
    this.#table = table
    this.#post = post
    this.#elsewhere = isRefreshing ? new CopiesElsewhere(setting.peers) : undefined
    this.#clocks = Array.from({ length: setting.peers }, () => 0)
    this.#parkedOf = Array.from({ length: setting.peers }, () => 0)
  }

  /** The least clock of all peers: everything added before it is here. */
  get least(): number {
    return this.#least
  }

  /** The peers that hold back the least clock, while requests wait for it. */
  get behind(): readonly number[] {
    if (this.#parked.length === 0) return []
    return [...this.#clocks.keys()].filter((peer) => this.#clocks[peer] === this.#least)
  }

  /** Answers once all peers have reached the clock. Returns what is wrong with the request, if anything. */
  serve(from: number, { origin, id, keys }: KeyMessage, clock: number): string | undefined {
    if (from !== origin) return 'a message of pull in the name of another peer'
    if (keys.some((key) => !this.#table.has(key))) return 'a message of pull for a row that is not here'
    const request = { origin, id, keys, clock }
    if (this.#least >= clock) return this.#answer(request)
    const { self } = this.#setting
    // This peer's own requests always wait: nothing would tell it that one was refused.
    if (origin !== self && this.#parkedOf[origin] + keys.length > maxParked)
      return `more than ${maxParked} keys that wait for the clock`
    this.#parked.push(request)
    this.#parkedOf[origin] += keys.length
    return undefined
  }

  /** Takes in what the workers of another peer have added up to its clock. */
  takeFlush(from: number, { keys, values }: KeyMessage, clock: number): string | undefined {
    if (keys.some((key) => !this.#table.has(key))) return 'a message of flush for a row that is not here'
    if (clock < this.#clocks[from]) return `a clock that goes back from ${this.#clocks[from]} to ${clock}`
    for (const [index, key] of keys.entries()) {
      this.#table.add(key, values, index * this.#setting.width)
      this.noteChange(key, from)
    }
    this.#post(from, { type: 'flushed', origin: from, id: 0, keys: noKeys, values: noValues }, 0)
    this.setClock(from, clock)
    return undefined
  }

  /** A peer has added to a row. */
  noteChange(key: number, origin: number): void {
    this.#elsewhere?.change(key, origin)
  }

  /** Sets the clock of a peer; if the least clock advances, answers the requests that wait for it. */
  setClock(of: number, clock: number): void {
    this.#clocks[of] = clock
    const previous = this.#least
    this.#least = Math.min(...this.#clocks)
    if (this.#least === previous) return
    const parked = this.#parked
    this.#parked = parked.filter((request) => request.clock > this.#least)
    for (const request of parked) {
      if (request.clock > this.#least) continue
      this.#parkedOf[request.origin] -= request.keys.length
      this.#answer(request)
    }
    this.#refreshAll(previous)
  }

  #answer({ origin, id, keys }: StaleRequest): undefined {
    if (origin !== this.#setting.self) this.#elsewhere?.add(keys, origin)
    this.#post(origin, { type: 'pulled', origin, id, keys, values: this.#rowsOf(keys) }, this.#least)
  }

  /** Sends what has changed to all peers with copies. */
  #refreshAll(previous: number): void {
    const { self, peers, count, keysPerMessage = count } = this.#setting
    if (this.#elsewhere === undefined) return
    for (let peer = 0; peer < peers; peer++) {
      if (peer === self) continue
      const parts = inParts(this.#elsewhere.takeChanged(peer), keysPerMessage)
      for (const [index, keys] of parts.entries()) {
        const time = index === parts.length - 1 ? this.#least : previous
        this.#post(peer, { type: 'refresh', origin: peer, id: 0, keys, values: this.#rowsOf(keys) }, time)
      }
    }
  }

  #rowsOf(keys: Uint32Array): Float32Array {
    const { width } = this.#setting
    const values = new Float32Array(keys.length * width)
    for (const [index, key] of keys.entries()) this.#table.read(key, values, index * width)
    return values
  }
}
