/** How well a graph mixes where random pairs meet. */
import { hypot, sin, InputError, type Topology } from '@murmuration/core'

/** What Nabli, Belilovsky and Oyallon (NeurIPS 2023) call χ₁ and χ₂, in steps of a peer. */
export interface Resistances {
  /** 1 / λ₂ of the Laplacian L of rates: how long disagreement lasts. */
  readonly χ1: number
  /** Half the largest effective resistance of an edge, `max (e_i − e_j)ᵀ L⁺ (e_i − e_j) / 2`; at most χ₁. */
  readonly χ2: number
}

/**
 * The constants of A²CiD² for overlapping meetings: η and α̃, with 2 χ₂ in place of χ₂. Those of AD-PSGD where there is
 * nothing to gain.
 */
export function constantsOn(topology: Topology): { readonly mixing: number; readonly pull: number } {
  if (topology.peers.length === 1) return { mixing: 0, pull: 0.5 }
  const { χ1, χ2 } = resistancesOf(topology)
  return { mixing: 1 / (2 * Math.sqrt(χ1 * 2 * χ2)), pull: Math.max(0.5, Math.sqrt(χ1 / (2 * χ2)) / 2) }
}

/** The work grows with the cube of the number of peers: one second for this many. */
const maxPeers = 1024

/**
 * χ₁ and χ₂ where each peer asks one of its receivers in a step, each equally likely, on average over a period: L_ij =
 * −(1/d_i + 1/d_j) for neighbours of degrees d.
 *
 * @throws InputError for fewer than 2 peers or more than 1,024, and where some peers never meet, not even through
 *   others
 */
export function resistancesOf(topology: Topology): Resistances {
  const { length: n } = topology.peers
  if (n < 2 || n > maxPeers)
    throw new InputError(
      `options can follow from the graph of 2 to ${maxPeers} peers, and found ${n}; set them in the file`
    )
  const L = laplacianOf(topology)
  // L + 11ᵀ/n has no eigenvalue 0, and the added term cancels in differences along edges.
  const inverse = inverseOf(
    L.map((row) => row.map((value) => value + 1 / n)),
    topology
  )
  let χ2 = 0
  for (let i = 0; i < n; i++)
    for (let j = 0; j < i; j++)
      if (L[i][j] !== 0) χ2 = Math.max(χ2, (inverse[i][i] + inverse[j][j] - 2 * inverse[i][j]) / 2)
  return { χ1: largestOf(inverse), χ2 }
}

function laplacianOf({ peers, period, mixing }: Topology): Float64Array[] {
  const indices = new Map(peers.map((peer, index) => [peer, index]))
  const L = peers.map(() => new Float64Array(peers.length))
  for (const [i, peer] of peers.entries()) {
    for (let round = 0; round < period; round++) {
      const { sendTo } = mixing(peer, round)
      for (const { name } of sendTo) meet(L, i, indices.get(name) as number, 1 / (sendTo.length * period))
    }
  }
  return L
}

function meet(L: readonly Float64Array[], i: number, j: number, rate: number): void {
  L[i][i] += rate
  L[j][j] += rate
  L[i][j] -= rate
  L[j][i] -= rate
}

/** Gauss-Jordan elimination, in place; a positive definite matrix needs no pivoting. */
function inverseOf(A: Float64Array[], { peers }: Topology): readonly Float64Array[] {
  for (const [k, row] of A.entries()) {
    const pivot = row[k]
    if (!(pivot > 1e-12)) throw new InputError(`${peers[k]} and others never meet, not even indirectly`)
    row[k] = 1
    for (let j = 0; j < row.length; j++) row[j] /= pivot
    for (const [i, other] of A.entries()) {
      const factor = other[k]
      if (i === k || factor === 0) continue
      other[k] = 0
      for (let j = 0; j < row.length; j++) other[j] -= factor * row[j]
    }
  }
  return A
}

/**
 * The largest eigenvalue on the vectors whose components sum to 0, by the power method, from below, to about 10⁻⁶ of
 * it.
 */
function largestOf(A: readonly Float64Array[]): number {
  let v = A.map((_, index) => sin(1 + index ** 2))
  let found = 0
  for (let step = 0; step < 2000; step++) {
    const mean = v.reduce((sum, value) => sum + value, 0) / v.length
    const centred = v.map((value) => value - mean)
    const norm = hypot(...centred)
    const unit = centred.map((value) => value / norm)
    v = A.map((row) => unit.reduce((sum, value, j) => sum + row[j] * value, 0))
    const next = v.reduce((sum, value, index) => sum + value * unit[index], 0)
    if (step > 50 && Math.abs(next - found) < 1e-9 * next) break
    found = next
  }
  return found
}
