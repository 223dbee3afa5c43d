/** Figures of a round, for its report. */
import { invariant, type StepReport } from '@murmuration/core'
import type { AnyRole } from '../record.js'
import { isVector, type State, type Vector } from './vector.js'

/** What a record that keeps a weighted mean has in its state; what it says that it keeps, where its `role` is given. */
export function massOf(state: State, role?: AnyRole): { readonly x: Vector; readonly w: number } {
  const { x, w } = role?.mass?.(state) ?? state
  invariant(isVector(x) && typeof w === 'number', 'a state whose weighted mean is kept has a vector x and a number w')
  return { x, w }
}

/** One peer's disagreement. */
export function rootMeanSquare(distances: StepReport['distances']): number {
  if (distances.length === 0) return 0
  let sum = 0
  for (const { distance } of distances) sum += distance * distance
  return Math.sqrt(sum / distances.length)
}
