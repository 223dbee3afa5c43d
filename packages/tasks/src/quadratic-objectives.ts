import { createRandom, direction, normals } from '@murmuration/random'
import { addTo, average, inner, orthonormal, plus, solve, symmetric, times, type DoubleVector } from './matrices.js'
import type { CompleteQuadraticOptions } from './quadratic-options.js'

/** The objective (x − centre)ᵀ H (x − centre). */
export interface Objective {
  readonly hessian: DoubleVector
  readonly centre: DoubleVector
}

/** The objectives of all peers, and their mean. */
export interface Objectives {
  /** In the order of the peers. */
  readonly objectives: readonly Objective[]
  /** The mean of them has its minimum here, and equals this objective plus that minimum. */
  readonly mean: Objective
  /** The minimum of the mean. */
  readonly minimum: number
}

/**
 * All peers' objectives: the centres c_i lie in random directions, scaled about the optimum of their mean until ζ² is
 * right, and moved so that this optimum lies at `distance` from 0. A single peer has no other to differ from: its ζ²
 * is 0.
 */
export function drawObjectives(options: CompleteQuadraticOptions): Objectives {
  const { peers, seed, dimension, distance } = options
  const optimum = direction(dimension, createRandom(seed, 'optimum')).map((value) => value * distance)
  const hessians = peers.map((peer) => hessianOf(peer, options))
  const hessian = average(hessians)
  const centres = peers.map((peer) => normals(dimension, createRandom(seed, 'centre', peer)))
  const common = solve(hessian, average(hessians.map((curvature, i) => times(curvature, centres[i]))))
  const offsets = centres.map((centre) => plus(centre, -1, common))
  const unscaled = meanSquare(hessians.map((curvature, i) => times(curvature, offsets[i])))
  const scale = peers.length > 1 ? Math.sqrt(options.heterogeneity / unscaled) : 0
  const objectives = hessians.map((curvature, i) => ({ hessian: curvature, centre: plus(optimum, scale, offsets[i]) }))
  return { objectives, mean: { hessian, centre: optimum }, minimum: meanValue(objectives, optimum) }
}

/**
 * The linear terms of a peer's samples, one after the other: their mean is 0 and their mean square is noise². None
 * without noise.
 */
export function drawNoises(peer: string, { seed, dimension, noise, samples }: CompleteQuadraticOptions): DoubleVector {
  if (noise === 0) return new Float64Array()
  const random = createRandom(seed, 'noise', peer)
  const draws = Array.from({ length: samples }, () => normals(dimension, random))
  const centre = average(draws)
  for (const draw of draws) addTo(draw, -1, centre)
  const scale = noise / Math.sqrt(meanSquare(draws))
  const noises = new Float64Array(samples * dimension)
  draws.forEach((draw, k) =>
    noises.set(
      draw.map((value) => value * scale),
      k * dimension
    )
  )
  return noises
}

function hessianOf(peer: string, options: CompleteQuadraticOptions): DoubleVector {
  const { seed, dimension, smallestSingular, largestSingular } = options
  const step = (largestSingular - smallestSingular) / Math.max(1, dimension - 1)
  const values = Array.from({ length: dimension }, (_, k) => (smallestSingular + k * step) ** 2)
  return symmetric(orthonormal(dimension, createRandom(seed, 'singular vectors', peer)), values)
}

function meanSquare(vectors: readonly DoubleVector[]): number {
  return vectors.reduce((sum, vector) => sum + inner(vector, vector), 0) / vectors.length
}

function meanValue(objectives: readonly Objective[], x: DoubleVector): number {
  const values = objectives.map(({ hessian, centre }) => {
    const offset = plus(x, -1, centre)
    return inner(offset, times(hessian, offset))
  })
  return values.reduce((sum, value) => sum + value, 0) / values.length
}
