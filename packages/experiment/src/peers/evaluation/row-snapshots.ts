import { invariant } from '@murmuration/core'
import { placeRows } from '../../base/rows.js'
import type { Snapshot } from '../reporting/snapshots.js'

/** The rows of all peers after a round. */
export interface RowsOfAll {
  readonly parameters: Float32Array
  readonly snapshots: readonly Snapshot[]
}

/** Merges the rows that the peers hold after a round, once all have reported theirs. */
export class RowSnapshots {
  readonly #peers: number
  readonly #length: number
  readonly #rounds = new Map<number, Snapshot[]>()

  /** @param peers - how many peers send snapshots: workers, and servers if there are any */
  constructor(peers: number, length: number) {
    this.#peers = peers
    this.#length = length
  }

  /** Takes a peer's rows; returns the rows of all once the round is complete. */
  take(snapshot: Snapshot): RowsOfAll | undefined {
    const earlier = this.#rounds.get(snapshot.round) ?? []
    this.#rounds.set(snapshot.round, [...earlier, snapshot])
    if (earlier.length + 1 < this.#peers) return undefined
    this.#rounds.delete(snapshot.round)
    return this.#merged([...earlier, snapshot])
  }

  #merged(snapshots: readonly Snapshot[]): RowsOfAll {
    const parameters = new Float32Array(this.#length)
    let numbers = 0
    for (const { holds, parameters: rows } of snapshots) {
      if (holds !== undefined) placeRows(parameters, holds, rows)
      numbers += rows.length
    }
    invariant(numbers === this.#length, () => `the peers hold ${numbers} numbers of ${this.#length}`)
    return { parameters, snapshots }
  }
}
