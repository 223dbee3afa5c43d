import { InputError } from '@murmuration/core'

/** Options of `createQuadraticTask`. JSON. */
export interface QuadraticTaskOptions {
  /** All peers, in the order of their names. */
  readonly peers: readonly string[]
  /** The peer whose objective is used; the mean of all when absent. */
  readonly self?: string
  readonly seed: number
  /** The number of parameters; 10 by default. Building costs peers × dimension³. */
  readonly dimension?: number
  /** The smallest singular value of every A_i, above 0; 0.5 by default. */
  readonly smallestSingular?: number
  /** The largest; 1 by default. The others are spread evenly between. */
  readonly largestSingular?: number
  /**
   * ζ², how much the peers differ: the mean over the peers of ‖A_iᵀ(A_i x* − b_i)‖² at the common optimum; 0 by
   * default.
   */
  readonly heterogeneity?: number
  /** The distance of the common optimum from the start at 0; 10 by default. */
  readonly distance?: number
  /** Root mean square of the difference between the gradient on one sample and the peer's gradient; 0 by default. */
  readonly noise?: number
  /** Samples of each peer; 64 by default. Without noise they are all equal. */
  readonly samples?: number
}

/** The options with their defaults. */
export type CompleteQuadraticOptions = ReturnType<typeof complete>

/** Fills in the defaults. Throws an {@link InputError} for options that make no sense. */
export function complete(given: QuadraticTaskOptions) {
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
  demand(options.noise === 0 || samples > 1, 'samples', samples, 'at least 2, since noise is the difference of samples')
  return options
}

function demand(condition: boolean, name: string, found: unknown, expected: string): void {
  if (!condition) throw new InputError(`the quadratic task's ${name} is ${String(found)}, expected ${expected}`)
}

function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 1
}
