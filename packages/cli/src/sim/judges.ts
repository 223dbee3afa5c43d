import type { PeerName, StepReport } from '@murmuration/core'
import { allFinite, norm } from '@murmuration/vectors'
import { keepCopy } from './keep-copy.js'

/** What a contender promises about the peers' parameters. */
export type Promised =
  /** Averaging leaves their mean where it is. */
  | 'mean-kept'
  /** After a round all have the same, bit by bit. */
  | 'identical'
  | 'nothing'

/** How far the mean may be off after averaging, beside what float32 rounding of every term explains. */
const meanTolerance = 1e-5

/** At most so many findings are kept of a run; they tend to come in thousands. */
const findingsMost = 10

/** Rounds that not all peers have reported yet; older ones are given up, since somebody has crashed. */
const openMost = 32

interface RoundSums {
  readonly before: Float64Array
  readonly after: Float64Array
  peers: number
  isWhole: boolean
}

/** Checks what every run has to keep, whatever it simulates, and what its contender promises. */
export class Judges {
  readonly #workers: readonly PeerName[]
  readonly #promised: Promised
  readonly #every: number
  readonly #found = new Set<string>()
  readonly #lastRound = new Map<PeerName, number>()
  /** What the round to be checked next begins with: copies, since a report's vectors are valid until the next step only. */
  readonly #before = new Map<PeerName, Float32Array>()
  readonly #sums = new Map<number, RoundSums>()
  readonly #models = new Map<number, { readonly model: Float32Array; peers: number }>()

  /** @param every - the parameters of every so many rounds are looked at; the rest is checked always */
  constructor(workers: readonly PeerName[], promised: Promised, every: number) {
    this.#workers = workers
    this.#promised = promised
    this.#every = every
  }

  /** What was found wrong. */
  get findings(): readonly string[] {
    return [...this.#found]
  }

  /** A peer begins anew, from round 0. */
  restarted(peer: PeerName): void {
    this.#lastRound.delete(peer)
    this.#before.delete(peer)
  }

  take(peer: PeerName, report: StepReport): void {
    const { round, parameters } = report
    const last = this.#lastRound.get(peer)
    if (round !== (last ?? -1) + 1) this.found(`${peer} reports round ${round} after round ${last ?? 'none'}`)
    this.#lastRound.set(peer, round)
    if (round % this.#every === 0) {
      if (!allFinite(parameters)) this.found(`${peer} has parameters that are not finite after round ${round}`)
      if (this.#promised === 'identical') this.#checkIdentical(peer, report)
      const before = this.#before.get(peer)
      if (before !== undefined && round > 0) this.#checkMean(report, before)
    }
    if (this.#promised === 'mean-kept' && (round + 1) % this.#every === 0) keepCopy(this.#before, peer, parameters)
  }

  #checkIdentical(peer: PeerName, { round, parameters }: StepReport): void {
    const first = this.#models.get(round)
    if (first === undefined) {
      this.#models.set(round, { model: Float32Array.from(parameters), peers: 1 })
      giveUpOldest(this.#models)
      return
    }
    if (!parameters.every((value, index) => value === first.model[index])) {
      this.found(`${peer} has other parameters than the others after round ${round}`)
    }
    if (++first.peers === this.#workers.length) this.#models.delete(round)
  }

  /** Σ_i average_i = Σ_i x_i over all peers, where nobody was missing. */
  #checkMean({ round, average, missing }: StepReport, before: Float32Array): void {
    if (average === undefined) return
    const sums = this.#sums.get(round) ?? {
      before: new Float64Array(average.length),
      after: new Float64Array(average.length),
      peers: 0,
      isWhole: true
    }
    this.#sums.set(round, sums)
    giveUpOldest(this.#sums)
    for (let k = 0; k < average.length; k++) {
      sums.before[k] += before[k]
      sums.after[k] += average[k]
    }
    sums.peers++
    if (missing.length > 0) sums.isWhole = false
    if (sums.peers < this.#workers.length) return
    this.#sums.delete(round)
    const moved = norm(Float32Array.from(sums.before, (value, k) => value - sums.after[k]))
    const allowed = meanTolerance * norm(Float32Array.from(sums.before)) + 1e-12
    if (sums.isWhole && moved > allowed)
      this.found(`averaging moved the sum of the parameters by ${moved} in round ${round}`)
  }

  /** Something that another found. */
  found(what: string): void {
    if (this.#found.size < findingsMost) this.#found.add(what)
  }
}

function giveUpOldest(rounds: Map<number, unknown>): void {
  if (rounds.size <= openMost) return
  for (const oldest of rounds.keys()) {
    rounds.delete(oldest)
    return
  }
}
