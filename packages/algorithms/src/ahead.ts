import { InputError } from '@murmuration/core'
import { overhead } from './node/wire.js'

/** The most bytes of one sender that are kept until it is their turn, as long as that is no fewer than {@link minAhead} vectors. */
const aheadBytes = 64 << 20

/**
 * A neighbour that exchanges both ways is at most one round ahead, because it waits for this peer's parameters too. Where links go one way it may
 * be as many rounds ahead as its way back has links; of those, four are allowed for at any size.
 */
const minAhead = 4

/** How many vectors of `length` numbers of one sender are kept that come before it is their turn. What is beyond is dropped. */
export function vectorsAhead(length: number): number {
  return Math.max(minAhead, Math.floor(aheadBytes / (4 * Math.max(1, length))))
}

/**
 * Checks that a neighbour may have sent `count` models of `length` numbers before it is their turn.
 *
 * @param option - which option says so, in words
 * @throws InputError when there is no room for them
 */
export function checkAhead(count: number, length: number, option: string): void {
  const most = vectorsAhead(length + overhead)
  if (count > most)
    throw new InputError(
      `${option} is found, so that ${count} models of a neighbour wait for their turn; of models of ${length} numbers ${most} are kept. Expected less`
    )
}
