import type { Milliseconds, NeighbourDistance, Outlier, PeerName } from '@murmuration/core'
import type { Vector } from '../vectors/vector.js'

/** What happened in a round, for its report. */
export interface RoundFacts {
  readonly waited: Milliseconds
  readonly missing: readonly PeerName[]
  readonly unsent: readonly PeerName[]
  readonly distances: readonly NeighbourDistance[]
  readonly outliers: readonly Outlier[]
  /** The inputs and results of the run's optimiser. */
  readonly moves: readonly { readonly from: Vector; readonly to: Vector }[]
}

/** Notes what happens in a round. */
export class RoundNotes {
  /** How far the models of neighbours are from this peer's. */
  distances: readonly NeighbourDistance[] = nothing
  /** The neighbours whose models are much farther away than is typical. */
  outliers: readonly Outlier[] = nothing
  /** How long this peer has waited for others since its start. */
  waitedInAll: Milliseconds = 0
  #waited: Milliseconds = 0
  #missing: Set<PeerName> | undefined
  #unsent: Set<PeerName> | undefined
  #moves: RoundFacts['moves'] = nothing

  waited(time: Milliseconds): void {
    this.#waited += time
    this.waitedInAll += time
  }

  unsent(peer: PeerName): void {
    this.#unsent ??= new Set()
    this.#unsent.add(peer)
  }

  missed(peers: readonly PeerName[]): void {
    this.#missing ??= new Set()
    for (const peer of peers) this.#missing.add(peer)
  }

  /** Keeps the vectors of a step until the round is reported. */
  moved(from: Vector, to: Vector): void {
    from.isOfRound = true
    to.isOfRound = true
    const move = { from, to }
    this.#moves = this.#moves.length === 0 ? [move] : [...this.#moves, move]
  }

  /** What happened since the last call. */
  take(): RoundFacts {
    const facts = {
      waited: this.#waited,
      missing: this.#missing === undefined ? nothing : [...this.#missing],
      unsent: this.#unsent === undefined ? nothing : [...this.#unsent],
      distances: this.distances,
      outliers: this.outliers,
      moves: this.#moves
    }
    this.#waited = 0
    this.#missing = undefined
    this.#unsent = undefined
    this.distances = nothing
    this.outliers = nothing
    this.#moves = nothing
    return facts
  }
}

const nothing: readonly never[] = []
