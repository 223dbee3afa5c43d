import { byName, type PeerName, type Topology } from '@murmuration/core'

/** Determines the links that a peer needs from the start. */
export interface NeededLinks {
  readonly self: PeerName
  readonly topology: Topology
  readonly servers?: readonly PeerName[] | undefined
  readonly reach?: 'neighbours' | 'everyone' | undefined
}

/** The peers that `self` needs links to from the start, in the order of their names. */
export function neededBy({ self, topology, servers = [], reach = 'neighbours' }: NeededLinks): readonly PeerName[] {
  const isServer = servers.includes(self)
  const peers = isServer || reach === 'everyone' ? topology.peers : neighboursOf(self, topology)
  const all = isServer && reach === 'neighbours' ? peers : [...peers, ...servers]
  return all.filter((name) => name !== self).sort(byName)
}

/** The peers that `self` sends to or receives from in any round of the topology. */
function neighboursOf(self: PeerName, topology: Topology): readonly PeerName[] {
  const names = new Set<PeerName>()
  for (let round = 0; round < topology.period; round++) {
    const { receiveFrom, sendTo } = topology.mixing(self, round)
    for (const { name } of [...receiveFrom, ...sendTo]) names.add(name)
  }
  return [...names]
}
