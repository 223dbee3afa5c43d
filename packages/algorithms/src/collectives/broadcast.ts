import { piecesOf, viewOf } from '../stretches.js'
import type { Call, Group } from './group.js'

const broadcastKind = 1

/**
 * Chain broadcast in pieces: the root sends to the next rank, and each sends a piece on as soon as it has come. With p pieces
 * and n ranks it takes (n − 1) a + (1 + (n − 2)/p) S/B, and every line carries the vector once.
 *
 * @param values - the root's are sent; everybody else's are written over, in the call's stretch
 * @param root - the rank that sends
 * @throws NeighboursMissingError that names the rank before when it does not send within the patience
 */
export async function broadcast(
  { names, rank, mail }: Group,
  values: Float32Array,
  { round, stretch, pieces }: Call,
  root = 0
): Promise<void> {
  const n = names.length
  const [previous, next] = [names[(rank + n - 1) % n], names[(rank + 1) % n]]
  const isLast = (rank + 1) % n === root
  for (const piece of piecesOf(stretch, pieces)) {
    const part = { kind: broadcastKind, round, stretch: piece }
    const vector = rank === root ? viewOf(values, piece) : (await mail.receive(previous, part)).vector
    if (rank !== root) values.set(vector, piece.offset)
    if (!isLast) mail.send(next, { kind: broadcastKind, round, offset: piece.offset, vector })
  }
}
