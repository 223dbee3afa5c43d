import { InputError, invariant, type Task } from '@murmuration/core'
import { createRandom } from '@murmuration/random'
import {
  average,
  direction,
  inner,
  normals,
  orthonormal,
  plus,
  solve,
  symmetric,
  times,
  type Vector
} from './matrices.js'

/** Options of {@link createQuadraticTask}. JSON. */
export interface QuadraticTaskOptions {
  /** All peers, in the order of their names. */
  readonly peers: readonly string[]
  /** Whose objective; absent for the mean of all. */
  readonly self?: string
  readonly seed: number
  /** How many parameters; 10 by default. Building costs peers × dimension³. */
  readonly dimension?: number
  /** The smallest singular value of every A_i, above 0; 0.5 by default. */
  readonly smallestSingular?: number
  /** The largest; 1 by default. The others are spread evenly between. */
  readonly largestSingular?: number
  /** ζ², how much the peers differ: the mean over the peers of ‖A_iᵀ(A_i x* − b_i)‖² at the common optimum; 0 by default. */
  readonly heterogeneity?: number
  /** How far the common optimum is from the start at 0; 10 by default. */
  readonly distance?: number
  /** Root of the mean square of what the gradient on one sample differs from the peer's gradient; 0 by default. */
  readonly noise?: number
  /** Samples of each peer; 64 by default. Without noise they are all the same. */
  readonly samples?: number
}

/** A task whose solution is known. */
export interface QuadraticTask extends Task {
  /** x*, where the mean of all peers' objectives is least. */
  readonly optimum: Float64Array
  /** f(x*), the mean of all peers' objectives there. */
  readonly minimum: number
}

/** One peer's objective, (x − centre)ᵀ H (x − centre), and the linear terms of its samples, whose mean is 0. */
interface Objective {
  readonly hessian: Vector
  readonly centre: Vector
  readonly noises: readonly Vector[]
}

/** The module that builds this task in a worker thread. */
export const quadraticTaskModule = new URL('./quadratic-task.js', import.meta.url).href

/** What a worker thread calls: {@link createQuadraticTask}. */
export async function createTask(options: QuadraticTaskOptions): Promise<QuadraticTask> {
  return createQuadraticTask(options)
}

/**
 * Random quadratics, f_i(x) = ‖A_i x − b_i‖² for peer i and f = mean of the f_i, as in Vogels et al. 2021 (RelaySGD). Each A_i
 * has random singular vectors and the same singular values. With b_i = A_i c_i and H_i = A_iᵀA_i, f_i is (x − c_i)ᵀ H_i (x − c_i),
 * and that is what is computed.
 *
 * The evaluation's loss is f(x) − f(x*), which is exact also where it is tiny. Throws an {@link InputError} for options that
 * make no sense.
 */
export function createQuadraticTask(given: QuadraticTaskOptions): QuadraticTask {
  const options = complete(given)
  const { peers, self, dimension, samples } = options
  const optimum = direction(dimension, createRandom(options.seed, 'optimum')).map((value) => value * options.distance)
  const all = objectives(options, optimum)
  const own = self === undefined ? all : [all[peers.indexOf(self)]]
  const hessian = average(all.map((objective) => objective.hessian))
  const vector = new Float32Array(dimension)
  return {
    schema: [{ name: 'x', shape: [dimension] }],
    samples: own.length * samples,
    about: about(options),
    optimum,
    minimum: average(all.map((objective) => Float64Array.of(valueAt(objective, optimum))))[0],
    initialise: () => ({ kind: 'initialise', samples: 0, run: async () => new Float32Array(dimension) }),
    gradient: (parameters, batch) => ({
      kind: 'gradient',
      samples: batch.length,
      run: async () => gradientAt(own, samples, parameters, batch, vector)
    }),
    evaluate: (parameters) => ({
      kind: 'evaluate',
      samples: 1,
      run: async () => ({ loss: valueAt({ hessian, centre: optimum }, parameters) })
    })
  }
}

function complete(given: QuadraticTaskOptions) {
  const defaults = { dimension: 10, smallestSingular: 0.5, largestSingular: 1 }
  const options = { ...defaults, heterogeneity: 0, distance: 10, noise: 0, samples: 64, ...given }
  const { peers, self, smallestSingular, largestSingular, samples } = options
  demand(peers.length > 0, 'peers', peers.length, 'at least one name')
  demand(self === undefined || peers.includes(self), 'self', self, `one of the peers ${peers.join(', ')}`)
  demand(isCount(options.dimension), 'dimension', options.dimension, 'a whole number of at least 1')
  demand(smallestSingular > 0, 'smallestSingular', smallestSingular, 'a number above 0')
  demand(smallestSingular <= largestSingular, 'largestSingular', largestSingular, `at least ${smallestSingular}`)
  demand(largestSingular < Infinity, 'largestSingular', largestSingular, 'a finite number')
  for (const name of ['heterogeneity', 'distance', 'noise'] as const) {
    demand(options[name] >= 0 && options[name] < Infinity, name, options[name], 'a number of at least 0')
  }
  demand(isCount(samples), 'samples', samples, 'a whole number of at least 1')
  demand(
    options.noise === 0 || samples > 1,
    'samples',
    samples,
    'at least 2, since noise is the difference of samples,'
  )
  return options
}

