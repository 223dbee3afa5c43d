import type { Fabric } from '@murmuration/core'

/** About a third of a millisecond of arithmetic. */
const sliceLength = 1 << 18

/**
 * Runs `act` over the numbers of a vector, a slice at a time, so that between the slices of a large one the peer's messages
 * come and go. Nothing else may use the vectors meanwhile.
 */
export async function inSlices(
  fabric: Pick<Fabric<unknown>, 'now' | 'sleep'>,
  length: number,
  act: (from: number, to: number) => void
): Promise<void> {
  for (let from = 0; from < length; from += sliceLength) {
    if (from > 0) await fabric.sleep(fabric.now())
    act(from, Math.min(length, from + sliceLength))
  }
}
