/** An optimiser is one record, like an algorithm. */
import type * as z from 'zod'
import type { State, Vector } from '../vectors/vector.js'

/** Which optimiser, and its options: see `optimiserSettings`. */
export interface OptimiserSettings {
  readonly name: string
  readonly [option: string]: unknown
}

/** An optimiser: state in, state out. */
export interface Optimiser<Z extends z.ZodObject = z.ZodObject, S extends State = State> {
  readonly name: string
  readonly source: string
  readonly options: Z
  start(options: z.output<Z>, x: Vector): S
  step(
    options: z.output<Z>,
    state: S,
    base: Vector,
    gradient: Vector,
    rate: number
  ): { readonly x: Vector; readonly state: S }
}

/** An optimiser with its state, which the node keeps. */
export interface Stepper {
  /**
   * `base − γ · direction(gradient)`, with γ the rate of the round.
   *
   * @throws DivergedError when the result is not finite
   */
  step(base: Vector, gradient: Vector, of?: StepOf): Vector
}

/** Which step it is, where `base` is not the whole vector in the current round. */
export interface StepOf {
  /**
   * The index of the parameter that `base` begins with. Each range that is stepped has an optimiser state of its own.
   */
  readonly offset?: number
  readonly round?: number
}
