/** The state of a support vector machine in the dual: float32 vectors between rounds, float64 numbers within one. */
import type { NodeTraits, Vector } from '@murmuration/engine'
import { type DualSample, snapped } from './dual-blocks.js'

/**
 * What a peer keeps between rounds. A number `v` in float64 is kept as two of float32, `v` and `vRest`. Their sum has
 * 48 bits, and what rounds compute is rounded to it, so that a run continues from a checkpoint with the same bits.
 */
export type DualState = {
  /** α y of all samples, of all peers, and b. */
  readonly x: Vector
  readonly xRest: Vector
  /** Of this peer's samples. */
  readonly f: Vector
  readonly fRest: Vector
  /** Of this peer's samples: see {@link marks}. */
  readonly marks: Vector
  /** Rounds since the last elimination or reconstruction. */
  readonly since: number
  /** How many of them until the next elimination; 0 where there is none any longer. */
  readonly until: number
  /** 1 once the optimality conditions hold for all samples of all peers. */
  readonly isOptimal: number
}

export const marks = { eliminated: 0, active: 1, inLastBlock: 2 } as const

/** The peer whose numbers they are. */
type DualOwner = Pick<NodeTraits<unknown>, 'self' | 'kernel'>

/** All α 0: then f is −y. */
export function dualStart(zero: Vector, { self, kernel }: DualOwner, until: number): DualState {
  const { first, count } = kernel.shardOf(self)
  const f = vectorOf(zero, count, (i) => -kernel.label(first + i))
  const fRest = vectorOf(zero, count, () => 0)
  const active = vectorOf(zero, count, () => marks.active)
  return { x: zero, xRest: zero, f, fRest, marks: active, since: 0, until, isOptimal: 0 }
}

/** The numbers of a state in float64, to be changed. */
export class DualNumbers {
  readonly c: number
  /** The number of this peer's first sample. */
  readonly first: number
  /** α y of all samples. */
  readonly coefficients: Float64Array
  bias: number
  /** Of this peer's samples. */
  readonly y: Float64Array
  readonly f: Float64Array
  readonly marks: Float32Array
  readonly #state: DualState

  constructor(state: DualState, { self, kernel }: DualOwner) {
    const { x, xRest, f, fRest } = state
    const { first, count } = kernel.shardOf(self)
    this.#state = state
    this.c = kernel.c
    this.first = first
    this.coefficients = sums(x, xRest, x.length - 1)
    for (let i = 0; i < this.coefficients.length; i++) {
      const coefficient = this.coefficients[i]
      if (coefficient !== 0) this.coefficients[i] = Math.sign(coefficient) * snapped(Math.abs(coefficient), this.c)
    }
    this.bias = x.values[x.length - 1]
    this.y = new Float64Array(count)
    for (let i = 0; i < count; i++) this.y[i] = kernel.label(first + i)
    this.f = sums(f, fRest, count)
    this.marks = state.marks.values.slice()
  }

  /** α of this peer's samples. */
  get alpha(): Float64Array {
    return this.coefficients.slice(this.first, this.first + this.f.length).map(Math.abs)
  }

  /** α of a sample of any peer. */
  alphaOf(at: number): number {
    return Math.abs(this.coefficients[at])
  }

  /** The places of this peer's samples whose mark passes a test, ascending. */
  placesWhere(test: (mark: number) => boolean): Uint32Array {
    const places: number[] = []
    for (let i = 0; i < this.marks.length; i++) if (test(this.marks[i])) places.push(i)
    return Uint32Array.from(places)
  }

  /** The numbers of the same. */
  numbersWhere(test: (mark: number) => boolean): Uint32Array {
    return this.placesWhere(test).map((place) => this.first + place)
  }

  /** Gives the samples of a block these α. Returns by how much α y of each has grown. */
  move(block: readonly DualSample[], alpha: Float64Array): Float64Array {
    for (let i = 0; i < this.marks.length; i++) if (this.marks[i] === marks.inLastBlock) this.marks[i] = marks.active
    return Float64Array.from(block, ({ at, y, alpha: before }, index) => {
      const place = at - this.first
      if (place >= 0 && place < this.marks.length) this.marks[place] = marks.inLastBlock
      const next = snapped(rounded(alpha[index]), this.c)
      this.coefficients[at] = y * next
      return y * (next - before)
    })
  }

  /** Rounds f to what the state holds. */
  round(): void {
    for (let i = 0; i < this.f.length; i++) this.f[i] = rounded(this.f[i])
  }

  /** The next state. */
  next(counters: Pick<DualState, 'since' | 'until' | 'isOptimal'>): DualState {
    const { x } = this.#state
    const { bias, coefficients, f, marks: own } = this
    return {
      x: vectorOf(x, x.length, (i) => coefficients[i] ?? bias),
      xRest: vectorOf(x, x.length, (i) => restOf(coefficients[i] ?? 0)),
      f: vectorOf(x, f.length, (i) => f[i]),
      fRest: vectorOf(x, f.length, (i) => restOf(f[i])),
      marks: vectorOf(x, own.length, (i) => own[i]),
      ...counters
    }
  }
}

function sums({ values }: Vector, { values: rest }: Vector, count: number): Float64Array {
  const out = new Float64Array(count)
  for (let i = 0; i < count; i++) out[i] = values[i] + rest[i]
  return out
}

/** What float32 leaves of a number, in float32. */
export function restOf(value: number): number {
  return Math.fround(value - Math.fround(value))
}

/** A number as two of float32 hold it. */
export function rounded(value: number): number {
  return Math.fround(value) + restOf(value)
}

function vectorOf({ arena }: Vector, length: number, valueOf: (index: number) => number): Vector {
  return arena.compute(length, (out, from, to) => {
    for (let i = from; i < to; i++) out[i] = valueOf(i)
  })
}
