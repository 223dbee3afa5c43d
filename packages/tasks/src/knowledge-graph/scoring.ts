/**
 * How a triple (head h, relation r, tail t) is scored. Both scores are linear in the tail and in the head, and so have
 * a query: the vector whose inner product with the other entity is the score.
 */
export interface Scoring {
  readonly title: string
  /** Numbers of an entity, which is a row. */
  readonly width: number
  /** Rows of a relation, one after the other. */
  readonly relationRows: number
  /** Writes the query of (h, r, ?). `h` and `r` are where their rows begin in `rows`. */
  tailQuery(rows: Float32Array, h: number, r: number, query: Float64Array): void
  /** Writes the query of (?, r, t). */
  headQuery(rows: Float32Array, r: number, t: number, query: Float64Array): void
  /** `queryGradient` is the gradient by the query of (h, r, ?); adds `weight` times that by h and r to `out`. */
  addTailGradient(
    rows: Float32Array,
    h: number,
    r: number,
    queryGradient: Float64Array,
    weight: number,
    out: Float32Array
  ): void
  /** The same for the query of (?, r, t). */
  addHeadGradient(
    rows: Float32Array,
    r: number,
    t: number,
    queryGradient: Float64Array,
    weight: number,
    out: Float32Array
  ): void
}

/**
 * RESCAL (Nickel, Tresp and Kriegel, ICML 2011): hᵀ R t, with R a matrix of rank × rank. A row of it is a row of the
 * parameters.
 */
export function rescal(rank: number): Scoring {
  return {
    title: 'RESCAL',
    width: rank,
    relationRows: rank,
    tailQuery: (rows, h, r, query) => {
      query.fill(0)
      for (let i = 0; i < rank; i++)
        for (let j = 0, factor = rows[h + i], at = r + i * rank; j < rank; j++) query[j] += factor * rows[at + j]
    },
    headQuery: (rows, r, t, query) => {
      for (let i = 0; i < rank; i++) {
        let sum = 0
        for (let j = 0, at = r + i * rank; j < rank; j++) sum += rows[at + j] * rows[t + j]
        query[i] = sum
      }
    },
    addTailGradient: (rows, h, r, queryGradient, weight, out) => {
      for (let i = 0; i < rank; i++) {
        let sum = 0
        for (let j = 0, factor = weight * rows[h + i], at = r + i * rank; j < rank; j++) {
          sum += rows[at + j] * queryGradient[j]
          out[at + j] += factor * queryGradient[j]
        }
        out[h + i] += weight * sum
      }
    },
    addHeadGradient: (rows, r, t, queryGradient, weight, out) => {
      for (let i = 0; i < rank; i++)
        for (let j = 0, factor = weight * queryGradient[i], at = r + i * rank; j < rank; j++) {
          out[t + j] += factor * rows[at + j]
          out[at + j] += factor * rows[t + j]
        }
    }
  }
}

/**
 * ComplEx (Trouillon et al., ICML 2016, equation 9): Re ⟨h, r, t̄⟩ of complex vectors. A row has the `rank` real parts
 * first, then the imaginary ones.
 */
export function complEx(rank: number): Scoring {
  return {
    title: 'ComplEx',
    width: 2 * rank,
    relationRows: 1,
    tailQuery: (rows, h, r, query) => {
      for (let re = 0, im = rank; re < rank; re++, im++) {
        query[re] = rows[h + re] * rows[r + re] - rows[h + im] * rows[r + im]
        query[im] = rows[h + re] * rows[r + im] + rows[h + im] * rows[r + re]
      }
    },
    headQuery: (rows, r, t, query) => {
      for (let re = 0, im = rank; re < rank; re++, im++) {
        query[re] = rows[r + re] * rows[t + re] + rows[r + im] * rows[t + im]
        query[im] = rows[r + re] * rows[t + im] - rows[r + im] * rows[t + re]
      }
    },
    addTailGradient: (rows, h, r, queryGradient, weight, out) => {
      for (let re = 0, im = rank; re < rank; re++, im++) {
        const x = weight * queryGradient[re]
        const y = weight * queryGradient[im]
        out[h + re] += x * rows[r + re] + y * rows[r + im]
        out[h + im] += y * rows[r + re] - x * rows[r + im]
        out[r + re] += x * rows[h + re] + y * rows[h + im]
        out[r + im] += y * rows[h + re] - x * rows[h + im]
      }
    },
    addHeadGradient: (rows, r, t, queryGradient, weight, out) => {
      for (let re = 0, im = rank; re < rank; re++, im++) {
        const x = weight * queryGradient[re]
        const y = weight * queryGradient[im]
        out[t + re] += x * rows[r + re] - y * rows[r + im]
        out[t + im] += x * rows[r + im] + y * rows[r + re]
        out[r + re] += x * rows[t + re] + y * rows[t + im]
        out[r + im] += x * rows[t + im] - y * rows[t + re]
      }
    }
  }
}

/** By their names in files. */
export const scorings = { complex: complEx, rescal } as const

export type ScoringName = keyof typeof scorings

/** The inner product of a query and an entity. */
export function scoreOf(query: Float64Array, rows: Float32Array, entity: number): number {
  let sum = 0
  for (let k = 0; k < query.length; k++) sum += query[k] * rows[entity + k]
  return sum
}
