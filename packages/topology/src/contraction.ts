import { log, pow, type Topology } from '@murmuration/core'
import { centre, type Extremes, extremeEigenvalues, type SymmetricMap } from './lanczos.js'
import { mixingMatrix } from './mixing-topology.js'
import { applyMixing, type SparseMatrix, transpose } from './sparse.js'

/** How fast plain averaging forgets disagreement. Disagreement is the norm of the peers' distances from their mean. */
export interface Contraction {
  /** After how many rounds the mixing repeats. */
  readonly period: number
  /** Over one period disagreement shrinks at least to this fraction of itself; 1 or more where nothing is promised. */
  readonly perPeriod: number
  /** The same per round, on average over a period. */
  readonly perRound: number
  /** 1 − `perRound`; for a static symmetric `W` this is 1 − max(|λ₂|, |λₙ|). */
  readonly spectralGap: number
  /** λ₂ and λₙ of `W`, for a static symmetric topology of two or more peers. */
  readonly eigenvalues?: { readonly second: number; readonly last: number }
}

/** Contraction below this is rounding: the peers agree exactly. */
const roundingError = 1e-12

/**
 * The contraction of a topology, accurate to at least 10⁻⁶, for up to some 10,000 peers within seconds. A symmetric
 * static `W` gives it by its eigenvalues; otherwise it is the norm of one period's product with the mean removed,
 * `‖W_{f+p−1} … W_f − 11ᵀ/n‖₂`, when that is doubly stochastic.
 *
 * @param first - the round f that the period begins with: products of the same matrices in another order differ
 */
export function contraction(topology: Topology, first = 0): Contraction {
  const matrices = Array.from({ length: topology.period }, (_, round) => mixingMatrix(topology, first + round))
  if (matrices.length === 1 && isSymmetric(matrices[0])) return symmetric(matrices[0])
  const { largest } = extremeEigenvalues(topology.peers.length, squareOf(matrices))
  return facts(matrices.length, Math.sqrt(Math.max(0, largest)))
}

/**
 * The number of rounds, in whole periods, after which disagreement is at most `factor` (above 0, at most 1) times its
 * start. Infinity when nothing guarantees that.
 */
export function roundsToConsensus({ period, perPeriod }: Contraction, factor: number): number {
  if (!(factor > 0 && factor <= 1))
    throw new RangeError(`found the factor ${factor}, expected one above 0 and at most 1`)
  if (factor === 1) return 0
  if (perPeriod === 0) return period
  if (perPeriod >= 1) return Number.POSITIVE_INFINITY
  // A part of a period that comes only from rounding does not count.
  return period * Math.max(1, Math.ceil(log(factor) / log(perPeriod) - 1e-9))
}

/**
 * The number of rounds from round `first` on after which disagreement is at most `factor` times its start: whole
 * periods, at once or from the next multiple of the period on. Graphs that agree exactly within a period do so only
 * from there. Infinity when nothing guarantees it.
 */
export function averagingRounds(topology: Topology, first: number, factor: number): number {
  const { period } = topology
  const skipped = (period - (first % period)) % period
  const atOnce = roundsToConsensus(contraction(topology, first), factor)
  return skipped === 0 ? atOnce : Math.min(atOnce, skipped + roundsToConsensus(contraction(topology), factor))
}

/** Whether `W_ij` = `W_ji` throughout, up to rounding. */
export function isSymmetric(matrix: SparseMatrix): boolean {
  const other = transpose(matrix)
  return (
    matrix.columns.length === other.columns.length &&
    matrix.columns.every((column, index) => column === other.columns[index]) &&
    matrix.values.every((value, index) => Math.abs(value - other.values[index]) < roundingError)
  )
}

function symmetric(matrix: SparseMatrix): Contraction {
  const extremes = extremeEigenvalues(matrix.size, (x, into) => {
    applyMixing(matrix, x, into)
  })
  const fraction = Math.max(Math.abs(extremes.smallest), Math.abs(extremes.largest))
  return { ...facts(1, fraction), ...(matrix.size > 1 && { eigenvalues: eigenvaluesOf(extremes) }) }
}

function eigenvaluesOf({ largest, smallest }: Extremes) {
  return { second: largest, last: smallest }
}

function facts(period: number, fraction: number): Contraction {
  // Rounding must not turn a topology that never agrees into one that agrees after 10¹⁵ rounds.
  const perPeriod = fraction < roundingError ? 0 : Math.abs(fraction - 1) < roundingError ? 1 : fraction
  const perRound = pow(perPeriod, 1 / period)
  return { period, perPeriod, perRound, spectralGap: 1 - perRound }
}

/**
 * `MᵀM` for `M` = one period of mixing with the mean removed: its largest eigenvalue is the square of the norm of `M`.
 */
function squareOf(matrices: readonly SparseMatrix[]): SymmetricMap {
  const steps = [...matrices, ...matrices.map(transpose).reverse()]
  const buffers = [new Float64Array(matrices[0].size), new Float64Array(matrices[0].size)]
  return (x, into) => {
    let value = x
    for (const [step, matrix] of steps.entries()) {
      value = applyMixing(matrix, value, step === steps.length - 1 ? into : buffers[step % 2])
      if (step === matrices.length - 1) centre(value)
    }
    centre(into)
  }
}
