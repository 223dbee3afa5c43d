import { cosOfTurns, InputError } from '@murmuration/core'
import { createRandom } from '@murmuration/random'
import { ClassProducts } from '../class-products.js'

/** The maximum of inputs times features: they take 8 bytes each. */
const maxWeights = 2 ** 25

/** What random Fourier features are drawn for. */
export interface FourierOptions {
  /** How many features. */
  readonly fourier: number
  /** γ of the kernel exp(−γ ‖x − y‖²); above 0. */
  readonly gamma: number
}

/**
 * Random Fourier features (Rahimi and Recht, NIPS 2007, algorithm 1): z(x) = √(2 / D) cos(Ωᵀ x + b), with the columns
 * of Ω from N(0, 2γ I) and b from U[0, 2π). The expectation of z(x)ᵀ z(y) is exp(−γ ‖x − y‖²). Drawn from the seed
 * alone, so that all peers have the same ones; fewer features are the first of more.
 *
 * Ω and b are in turns, of 2π each: then `t − round(t)` reduces the argument of the cosine exactly.
 */
export class FourierFeatures {
  readonly count: number
  readonly gamma: number
  /** See {@link nameOfFeatures}. */
  readonly name: string
  readonly #products: ClassProducts
  /** In turns: Ω as `[inputs, count]`, and b. */
  readonly #frequencies: Float64Array
  readonly #phases: Float64Array

  /** Throws an {@link InputError} for more inputs times features than fit into memory. */
  constructor({ fourier, gamma }: FourierOptions, inputs: number, seed: number) {
    if (inputs * fourier > maxWeights)
      throw new InputError(
        `found ${inputs} inputs and ${fourier} Fourier features, ${inputs * fourier} random numbers, expected at most ${maxWeights}; choose fewer features`
      )
    this.count = fourier
    this.gamma = gamma
    this.name = nameOfFeatures({ fourier, gamma }, seed)
    const deviation = Math.sqrt(2 * gamma)
    const random = createRandom(seed, 'fourier features')
    this.#frequencies = new Float64Array(inputs * fourier)
    this.#phases = new Float64Array(fourier)
    for (let k = 0; k < fourier; k++) {
      for (let i = 0; i < inputs; i++)
        this.#frequencies[i * fourier + k] = (deviation * random.normal()) / (2 * Math.PI)
      this.#phases[k] = random.uniform()
    }
    this.#products = new ClassProducts({ rows: 1, length: inputs, outputs: fourier })
    this.#products.begin(this.#frequencies)
  }

  /** Writes z(x) to the first `count` numbers of `out`. */
  apply(x: Float32Array, out: Float32Array): void {
    const { scores } = this.#products
    const factor = Math.sqrt(2 / this.count)
    this.#products.row(0).set(x)
    scores.set(this.#phases)
    this.#products.score(0)
    for (let k = 0; k < this.count; k++) out[k] = factor * cosOfTurns(scores[k])
  }

  /** Ω as `[inputs, count]` and b, in radians. */
  radians(): { readonly frequencies: Float32Array; readonly phases: Float32Array } {
    const inRadians = (turns: Float64Array) => Float32Array.from(turns, (each) => 2 * Math.PI * each)
    return { frequencies: inRadians(this.#frequencies), phases: inRadians(this.#phases) }
  }
}

/** A name that all that determines random Fourier features is in, but for the number of inputs. */
export function nameOfFeatures({ fourier, gamma }: FourierOptions, seed: number): string {
  return `fourier-${fourier}-gamma-${gamma}-seed-${seed}`
}
