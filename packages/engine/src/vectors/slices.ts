import type { Fabric } from '@murmuration/core'

/** Elements per slice: about a third of a millisecond of arithmetic. */
export const sliceLength = 1 << 18

type Clock = Pick<Fabric<unknown>, 'now' | 'sleep'>

/**
 * Runs `act` over the numbers of a vector, one slice at a time, so that the peer sends and receives messages between
 * the slices of a large vector. Nothing else may use the vectors meanwhile.
 *
 * @returns what to await; `undefined` when all is done, as with a vector of one slice. Awaiting a promise costs small
 * vectors more time than computing with them.
 */
export function inSlices(
  fabric: Clock,
  length: number,
  act: (from: number, to: number) => void
): Promise<void> | undefined {
  if (length > sliceLength) return sliceBySlice(fabric, length, act)
  act(0, length)
  return undefined
}

async function sliceBySlice(fabric: Clock, length: number, act: (from: number, to: number) => void): Promise<void> {
  for (let from = 0; from < length; from += sliceLength) {
    if (from > 0) await fabric.sleep(fabric.now())
    act(from, Math.min(length, from + sliceLength))
  }
}
