import type { Keeps } from '@murmuration/algorithms'
import type { PeerName, StepReport } from '@murmuration/core'
import { allFinite, norm } from '@murmuration/vectors'
import { keepCopy } from './keep-copy.js'

/** How far the mean may be off after a round, as a fraction of the sum of all parameters: float32 rounds every term. */
const meanTolerance = 1e-5

/** At most so many findings are kept of a run; they tend to come in thousands. */
const maxFindings = 10

/** Rounds that not all peers have reported yet; older ones are given up, since somebody has crashed. */
const maxOpen = 32

interface RoundSums {
  readonly before: Float64Array
  /** What came to it that no optimiser has moved. */
  readonly change: Float64Array
  weight: number
  peers: number
  isWhole: boolean
}

/** Checks what every run has to keep, whatever it simulates, and what its algorithm keeps. */
export class InvariantCheckers {
  readonly #workers: readonly PeerName[]
  readonly #keeps: Keeps
  readonly #every: number
  readonly #mayJoin: boolean
  readonly #found = new Set<string>()
  readonly #lives = new Map<PeerName, number>()
  readonly #lastRound = new Map<PeerName, number>()
  /** What the round to be checked next begins with: copies, since a report's vectors are valid until the next step only. */
  readonly #before = new Map<PeerName, Float32Array>()
  readonly #weights = new Map<PeerName, number>()
  readonly #sums = new Map<number, RoundSums>()
  readonly #models = new Map<number, { readonly model: Float32Array; peers: number }>()

  /**
   * @param every - the parameters of every so many rounds are looked at; the rest is checked always
   * @param mayJoin - whether a peer may begin in the midst of a run, with a state that it took from another
   */
  constructor(workers: readonly PeerName[], keeps: Keeps, every: number, mayJoin = false) {
    this.#mayJoin = mayJoin
    this.#workers = workers
    this.#keeps = keeps
    this.#every = every
  }

  /** What was found wrong. */
  get findings(): readonly string[] {
    return [...this.#found]
  }

  /** A process of a peer begins anew, from round 0. */
  restarted(peer: PeerName): void {
    this.#lastRound.delete(peer)
    this.#before.delete(peer)
  }

  take(peer: PeerName, report: StepReport): void {
    const { round, parameters, life = 1 } = report
    const last = this.#lastRound.get(peer)
    const isNewLife = this.#mayJoin && (last === undefined || life !== this.#lives.get(peer))
    if (isNewLife) this.#before.delete(peer)
    const next = (last ?? -1) + 1
    // Who takes a state goes on in a later round.
    if (isNewLife ? round < next : round !== next)
      this.found(`${peer} reports round ${round} after round ${last ?? 'none'}`)
    this.#lives.set(peer, life)
    this.#lastRound.set(peer, round)
    if (round % this.#every === 0) {
      if (!allFinite(parameters)) this.found(`${peer} has parameters that are not finite after round ${round}`)
      if (this.#keeps === 'equality') this.#checkIdentical(peer, report)
      const before = this.#before.get(peer)
      if (before !== undefined && round > 0) this.#checkMean(peer, report, before)
    }
    if ((this.#keeps === 'mean' || this.#keeps === 'weighted mean') && (round + 1) % this.#every === 0) {
      keepCopy(this.#before, peer, summed(report))
      this.#weights.set(peer, report.mass?.w ?? 1)
    }
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

  /** `Σ_i x_i` moves by what the optimisers move, and `Σ_i w_i` not at all, where nobody was missing. */
  #checkMean(peer: PeerName, report: StepReport, before: Float32Array): void {
    const { round } = report
    const sums = this.#sums.get(round) ?? newSums(before.length)
    this.#sums.set(round, sums)
    giveUpOldest(this.#sums)
    addTo(sums, before, report)
    sums.weight += (report.mass?.w ?? 1) - (this.#weights.get(peer) ?? 1)
    if (sums.peers < this.#workers.length) return
    this.#sums.delete(round)
    const moved = norm(Float32Array.from(sums.change))
    const allowed = meanTolerance * norm(Float32Array.from(sums.before)) + 1e-12
    if (!sums.isWhole) return
    if (moved > allowed)
      this.found(`the sum of the parameters moved by ${moved} in round ${round} without an optimiser`)
    if (Math.abs(sums.weight) > meanTolerance * sums.peers)
      this.found(`the sum of the weights moved by ${sums.weight} in round ${round}`)
  }

  /** Something that another found. */
  found(what: string): void {
    if (this.#found.size < maxFindings) this.#found.add(what)
  }
}

function newSums(length: number): RoundSums {
  return { before: new Float64Array(length), change: new Float64Array(length), weight: 0, peers: 0, isWhole: true }
}

/** What the sum is of: the parameters, or with weights what has the weight. */
function summed({ mass, parameters }: StepReport): Float32Array {
  return mass?.x.values ?? parameters
}

function addTo(sums: RoundSums, before: Float32Array, report: StepReport): void {
  const after = summed(report)
  for (let k = 0; k < after.length; k++) {
    sums.before[k] += before[k]
    sums.change[k] += after[k] - before[k]
  }
  for (const { from, to } of report.moves) {
    for (let k = 0; k < after.length; k++) sums.change[k] -= to.values[k] - from.values[k]
  }
  sums.peers++
  // What one end has mixed in, and the other mixes in later, moves the sums of two rounds.
  if (report.missing.length + (report.late?.length ?? 0) > 0) sums.isWhole = false
}

function giveUpOldest(rounds: Map<number, unknown>): void {
  if (rounds.size <= maxOpen) return
  for (const oldest of rounds.keys()) {
    rounds.delete(oldest)
    return
  }
}
