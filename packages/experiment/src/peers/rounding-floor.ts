import { chosenCodecs } from '@murmuration/libp2p'

/**
 * How far apart peers may stay that average with this codec, as a fraction of their parameters' norm. Of `auto` it is the floor of the
 * coarsest that it chooses from.
 */
export function roundingFloor(codec: string): number {
  return Math.max(...chosenCodecs(codec).map(({ accuracy }) => accuracy.floor))
}
