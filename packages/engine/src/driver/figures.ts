/** Figures for the report of a round. */
import { invariant, type StepReport } from '@murmuration/core'
import type { AnyRole } from '../record/record.js'
import { isVector, type State, type Vector } from '../vectors/vector.js'

/** The `x` and `w` of a state whose weighted mean is kept; by the role's `mass`, where there is one. */
export function massOf(state: State, role?: AnyRole): { readonly x: Vector; readonly w: number } {
  const { x, w } = role?.mass?.(state) ?? state
  invariant(isVector(x) && typeof w === 'number', 'a state whose weighted mean is kept has a vector x and a number w')
  return { x, w }
}

/** One peer's disagreement; undefined where no distance is known. */
export function rootMeanSquare(distances: StepReport['distances']): number | undefined {
  if (distances.length === 0) return undefined
  let sum = 0
  for (const { distance } of distances) sum += distance * distance
  return Math.sqrt(sum / distances.length)
}
