import { type PeerName, peerName } from '@murmuration/core'
import type { Server } from '@murmuration/simulator'
import type { ContenderDescription } from './scenario-contenders.js'

/**
 * The servers of a contender, in the order of the shards that they hold; none for algorithms without. One is called
 * `server`, more are called `server-1`, `server-2` and so on. Those on machines of their own have no `on`.
 *
 * @param peers - in the order of the topology, by which servers are placed on the workers
 */
export function serversOf(contender: ContenderDescription, peers: readonly PeerName[]): readonly Server[] {
  if (!('on' in contender)) return []
  const { on, servers = on === 'workers' ? peers.length : 1 } = contender
  return Array.from({ length: servers }, (_, index): Server => {
    const name = peerName(servers === 1 ? 'server' : `server-${index + 1}`)
    if (on === 'own') return { name }
    return { name, on: on === 'workers' ? peers[index] : peerName(on) }
  })
}

/** The names of all servers on machines of their own: links and faults may speak of them. */
export function ownServerNames(contenders: readonly ContenderDescription[]): readonly PeerName[] {
  const names = contenders
    .filter((contender) => 'on' in contender && contender.on === 'own')
    .flatMap((contender) => serversOf(contender, []).map(({ name }) => name))
  return [...new Set(names)]
}
