/**
 * Matrices of a flat vector, and factors of low rank. A tensor is a matrix with as many columns as its last dimension.
 * Sums run in float64.
 */
import { createRandom } from '@murmuration/random'
import type { Tensor, Vector } from '@murmuration/engine'

/** A tensor and the rank of its factors; 0 where factors would not be shorter than the tensor itself. */
interface Factored extends Tensor {
  readonly rank: number
  readonly rows: number
  readonly columns: number
}

/**
 * When less than this fraction of a column's length remains after subtracting earlier columns, the remainder is
 * rounding.
 */
const negligible = 1e-5

/**
 * How the tensors of a model are written as products of two factors, `left` (rows × rank) and `right` (columns × rank).
 * Factors are stored column by column, tensor after tensor. A tensor that is not factored is in `left` unchanged.
 */
export class LowRank {
  readonly #tensors: readonly Factored[]
  readonly leftLength: number
  readonly rightLength: number

  constructor(tensors: readonly Tensor[], rank: number) {
    this.#tensors = tensors.map((tensor) => factored(tensor, rank))
    const sum = (of: (tensor: Factored) => number) => this.#tensors.reduce((total, tensor) => total + of(tensor), 0)
    this.leftLength = sum(({ rank: r, rows, length }) => (r === 0 ? length : r * rows))
    this.rightLength = sum(({ rank: r, columns }) => r * columns)
  }

  /** The first right factors: normal numbers, the same at all peers. */
  first({ arena }: Vector): Vector {
    return arena.compute(this.rightLength, (out, from) => {
      if (from === 0) this.#draw(out, () => true)
    })
  }

  /** Left factors `M Q`. */
  left(M: Vector, Q: Vector): Vector {
    return M.arena.compute(this.leftLength, (out, from) => {
      if (from > 0) return
      const m = M.values
      const q = Q.values
      this.#each((tensor, left, right) => {
        const { offset, length, rank, rows, columns } = tensor
        if (rank === 0) return out.set(m.subarray(offset, offset + length), left)
        for (let k = 0; k < rank; k++)
          for (let i = 0; i < rows; i++) {
            let sum = 0
            for (let j = 0; j < columns; j++) sum += m[offset + i * columns + j] * q[right + k * columns + j]
            out[left + k * rows + i] = sum
          }
      })
    })
  }

  /** Right factors `Mᵀ P`. */
  right(M: Vector, P: Vector): Vector {
    return M.arena.compute(this.rightLength, (out, from) => {
      if (from > 0) return
      const m = M.values
      const p = P.values
      this.#each(({ offset, rank, rows, columns }, left, right) => {
        const sums = new Float64Array(columns)
        for (let k = 0; k < rank; k++) {
          sums.fill(0)
          for (let i = 0; i < rows; i++)
            for (let j = 0; j < columns; j++) sums[j] += m[offset + i * columns + j] * p[left + k * rows + i]
          out.set(sums, right + k * columns)
        }
      })
    })
  }

  /** `P Qᵀ`; tensors that are not factored are copied from P. */
  product(P: Vector, Q: Vector, length: number): Vector {
    return P.arena.compute(length, (out, from) => {
      if (from > 0) return
      this.#each((tensor, left) => {
        if (tensor.rank === 0) out.set(P.values.subarray(left, left + tensor.length), tensor.offset)
      })
      this.#multiply(out, P, Q, (value) => value)
    })
  }

  /** `M + a P Qᵀ`; tensors that are not factored are copied from M. */
  added(M: Vector, a: number, P: Vector, Q: Vector): Vector {
    return M.arena.compute(M.length, (out, from) => {
      if (from > 0) return
      out.set(M.values)
      this.#multiply(out, P, Q, (value, at) => out[at] + a * value)
    })
  }

  /** `M − P Qᵀ`; 0 for tensors that are not factored. */
  rest(M: Vector, P: Vector, Q: Vector): Vector {
    return M.arena.compute(M.length, (out, from) => {
      if (from > 0) return
      out.fill(0)
      this.#multiply(out, P, Q, (value, at) => M.values[at] - value)
    })
  }

  /**
   * Factors of this side with orthonormal columns (modified Gram-Schmidt). A column that depends on earlier ones
   * becomes 0.
   */
  orthonormal(factors: Vector, side: 'left' | 'right'): Vector {
    return factors.arena.compute(factors.length, (out, from) => {
      if (from > 0) return
      out.set(factors.values)
      this.#each(({ rank, rows, columns }, left, right) => {
        const [start, length] = side === 'left' ? [left, rows] : [right, columns]
        const all = Array.from({ length: rank }, (_, k) => out.subarray(start + k * length, start + (k + 1) * length))
        for (const [k, column] of all.entries()) orthonormalise(column, all.slice(0, k))
      })
    })
  }

  /** Right factors, with columns of zeros drawn anew: power iteration cannot leave 0. */
  revived(Q: Vector): Vector {
    return Q.arena.compute(Q.length, (out, from) => {
      if (from > 0) return
      out.set(Q.values)
      this.#draw(out, (column) => column.every((value) => value === 0))
    })
  }

  /** Writes `f` of each number of P Qᵀ and its index. */
  #multiply(
    out: Float32Array,
    { values: p }: Vector,
    { values: q }: Vector,
    f: (value: number, at: number) => number
  ): void {
    this.#each(({ offset, rank, rows, columns }, left, right) => {
      if (rank === 0) return
      for (let i = 0; i < rows; i++)
        for (let j = 0; j < columns; j++) {
          let sum = 0
          for (let k = 0; k < rank; k++) sum += p[left + k * rows + i] * q[right + k * columns + j]
          const at = offset + i * columns + j
          out[at] = f(sum, at)
        }
    })
  }

  /** Draws the columns for which `isDrawn` holds. Numbers for the others are drawn and discarded. */
  #draw(out: Float32Array, isDrawn: (column: Float32Array) => boolean): void {
    const random = createRandom(0, 'right factors')
    this.#each(({ rank, columns }, _, right) => {
      for (let k = 0; k < rank; k++) {
        const column = out.subarray(right + k * columns, right + (k + 1) * columns)
        const drawn = Float32Array.from(column, () => random.normal())
        if (isDrawn(column)) column.set(drawn)
      }
    })
  }

  /** Calls `act` with each tensor and the offsets of its factors. */
  #each(act: (tensor: Factored, left: number, right: number) => void): void {
    let left = 0
    let right = 0
    for (const tensor of this.#tensors) {
      act(tensor, left, right)
      left += tensor.rank === 0 ? tensor.length : tensor.rank * tensor.rows
      right += tensor.rank * tensor.columns
    }
  }
}

function factored(tensor: Tensor, most: number): Factored {
  const columns = tensor.shape[tensor.shape.length - 1] ?? 1
  const rows = tensor.length / columns
  const rank = Math.min(most, rows, columns)
  return { ...tensor, rows, columns, rank: rank * (rows + columns) < tensor.length ? rank : 0 }
}

function orthonormalise(column: Float32Array, before: readonly Float32Array[]): void {
  const values = Float64Array.from(column)
  const dot = (other: ArrayLike<number>) => values.reduce((sum, value, i) => sum + value * other[i], 0)
  const whole = Math.sqrt(dot(values))
  for (const other of before) {
    const along = dot(other)
    for (let i = 0; i < values.length; i++) values[i] -= along * other[i]
  }
  const left = Math.sqrt(dot(values))
  const isRounding = !(left > negligible * whole)
  for (let i = 0; i < values.length; i++) column[i] = isRounding ? 0 : values[i] / left
}
