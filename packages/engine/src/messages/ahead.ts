import { InputError } from '@murmuration/core'
import { overhead } from './wire.js'

/** The most bytes of early messages that are kept per sender, as long as that is at least {@link minAhead} vectors. */
const aheadBytes = 64 << 20

/**
 * A neighbour that exchanges both ways is at most one round ahead, because it waits for this peer's parameters too.
 * Where links go one way, it may be as many rounds ahead as the path back has links; four of those are allowed for at
 * any size.
 */
const minAhead = 4

/** How many early vectors of `length` numbers are kept per sender. More are dropped. */
export function vectorsAhead(length: number): number {
  return Math.max(minAhead, Math.floor(aheadBytes / (4 * Math.max(1, length))))
}

/**
 * Checks that `count` early models of `length` numbers of a neighbour can be kept.
 *
 * @param option - which option requires it, in words
 * @throws InputError when there is no room for them
 */
export function checkAhead(count: number, length: number, option: string): void {
  const most = vectorsAhead(length + overhead)
  if (count > most)
    throw new InputError(
      `found ${option}, expected less: ${count} models of a neighbour may wait for their round, and of models of ${length} numbers ${most} are kept`
    )
}
