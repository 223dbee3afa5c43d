import type { Keeps } from '@murmuration/algorithms'
import type { PeerName, StepReport } from '@murmuration/core'
import { allFinite, norm } from '@murmuration/vectors'
import { keepCopy } from './keep-copy.js'

/**
 * The allowed error of a sum over the peers after a round, as a fraction of the sum of the terms' magnitudes: float32
 * rounds every term.
 */
const meanTolerance = 1e-5

/** The maximum number of findings per run: a violation tends to cause thousands. */
const maxFindings = 10

/**
 * The maximum number of rounds that some peers have not reported yet; older ones are given up, since a peer must have
 * crashed.
 */
const maxOpen = 32

interface RoundSums {
  /**
   * Of the magnitudes before or after the round, whichever is larger. Peers that are far apart may have a sum near 0.
   */
  readonly magnitude: Float64Array
  /** The change that no optimiser caused. */
  readonly change: Float64Array
  weight: number
  peers: number
  isWhole: boolean
}

/** Checks the invariants of every run, and those of its algorithm. */
export class InvariantCheckers {
  readonly #workers: readonly PeerName[]
  readonly #keeps: Keeps
  readonly #every: number
  readonly #mayJoin: boolean
  readonly #found = new Set<string>()
  /** The life and the epoch of each peer. */
  readonly #stretches = new Map<PeerName, string>()
  readonly #lastRound = new Map<PeerName, number>()
  /** The values before the next round to check: copies, since a report's vectors are valid only until the next step. */
  readonly #before = new Map<PeerName, Float32Array>()
  readonly #weights = new Map<PeerName, number>()
  readonly #sums = new Map<number, RoundSums>()
  /**
   * The mean of this round and earlier ones is not checked: a peer began again, and the others mixed messages of its
   * earlier process.
   */
  #lastMixed = -1
  readonly #models = new Map<number, { readonly model: Float32Array; readonly epoch: number; peers: number }>()

  /**
   * @param every - how often parameters are checked, in rounds; everything else is always checked
   * @param mayJoin - whether a peer may begin during a run, with a state that it took from another
   */
  constructor(workers: readonly PeerName[], keeps: Keeps, every: number, mayJoin = false) {
    this.#mayJoin = mayJoin
    this.#workers = workers
    this.#keeps = keeps
    this.#every = every
  }

  /** The violations that were found. */
  get findings(): readonly string[] {
    return [...this.#found]
  }

  /** A process of a peer begins, or begins again, from round 0. */
  restarted(peer: PeerName): void {
    // The others may have mixed a message that the earlier process sent in its last, unfinished round.
    const last = this.#lastRound.get(peer)
    if (last !== undefined) this.#lastMixed = Math.max(this.#lastMixed, last + 1)
    this.#lastRound.delete(peer)
    this.#before.delete(peer)
  }

  take(peer: PeerName, report: StepReport): void {
    const { round, parameters, life = 1, epoch = 0 } = report
    const last = this.#lastRound.get(peer)
    const stretch = `life ${life}, epoch ${epoch}`
    const isNew = this.#mayJoin && (last === undefined || stretch !== this.#stretches.get(peer))
    if (isNew) this.#before.delete(peer)
    if (isNew && epoch > 0) this.#lastMixed = Math.max(this.#lastMixed, round)
    const next = (last ?? -1) + 1
    // A peer that takes over a state continues in a later round; where each counts its own, an epoch in an earlier one.
    const isRight = isNew ? round >= next || epoch > 0 : round === next
    if (!isRight) this.found(`${peer} reports round ${round} after round ${last ?? 'none'}`)
    this.#stretches.set(peer, stretch)
    this.#lastRound.set(peer, round)
    if (round % this.#every === 0) {
      if (!allFinite(parameters)) this.found(`${peer} has parameters that are not finite after round ${round}`)
      if (this.#keeps === 'equality') this.#checkIdentical(peer, report)
      const previous = this.#before.get(peer)
      if (previous !== undefined && round > 0) this.#checkMean(peer, report, previous)
    }
    if ((this.#keeps === 'mean' || this.#keeps === 'weighted mean') && (round + 1) % this.#every === 0) {
      keepCopy(this.#before, peer, summed(report))
      this.#weights.set(peer, report.mass?.w ?? 1)
    }
  }

  #checkIdentical(peer: PeerName, { round, parameters, epoch = 0 }: StepReport): void {
    const first = this.#models.get(round)
    // A round that was given up is repeated in the next epoch, by others.
    if (first === undefined || first.epoch < epoch) {
      this.#models.set(round, { model: Float32Array.from(parameters), epoch, peers: 1 })
      giveUpOldest(this.#models)
      return
    }
    if (first.epoch > epoch) return
    if (!parameters.every((value, index) => value === first.model[index])) {
      this.found(`${peer} has parameters that differ from those of the others after round ${round}`)
    }
    if (++first.peers === this.#workers.length) this.#models.delete(round)
  }

  /** `Σ_i x_i` may change only by optimiser steps, and `Σ_i w_i` not at all, if no peer was missing. */
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
    const allowed = meanTolerance * norm(Float32Array.from(sums.magnitude)) + 1e-12
    if (!sums.isWhole || round <= this.#lastMixed) return
    if (moved > allowed)
      this.found(`the sum of the parameters moved by ${moved} in round ${round} without an optimiser`)
    if (Math.abs(sums.weight) > meanTolerance * sums.peers)
      this.found(`the sum of the weights moved by ${sums.weight} in round ${round}`)
  }

  /** Adds a finding of another check. */
  found(what: string): void {
    if (this.#found.size < maxFindings) this.#found.add(what)
  }
}

function newSums(length: number): RoundSums {
  return { magnitude: new Float64Array(length), change: new Float64Array(length), weight: 0, peers: 0, isWhole: true }
}

/** The vector to sum: the parameters, or with weights the weighted vector. */
function summed({ mass, parameters }: StepReport): Float32Array {
  return mass?.x.values ?? parameters
}

function addTo(sums: RoundSums, before: Float32Array, report: StepReport): void {
  const after = summed(report)
  for (let k = 0; k < after.length; k++) {
    sums.magnitude[k] += Math.max(Math.abs(before[k]), Math.abs(after[k]))
    sums.change[k] += after[k] - before[k]
  }
  for (const { from, to } of report.moves) {
    for (let k = 0; k < after.length; k++) sums.change[k] -= to.values[k] - from.values[k]
  }
  sums.peers++
  // If one end mixes a message in one round and the other end in a later round, the sums of both rounds move.
  if (report.missing.length + (report.late?.length ?? 0) > 0) sums.isWhole = false
}

function giveUpOldest(rounds: Map<number, unknown>): void {
  if (rounds.size <= maxOpen) return
  for (const oldest of rounds.keys()) {
    rounds.delete(oldest)
    return
  }
}
