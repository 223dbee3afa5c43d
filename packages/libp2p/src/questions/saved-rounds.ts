import { InputError, type PeerName, peerName } from '@murmuration/core'
import * as z from 'zod'

/** The protocol by which a peer asks a neighbour for the checkpoints of all peers. */
export const checkpointsProtocol = '/murmuration/checkpoints/1'

const round = z.int().min(0)
/**
 * Per peer: the rounds that it had saved at its start, and the newest that it has saved since, if known; whether it no
 * longer counted.
 */
const answer = z
  .array(
    z.object({
      name: z.string(),
      before: z.array(round).max(64).optional(),
      newest: round.optional(),
      gone: z.boolean().optional()
    })
  )
  .max(1 << 14)

/** What is known of one peer. */
interface PeerRounds {
  before?: readonly number[]
  from?: PeerName
  newest?: number
  /** The checkpoint of some peer says that this one no longer counted, so its rounds do not matter. */
  gone?: boolean
}

/**
 * The rounds that each peer has saved. Each peer knows its own, and asks its neighbours for those that they know, so
 * that they spread from neighbour to neighbour. What others say about this peer is ignored, except that it was gone.
 */
export class SavedRounds {
  readonly #self: PeerName
  readonly #entries: ReadonlyMap<PeerName, PeerRounds>

  /** @param peers - all peers that save, including this one */
  constructor(self: PeerName, peers: readonly PeerName[]) {
    this.#self = self
    this.#entries = new Map(peers.map((name) => [name, {}]))
  }

  /** The peers that count, with unknown rounds at their start. */
  get missing(): readonly PeerName[] {
    return [...this.#entries].flatMap(([name, { before, gone }]) =>
      before === undefined && gone !== true ? [name] : []
    )
  }

  /** The known rounds that each peer that counts had at its start. */
  before(): ReadonlyMap<PeerName, readonly number[]> {
    const counted = [...this.#entries].filter(([, { gone }]) => gone !== true)
    return new Map(counted.flatMap(([name, { before }]) => (before === undefined ? [] : [[name, before]])))
  }

  /** The newest round that each other peer that counts has saved; −1 when unknown. */
  newestOfOthers(): readonly number[] {
    const others = [...this.#entries].filter(([name, { gone }]) => name !== this.#self && gone !== true)
    return others.map(([, { newest = -1 }]) => newest)
  }

  /** @param gone - the peers that no longer counted when the newest of these rounds was saved */
  setBefore(rounds: readonly number[], gone: readonly PeerName[] = []): void {
    const ownEntry = this.#entries.get(this.#self)
    if (ownEntry !== undefined) Object.assign(ownEntry, { before: rounds, from: this.#self })
    for (const name of gone) Object.assign(this.#entries.get(name) ?? {}, { gone: true })
  }

  setNewest(round: number): void {
    const ownEntry = this.#entries.get(this.#self)
    if (ownEntry !== undefined) ownEntry.newest = round
  }

  /** All known rounds, as an answer. */
  answer(): unknown {
    return [...this.#entries].map(([name, { before, newest, gone }]) => ({ name, before, newest, gone }))
  }

  /** Merges a neighbour's answer. Throws for a malformed one, and an InputError for a contradiction. */
  merge(from: PeerName, message: unknown): void {
    for (const { name: text, before, newest, gone } of answer.parse(message)) {
      const name = peerName(text)
      const entry = this.#entries.get(name)
      if (entry === undefined) continue
      if (gone === true) entry.gone = true
      if (name === this.#self) continue
      if (newest !== undefined) entry.newest = Math.max(entry.newest ?? -1, newest)
      if (before === undefined) continue
      if (entry.before !== undefined && entry.before.join() !== before.join()) {
        throw new InputError(
          `"${entry.from}" reports the checkpoints ${entry.before.join(', ')} of "${name}", "${from}" reports ${before.join(', ')}; restart all peers`
        )
      }
      Object.assign(entry, { before, from: entry.from ?? from })
    }
  }
}
