import type { PeerName } from '@murmuration/core'

/** Keeps a copy of `vector` for `peer`, in the memory of the one before where there is one. */
export function keepCopy(copies: Map<PeerName, Float32Array>, peer: PeerName, vector: Float32Array): void {
  const copy = copies.get(peer)
  if (copy?.length === vector.length) copy.set(vector)
  else copies.set(peer, vector.slice())
}