type Complete = ReturnType<typeof complete>

function demand(condition: boolean, name: string, found: unknown, expected: string): void {
  if (!condition) throw new InputError(`the quadratic task's ${name} is ${String(found)}; ${expected} is expected`)
}

function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 1
}

/**
 * All peers' objectives: the centres c_i lie in random directions, scaled about the optimum of their mean until ζ² is right,
 * and moved so that this optimum comes to lie at `optimum`. One peer alone has nobody to differ from: its ζ² is 0.
 */
function objectives(options: Complete, optimum: Vector): Objective[] {
  const hessians = options.peers.map((peer) => hessianOf(peer, options))
  const centres = options.peers.map((peer) => normals(options.dimension, createRandom(options.seed, 'centre', peer)))
  const common = solve(average(hessians), average(hessians.map((hessian, i) => times(hessian, centres[i]))))
  const offsets = centres.map((centre) => plus(centre, -1, common))
  const unscaled = meanSquare(hessians.map((hessian, i) => times(hessian, offsets[i])))
  const scale = options.peers.length > 1 ? Math.sqrt(options.heterogeneity / unscaled) : 0
  return options.peers.map((peer, i) => ({
    hessian: hessians[i],
    centre: plus(optimum, scale, offsets[i]),
    noises: noisesOf(peer, options)
  }))
}

function hessianOf(peer: string, { seed, dimension, smallestSingular, largestSingular }: Complete): Vector {
  const step = (largestSingular - smallestSingular) / Math.max(1, dimension - 1)
  const values = Array.from({ length: dimension }, (_, k) => (smallestSingular + k * step) ** 2)
  return symmetric(orthonormal(dimension, createRandom(seed, 'singular vectors', peer)), values)
}

/** The samples' linear terms: their mean is 0 and their mean square is noise². None without noise. */
function noisesOf(peer: string, { seed, dimension, noise, samples }: Complete): Vector[] {
  if (noise === 0) return []
  const random = createRandom(seed, 'noise', peer)
  const draws = Array.from({ length: samples }, () => normals(dimension, random))
  const centre = average(draws)
  const centred = draws.map((draw) => plus(draw, -1, centre))
  const scale = noise / Math.sqrt(meanSquare(centred))
  return centred.map((draw) => draw.map((value) => value * scale))
}

function meanSquare(vectors: readonly Vector[]): number {
  return vectors.reduce((sum, vector) => sum + inner(vector, vector), 0) / vectors.length
}

function valueAt({ hessian, centre }: Pick<Objective, 'hessian' | 'centre'>, x: ArrayLike<number>): number {
  const offset = plus(x, -1, centre)
  return inner(offset, times(hessian, offset))
}

/** Mean loss and gradient over the batch; the samples of each objective follow one another, `samples` of each. */
function gradientAt(
  own: readonly Objective[],
  samples: number,
  x: Float32Array,
  batch: Uint32Array,
  vector: Float32Array
): { readonly loss: number; readonly vector: Float32Array } {
  invariant(batch.length > 0, 'the gradient of an empty batch was asked for')
  let loss = 0
  let sum: Vector = new Float64Array(x.length)
  for (const index of batch) {
    invariant(index < own.length * samples, () => `sample ${index} of ${own.length * samples} was asked for`)
    const { hessian, centre, noises } = own[Math.floor(index / samples)]
    const offset = plus(x, -1, centre)
    const slope = times(hessian, offset)
    loss += inner(offset, slope)
    sum = plus(sum, 2, slope)
    if (noises.length === 0) continue
    const noise = noises[index % samples]
    loss += inner(noise, offset)
    sum = plus(sum, 1, noise)
  }
  vector.set(sum.map((value) => value / batch.length))
  return { loss: loss / batch.length, vector }
}

function about(options: Complete): Readonly<Record<string, string>> {
  const { peers, dimension, smallestSingular, largestSingular, heterogeneity, noise } = options
  return {
    data: `random quadratics in ${dimension} dimensions, singular values ${smallestSingular} to ${largestSingular}`,
    partition: `one quadratic for each of ${peers.length} peers, ζ² = ${heterogeneity}, gradient noise ${noise}`,
    model: `a point, ${options.distance} away from the optimum at the start`
  }
}
