import { chosenCodecs } from '@murmuration/libp2p'

/**
 * How far apart peers may stay when they average with this codec, as a fraction of their parameters' norm. For `auto`,
 * the floor of the coarsest codec that it chooses from.
 */
export function roundingFloor(codec: string): number {
  return Math.max(...chosenCodecs(codec).map(({ accuracy }) => accuracy.floor))
}
