/** An optimiser is one record, like an algorithm. */
import type { z } from 'zod'
import type { State, Vector } from './node/vector.js'

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
