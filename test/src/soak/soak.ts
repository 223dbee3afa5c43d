import { deferred, type PeerName, peerName } from '@murmuration/core'
import type { PeerListEntry } from '@murmuration/libp2p'
import { createRandom } from '@murmuration/random'
import { PeerProcess } from './peer-process.js'
import type { SoakOptions } from './options.js'
import { TcpRelay } from './relay.js'
import { type SoakSummary, verdictOf } from './verdict.js'
import { Weather } from './weather.js'

/** Peers of the ring, each in a process of its own. */
const peers = ['a', 'b', 'c', 'd'].map(peerName)

/** How many rounds the first peer may be ahead of the last; neighbours on this ring are never further apart. */
const ahead = 3

/** The number of memory measurements of a peer, if rounds are fast enough. */
const samples = 40

/** A soak without faults shows nothing: it is prolonged until connections have been cut this often. */
const minCuts = 5

/** How much later than its own timeout a silent peer is given up, in milliseconds. */
const grace = 30_000

/** Four peers that exchange vectors while the connections between them are disturbed. To be run once. */
export class Soak {
  readonly #options: SoakOptions
  readonly #weather: Weather
  readonly #children: readonly PeerProcess[]
  readonly #relays: TcpRelay[] = []
  readonly #finished = deferred<void>()
  readonly #failed = deferred<never>()
  #granted = 0
  #timeIsUp = false

  constructor(options: SoakOptions) {
    this.#options = options
    const bytes = 4 * this.#elements
    this.#weather = new Weather(createRandom(options.seed, 'weather'), options.every * bytes)
    this.#failed.promise.catch(() => {})
    const fail = (reason: string) => this.#failed.reject(new Error(reason))
    this.#children = peers.map((name) => new PeerProcess(this.#taskOf(name), () => this.#grant(), fail))
  }

  /** Runs the whole soak. Rejects with an error that says what went wrong, and the status of the peers. */
  async run(): Promise<SoakSummary> {
    const watch = setInterval(() => this.#lookForSilence(), 1_000)
    try {
      return await Promise.race([this.#run(), this.#failed.promise])
    } catch (error) {
      throw new Error(await this.#explain(error), { cause: error })
    } finally {
      clearInterval(watch)
      for (const relay of this.#relays) relay.close()
      for (const child of this.#children) child.kill()
    }
  }

  async #run(): Promise<SoakSummary> {
    const peerList = await Promise.all(this.#children.map((child) => this.#relayOf(child)))
    for (const child of this.#children) child.tell({ kind: 'connect', peerList })
    this.#weather.begin(this.#relays)
    this.#grant()
    setTimeout(() => (this.#timeIsUp = true), this.#options.minutes * 60_000).unref()
    await this.#finished.promise
    this.#weather.end()
    for (const child of this.#children) child.tell({ kind: 'close' })
    const reports = await Promise.all(this.#children.map(({ closed }) => closed.promise))
    await Promise.all(this.#children.map((child) => child.ended()))
    const memory = this.#children.map((child) => child.samples)
    const faults = this.#weather.counts
    return verdictOf({ peers, reports, memory, faults, rounds: this.#granted, vectorBytes: 4 * this.#elements })
  }

  get #elements(): number {
    return Math.max(8, Math.round((this.#options.megabytes * 1e6) / 4))
  }

  #taskOf(self: PeerName) {
    const { seed, codec, minutes, timeout } = this.#options
    const sampleEvery = (minutes * 60_000) / samples
    return { self, peers, seed, elements: this.#elements, codec, timeout: timeout * 1000, sampleEvery }
  }

  /** Puts a relay in front of a peer. Returns the peer's entry in the peer list, with the relay's address. */
  async #relayOf({ name, listening }: PeerProcess): Promise<PeerListEntry> {
    const { id, addresses } = await listening.promise
    const target = Number(/tcp\/(\d+)/.exec(addresses[0])?.[1])
    const relay = new TcpRelay(name, target, this.#weather.notice)
    const port = await relay.listen()
    this.#relays.push(relay)
    return { name, id, addresses: [`/ip4/127.0.0.1/tcp/${port}`] }
  }

  /**
   * Permits further rounds while there is time. All peers complete the permitted rounds, so that none waits for a
   * version that never comes.
   */
  #grant(): void {
    const last = Math.min(...this.#children.map(({ completed }) => completed))
    const isOver = this.#timeIsUp && this.#weather.cuts >= minCuts
    if (!isOver && last + ahead > this.#granted) {
      this.#granted = last + ahead
      for (const child of this.#children) child.tell({ kind: 'grant', rounds: this.#granted })
    }
    if (last === this.#granted) this.#finished.resolve()
  }

  /** Gives up a peer whose process is stuck, so that it cannot report it itself. */
  #lookForSilence(): void {
    const limit = this.#options.timeout * 1000 + grace
    const silent = this.#children.filter(({ heard }) => performance.now() - heard > limit)
    if (silent.length === 0) return
    const names = silent.map(({ name, completed }) => `${name} (after ${completed} rounds)`).join(', ')
    this.#failed.reject(new Error(`nothing was heard for ${limit / 1000} s of the process of ${names}`))
  }

  async #explain(error: unknown): Promise<string> {
    const standings = await Promise.all(this.#children.map((child) => child.standing()))
    const passages = this.#relays.map(
      ({ name, passages }) => `to ${name} ${passages.map(({ state }) => state).join(', ')}`
    )
    return [
      error instanceof Error ? error.message : String(error),
      ...standings.map((text, index) => `  ${peers[index]}: ${text}`),
      `  connections: ${passages.join('; ')}`,
      ...this.#weather.log.map((fault) => `  after ${fault}`)
    ].join('\n')
  }
}
