import { InputError, type PeerName, peerName } from '@murmuration/core'
import * as z from 'zod'

/** The protocol by which a peer asks a neighbour for the sample counts of all peers. */
export const samplesProtocol = '/murmuration/samples/1'

/** An answer: names with counts, each name once. */
const answer = z.array(z.tuple([z.string(), z.int().min(1)])).max(1 << 14)

/**
 * How many samples each peer of a topology has. Each peer knows its own count, and asks its neighbours repeatedly for
 * the counts that they know, until it knows all. So counts spread from neighbour to neighbour. What others say about
 * this peer is ignored.
 */
export class SampleCounts {
  readonly #self: PeerName
  readonly #peers: readonly PeerName[]
  readonly #counts = new Map<PeerName, { readonly samples: number; readonly from: PeerName }>()

  constructor(self: PeerName, peers: readonly PeerName[]) {
    this.#self = self
    this.#peers = peers
  }

  /** The peers with unknown counts. */
  get missing(): readonly PeerName[] {
    return this.#peers.filter((name) => !this.#counts.has(name))
  }

  /** The known counts, in the order of the topology's peers. */
  counts(): ReadonlyMap<PeerName, number> {
    return new Map(
      this.#peers.flatMap((name) => {
        const entry = this.#counts.get(name)
        return entry === undefined ? [] : [[name, entry.samples] as const]
      })
    )
  }

  /** Sets this peer's own count, which its answers contain from now on. */
  setOwn(samples: number): void {
    this.#counts.set(this.#self, { samples, from: this.#self })
  }

  /** The known counts, as an answer. */
  answer(): unknown {
    return [...this.counts()]
  }

  /** Merges a neighbour's answer. Throws for a malformed one, and an InputError for a contradiction. */
  merge(from: PeerName, message: unknown): void {
    for (const [text, samples] of answer.parse(message)) {
      const name = peerName(text)
      if (name === this.#self || !this.#peers.includes(name)) continue
      const previous = this.#counts.get(name)
      if (previous === undefined || from === name) this.#counts.set(name, { samples, from })
      if (previous !== undefined && previous.samples !== samples) {
        throw new InputError(
          `"${previous.from}" reports ${previous.samples} samples for "${name}", "${from}" reports ${samples}; restart all peers`
        )
      }
    }
  }
}
