import { InputError, type PeerName, peerName } from '@murmuration/core'
import { z } from 'zod'

/** The protocol by which a peer asks a neighbour how many samples which peer has. */
export const samplesProtocol = '/murmuration/samples/1'

/** What an answer says: names with counts, each name once. */
const answer = z.array(z.tuple([z.string(), z.int().min(1)])).max(1 << 14)

/**
 * How many samples each peer of a topology has. Each peer knows its own count, and asks its neighbours for what they know, again and
 * again until it knows all: so counts reach everybody from neighbour to neighbour. What others say of this peer is not listened to.
 */
export class SampleCounts {
  readonly #self: PeerName
  readonly #peers: readonly PeerName[]
  readonly #known = new Map<PeerName, { readonly samples: number; readonly from: PeerName }>()

  constructor(self: PeerName, peers: readonly PeerName[]) {
    this.#self = self
    this.#peers = peers
  }

  /** Whose counts are not known yet. */
  get missing(): readonly PeerName[] {
    return this.#peers.filter((name) => !this.#known.has(name))
  }

  /** What is known, in the order of the topology's peers. */
  known(): ReadonlyMap<PeerName, number> {
    return new Map(
      this.#peers.flatMap((name) => {
        const entry = this.#known.get(name)
        return entry === undefined ? [] : [[name, entry.samples] as const]
      })
    )
  }

  /** Sets this peer's own count, which it tells from now on. */
  setOwn(samples: number): void {
    this.#known.set(this.#self, { samples, from: this.#self })
  }

  /** What is known, as an answer. */
  answer(): unknown {
    return [...this.known()]
  }

  /** Takes in what a neighbour answered. Throws for what is no answer, and an InputError for a contradiction. */
  merge(from: PeerName, given: unknown): void {
    for (const [text, samples] of answer.parse(given)) {
      const name = peerName(text)
      if (name === this.#self || !this.#peers.includes(name)) continue
      const before = this.#known.get(name)
      if (before === undefined || from === name) this.#known.set(name, { samples, from })
      if (before !== undefined && before.samples !== samples) {
        throw new InputError(
          `"${before.from}" says that "${name}" has ${before.samples} samples, "${from}" says ${samples}; start all peers anew`
        )
      }
    }
  }
}
