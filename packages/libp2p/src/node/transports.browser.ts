/** See transports.ts. */
import { webSockets } from '@libp2p/websockets'
import type { TransportOptions, Transports } from './transport-options.js'

/** WebSockets to peers that listen for them. A page listens nowhere, and finds nobody by itself. */
export async function transportsOf({ shaper }: TransportOptions): Promise<Transports> {
  const transport = webSockets()
  return {
    transports: [shaper === undefined ? transport : shaper.transport(transport)],
    services: {},
    peerDiscovery: []
  }
}
