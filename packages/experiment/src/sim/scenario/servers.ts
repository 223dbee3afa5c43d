import { neededServers } from '@murmuration/algorithms'
import { type PeerName, peerName } from '@murmuration/core'
import type { Server } from '@murmuration/simulator'
import { recordOf } from '../../training/algorithm-choice.js'
import type { MethodDescription } from './methods.js'

/**
 * The servers of a method, in the order of their shards; empty for algorithms without servers. A single one is called
 * `server`, several are called `server-1`, `server-2` and so on. Servers on machines of their own have no `on`.
 *
 * @param peers - in the order of the topology; servers are placed on the workers in this order
 * @param ofTopology - the topology's servers, used if the method says neither how many servers there are nor that they
 *   are on peers' machines
 */
export function serversOf(
  method: MethodDescription,
  peers: readonly PeerName[],
  ofTopology: readonly { readonly name: PeerName }[] = []
): readonly Server[] {
  const placement = placementOf(method)
  if (placement === undefined) return []
  if (ofTopology.length > 0 && method.servers === undefined && placement.on === 'own') {
    return ofTopology.map(({ name }) => ({ name }))
  }
  const { on, servers = on === 'workers' ? peers.length : 1 } = placement
  return Array.from({ length: servers }, (_, index): Server => {
    const name = peerName(servers === 1 ? 'server' : `server-${index + 1}`)
    if (on === 'own') return { name }
    return { name, on: on === 'workers' ? peers[index] : peerName(on) }
  })
}

/** How many servers a method has, and where; `undefined` if it has none. */
export function placementOf(
  method: MethodDescription
): { readonly servers?: number | undefined; readonly on: string } | undefined {
  const record = recordOf(method.algorithm)
  if (neededServers(record) === 0) return undefined
  const { on = 'own', servers = on === 'workers' ? undefined : record.needs.servers } = method
  return { on, servers }
}

/** The names of all servers on machines of their own: links and faults may refer to them. */
export function ownServerNames(methods: readonly MethodDescription[]): readonly PeerName[] {
  const names = methods
    .filter((method) => placementOf(method)?.on === 'own')
    .flatMap((method) => serversOf(method, []).map(({ name }) => name))
  return [...new Set(names)]
}
