import type { Topology } from '@murmuration/core'

/** A topology of the first peer, without neighbours. */
export function alone({ peers }: Topology): Topology {
  return { peers: peers.slice(0, 1), period: 1, mixing: () => ({ selfWeight: 1, receiveFrom: [], sendTo: [] }) }
}
