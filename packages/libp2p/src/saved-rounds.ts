import { InputError, type PeerName, peerName } from '@murmuration/core'
import { z } from 'zod'

/** The protocol by which a peer asks a neighbour which checkpoints which peer has. */
export const checkpointsProtocol = '/murmuration/checkpoints/1'

const round = z.int().min(0)
/** Of each peer: the rounds that it had saved at its start, and the newest that it has saved since, if they are known. */
const answer = z.array(
  z.object({ name: z.string(), before: z.array(round).max(64).optional(), newest: round.optional() })
)

/** What of one peer is known. */
interface Known {
  before?: readonly number[]
  from?: PeerName
  newest?: number
}

/**
 * Which rounds each peer has saved. Each peer knows its own, and asks its neighbours for what they know, so that it reaches everybody
 * from neighbour to neighbour. What others say of this peer is not listened to.
 */
export class SavedRounds {
  readonly #self: PeerName
  readonly #known: ReadonlyMap<PeerName, Known>

  /** @param peers - all that save, this one among them */
  constructor(self: PeerName, peers: readonly PeerName[]) {
    this.#self = self
    this.#known = new Map(peers.map((name) => [name, {}]))
  }

  /** Who has not said yet what it had at its start. */
  get missing(): readonly PeerName[] {
    return [...this.#known].flatMap(([name, { before }]) => (before === undefined ? [name] : []))
  }

  /** What each peer had at its start, as far as it is known. */
  before(): ReadonlyMap<PeerName, readonly number[]> {
    return new Map([...this.#known].flatMap(([name, { before }]) => (before === undefined ? [] : [[name, before]])))
  }

  /** The newest round that each other peer has saved; −1 where nothing is known. */
  newestOfOthers(): readonly number[] {
    const others = [...this.#known].filter(([name]) => name !== this.#self)
    return others.map(([, { newest = -1 }]) => newest)
  }

  setBefore(rounds: readonly number[]): void {
    const own = this.#known.get(this.#self)
    if (own !== undefined) Object.assign(own, { before: rounds, from: this.#self })
  }

  setNewest(round: number): void {
    const own = this.#known.get(this.#self)
    if (own !== undefined) own.newest = round
  }

  /** What is known, as an answer. */
  answer(): unknown {
    return [...this.#known].map(([name, { before, newest }]) => ({ name, before, newest }))
  }

  /** Takes in what a neighbour answered. Throws for what is no answer, and an InputError for a contradiction. */
  merge(from: PeerName, given: unknown): void {
    for (const { name: text, before, newest } of answer.parse(given)) {
      const name = peerName(text)
      const known = this.#known.get(name)
      if (known === undefined || name === this.#self) continue
      if (newest !== undefined) known.newest = Math.max(known.newest ?? -1, newest)
      if (before === undefined) continue
      if (known.before !== undefined && known.before.join() !== before.join()) {
        throw new InputError(
          `"${known.from}" says that "${name}" had the checkpoints ${known.before.join(', ')}, "${from}" says ${before.join(', ')}; start all peers anew`
        )
      }
      Object.assign(known, { before, from: known.from ?? from })
    }
  }
}
