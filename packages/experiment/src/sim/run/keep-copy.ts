import type { PeerName } from '@murmuration/core'

/** Keeps a copy of `vector` for `peer`, in the memory of its previous copy, if any. */
export function keepCopy(copies: Map<PeerName, Float32Array>, peer: PeerName, vector: Float32Array): void {
  const copy = copies.get(peer)
  if (copy?.length === vector.length) copy.set(vector)
  else copies.set(peer, vector.slice())
}
