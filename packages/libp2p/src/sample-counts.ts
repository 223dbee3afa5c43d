import type { Connection, Stream } from '@libp2p/interface'
import { lpStream } from '@libp2p/utils'
import { InputError, type Milliseconds, type PeerName, peerName } from '@murmuration/core'
import { fromString } from 'uint8arrays/from-string'
import { toString as textOf } from 'uint8arrays/to-string'
import { z } from 'zod'
import { controlBytes } from './constants.js'

/** The protocol by which a peer asks a neighbour how many samples which peer has. */
export const samplesProtocol = '/murmuration/samples/1'

/** What an answer says: names with counts, each name once. */
const answer = z.array(z.tuple([z.string(), z.int().min(1)]))

/**
 * How many samples each peer of a topology has. Each peer knows its own count, and asks its neighbours for what they know, again and
 * again until it knows all: so counts reach everybody from neighbour to neighbour. What others say of this peer is not listened to.
 */
export class SampleCounts {
  readonly #self: PeerName
  readonly #peers: readonly PeerName[]
  readonly #timeout: Milliseconds
  readonly #known = new Map<PeerName, { readonly samples: number; readonly from: PeerName }>()

  /** @param timeout - how long one question, or the answer to one, may take */
  constructor(self: PeerName, peers: readonly PeerName[], timeout: Milliseconds) {
    this.#self = self
    this.#peers = peers
    this.#timeout = timeout
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

  /** Answers one question with all that is known, and closes the stream. */
  async answer(stream: Stream): Promise<void> {
    const signal = AbortSignal.timeout(this.#timeout)
    try {
      await lpStream(stream).write(fromString(JSON.stringify([...this.known()]), 'utf8'), { signal })
      await stream.close({ signal })
    } catch (error) {
      stream.abort(error instanceof Error ? error : new Error(String(error)))
    }
  }

  /**
   * Asks a neighbour. Rejects when it does not answer, or wrongly.
   * @throws InputError when it contradicts another neighbour
   */
  async ask(from: PeerName, connection: Connection): Promise<void> {
    const signal = AbortSignal.timeout(this.#timeout)
    const stream = await connection.newStream(samplesProtocol, { signal })
    try {
      const bytes = await lpStream(stream, { maxDataLength: controlBytes }).read({ signal })
      this.merge(from, bytes.subarray())
      await stream.close({ signal })
    } catch (error) {
      stream.abort(error instanceof Error ? error : new Error(String(error)))
      throw error
    }
  }

  /** Takes in what a neighbour answered. Throws for what is no answer, and an InputError for a contradiction. */
  merge(from: PeerName, bytes: Uint8Array): void {
    for (const [text, samples] of answer.parse(JSON.parse(textOf(bytes, 'utf8')))) {
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
