/** Records of vectors and numbers. */
import type { Vector } from './vector.js'

/** Named vectors and numbers. Records nest, so that a record per neighbour is a state too. */
export interface State {
  readonly [name: string]: Vector | number | State
}

/** A message: a flat record of such values. */
export interface Message {
  readonly [field: string]: Vector | number
}

/** What keeps vectors beyond their round. */
export interface Keeper {
  /** Calls {@link reach} with this sweep for every state that is kept. */
  reach(sweep: number): void
}

/** Whether it is a vector. A user's module may use another copy of this package, with another class. */
export function isVector(value: Vector | number | State | Message): value is Vector {
  return (value as Vector).isVector
}

/** Marks the vectors of a state that is kept as reached by a sweep. */
export function reach(state: State, sweep: number): void {
  for (const name in state) {
    const value = state[name]
    if (isVector(value)) {
      value.reached = sweep
      if (value.whole !== undefined) value.whole.reached = sweep
    } else if (typeof value === 'object') reach(value, sweep)
  }
}

/** Calls `act` with each vector of a tree of records. */
export function eachVector(tree: State, act: (vector: Vector) => void): void {
  for (const name in tree) {
    const value = tree[name]
    if (isVector(value)) act(value)
    else if (typeof value === 'object') eachVector(value, act)
  }
}
