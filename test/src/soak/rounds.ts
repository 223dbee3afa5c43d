import { type Fabric, invariant, type PeerName } from '@murmuration/core'
import type { VectorMessage } from '@murmuration/wire'
import { faultOf, fillVersion } from './versions.js'

/** The input of a peer's rounds. */
export interface RoundsOptions {
  readonly fabric: Fabric<VectorMessage>
  /** All peers; a peer's index is its number in versions. */
  readonly peers: readonly PeerName[]
  readonly elements: number
  /** How long a round may take at most, in milliseconds. */
  readonly timeout: number
  /** Whether vectors arrive as they were sent, bit by bit. */
  readonly exact: boolean
  /** The status of a neighbour, for messages. */
  readonly standing: (neighbour: PeerName) => string
}

/**
 * Rounds in which a peer sends its own version to its neighbours and waits for theirs. Throws when one is not whole,
 * duplicate, out of order or missing.
 */
export class Rounds {
  readonly #options: RoundsOptions
  readonly #neighbours: readonly PeerName[]
  /** Versions of each neighbour that have arrived and belong to rounds that are not completed, oldest first. */
  readonly #received: ReadonlyMap<PeerName, VectorMessage[]>
  /** The version of the previous round, which the neighbours have by now; absent where it was already freed. */
  #previous: Float32Array | undefined
  #round = 0

  constructor(options: RoundsOptions) {
    this.#options = options
    this.#neighbours = options.fabric.neighbours(0).receiveFrom.map(({ name }) => name)
    this.#received = new Map(this.#neighbours.map((name) => [name, []]))
  }

  /** The next round, or the present one. */
  get round(): number {
    return this.#round
  }

  /** One round. */
  async run(): Promise<void> {
    const { fabric, timeout } = this.#options
    const own = this.#sendAll()
    const deadline = fabric.now() + timeout
    while (this.#missing().length > 0) {
      const envelope = await fabric.receive(deadline)
      if (envelope === undefined) throw new Error(this.#complaint())
      this.#take(envelope.from, envelope.message)
    }
    // Only now: this also detects a fabric that continues to write into a vector after handing it over.
    for (const [name, queue] of this.#received) this.#settle(name, queue.shift())
    if (this.#previous !== undefined) {
      this.#verify(fabric.self, this.#round - 1, this.#previous, 'as sent')
      fabric.free(this.#previous)
    }
    this.#previous = own
    this.#round++
  }

  /**
   * Returns the version that was sent, in every other round. In the others it is freed before it has been sent
   * completely.
   */
  #sendAll(): Float32Array | undefined {
    const { fabric, elements } = this.#options
    const vector = fabric.allocate(elements)
    fillVersion(vector, { peer: this.#placeOf(fabric.self), round: this.#round })
    for (const to of this.#neighbours) {
      const result = fabric.send(to, { kind: 1, round: this.#round, vector })
      if (result === 'queued') continue
      throw new Error(`in round ${this.#round}, what is for ${to} is ${result}: ${this.#options.standing(to)}`)
    }
    if (this.#round % 2 === 0) return vector
    fabric.free(vector)
    return undefined
  }

  #missing(): PeerName[] {
    return this.#neighbours.filter((name) => this.#received.get(name)?.length === 0)
  }

  #take(from: PeerName, message: VectorMessage): void {
    const queue = this.#received.get(from)
    invariant(queue !== undefined, () => `${from} is not a neighbour`)
    const due = this.#round + queue.length
    if (message.round !== due) throw new Error(`version ${message.round} of ${from} arrived where ${due} was due`)
    queue.push(message)
  }

  #settle(from: PeerName, message: VectorMessage | undefined): void {
    if (message === undefined) return
    this.#verify(from, message.round, message.vector, 'as received')
    this.#options.fabric.recycle(message)
  }

  #verify(owner: PeerName, round: number, vector: Float32Array, when: string): void {
    const fault = this.#options.exact ? faultOf(vector, { peer: this.#placeOf(owner), round }) : undefined
    if (fault !== undefined) throw new Error(`version ${round} of ${owner} is not complete ${when}: ${fault}`)
  }

  #placeOf(name: PeerName): number {
    return this.#options.peers.indexOf(name)
  }

  #complaint(): string {
    const { timeout, standing } = this.#options
    const missing = this.#missing().map((name) => `${name} (${standing(name)})`)
    return `round ${this.#round} is stuck: after ${timeout / 1000} s still missing ${missing.join(' and ')}`
  }
}
