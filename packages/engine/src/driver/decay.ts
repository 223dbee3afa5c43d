import { norm, weightedSum } from '@murmuration/vectors'
import type { Untrained } from '../vectors/untrained.js'

/** Weight decay `g + λ x`, which is not added where parameters are not trained. */
export class WeightDecay {
  readonly #factor: number
  readonly #untrained: readonly Untrained[]

  constructor(untrained: readonly Untrained[], factor = 0) {
    this.#untrained = untrained
    this.#factor = factor
  }

  /** Writes the elements `from` to below `to` of `g + λ x` to `out`, which is not `g`. */
  write(out: Float32Array, g: Float32Array, x: Float32Array, from = 0, to = out.length): Float32Array {
    if (this.#factor === 0) return copyTo(out, g, from, to)
    weightedSum(out, this.#terms(g, x), from, to)
    for (const { offset, length } of this.#untrained) {
      const start = Math.max(offset, from)
      const end = Math.min(offset + length, to)
      if (start < end) out.set(g.subarray(start, end), start)
    }
    return out
  }

  /** Makes `g` `g + λ x`. Returns it. */
  add(g: Float32Array, x: Float32Array): Float32Array {
    if (this.#factor === 0) return g
    const parts = this.trainedOf(x)
    for (const [index, part] of this.trainedOf(g).entries()) weightedSum(part, this.#terms(part, parts[index]))
    return g
  }

  /** The sum of the squares of `g + λ x` where it is trained. */
  squaresOf(g: Float32Array, x: Float32Array): number {
    const sum = this.#factor === 0 ? g : this.write(new Float32Array(g.length), g, x)
    return this.trainedOf(sum).reduce((squares, part) => squares + norm(part) ** 2, 0)
  }

  /** The ranges between those that gradients do not move. */
  trainedOf(numbers: Float32Array): readonly Float32Array[] {
    const starts = [0, ...this.#untrained.map(({ offset, length }) => offset + length)]
    const ends = [...this.#untrained.map(({ offset }) => offset), numbers.length]
    return starts.map((start, index) => numbers.subarray(start, ends[index]))
  }

  #terms(g: Float32Array, x: Float32Array) {
    return [
      { weight: 1, vector: g },
      { weight: this.#factor, vector: x }
    ]
  }
}

/** Copies the elements `from` to below `to`. */
function copyTo(out: Float32Array, vector: Float32Array, from: number, to: number): Float32Array {
  if (to - from === vector.length) out.set(vector)
  else out.set(vector.subarray(from, to), from)
  return out
}
