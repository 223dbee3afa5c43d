import { InputError } from '@murmuration/core'

/** The weight of a penalty (l2 / 2) ‖W‖². Throws an {@link InputError} for one that makes no sense. */
export function checkedPenalty(l2: number): number {
  if (l2 >= 0 && l2 < Infinity) return l2
  throw new InputError(`l2 is ${l2}, expected a number of at least 0`)
}
