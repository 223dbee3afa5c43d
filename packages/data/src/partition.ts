import { InputError, type Random, shuffleInPlace } from '@murmuration/core'
import { dirichlet } from './dirichlet.js'
import { upTo } from './indices.js'
import type { PartitionDescription } from './samples.js'

/**
 * Divides samples among peers: for each peer the numbers of its samples. No sample has two owners and no peer has none.
 * `equal` and `label` give all peers the same count and omit the remainder of the division; `dirichlet` omits nothing.
 *
 * Throws an {@link InputError} when there are fewer samples than peers.
 *
 * @param targets - the class of every sample, 0 … `classes` − 1
 */
export function partition(
  targets: ArrayLike<number>,
  classes: number,
  description: PartitionDescription,
  peerCount: number,
  random: Random
): Uint32Array[] {
  if (targets.length < peerCount) {
    throw new InputError(
      `found ${targets.length} training samples for ${peerCount} peers, expected at least one for each`
    )
  }
  const order = shuffleInPlace(upTo(targets.length), random)
  switch (description.kind) {
    case 'equal':
      return equalParts(order, peerCount)
    case 'label':
      return equalParts(
        order.sort((left, right) => targets[left] - targets[right]),
        peerCount
      )
    case 'local':
      throw new InputError('partition "local" divides no samples')
    case 'dirichlet':
      return unevenParts(byClass(order, targets, classes), positive(description.alpha), peerCount, random)
  }
}

function positive(alpha: number): number {
  if (Number.isFinite(alpha) && alpha > 0) return alpha
  throw new InputError(`partition.alpha is ${alpha}, expected a number above 0, such as 0.1 (uneven) or 10 (even)`)
}

function equalParts(indices: Uint32Array, peerCount: number): Uint32Array[] {
  const size = Math.floor(indices.length / peerCount)
  return Array.from({ length: peerCount }, (_, peer) => indices.slice(peer * size, (peer + 1) * size))
}

function byClass(indices: Uint32Array, targets: ArrayLike<number>, classes: number): number[][] {
  const groups: number[][] = Array.from({ length: classes }, () => [])
  for (const index of indices) groups[targets[index]].push(index)
  return groups
}

function unevenParts(groups: readonly number[][], alpha: number, peerCount: number, random: Random): Uint32Array[] {
  const parts: number[][] = Array.from({ length: peerCount }, () => [])
  for (const group of groups) {
    let cumulative = 0
    let start = 0
    dirichlet(alpha, peerCount, random).forEach((fraction, peer) => {
      cumulative += fraction
      const end = peer + 1 === peerCount ? group.length : Math.min(group.length, Math.round(cumulative * group.length))
      for (const index of group.slice(start, end)) parts[peer].push(index)
      start = end
    })
  }
  return fillEmpty(parts).map((part) => Uint32Array.from(part))
}

/** Gives each peer without samples one sample of the peer that then has the most. */
function fillEmpty(parts: readonly number[][]): readonly number[][] {
  for (const part of parts) {
    if (part.length > 0) continue
    const largest = parts.reduce((best, other) => (other.length > best.length ? other : best))
    part.push(...largest.splice(-1))
  }
  return parts
}
