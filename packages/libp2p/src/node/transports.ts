/** How a node reaches others. `transports.browser.ts` has the same for a page. */
import type { TCPComponents } from '@libp2p/tcp'
import { mdns, tcp } from '../libraries/network.js'
import { WrappingTransport } from '../shaping/wrapping-transport.js'
import { transportsForTabs } from '../tabs/transports.js'
import { withLinkLocal } from './lan.js'
import type { TransportOptions, Transports } from './transport-options.js'
import { writeTogether } from './write-together.js'

/** TCP; with `lan`, multicast DNS; with `upnp`, ports of routers; what tabs call, if it listens there. */
export async function transportsOf({
  identity,
  listen,
  limits,
  shaper,
  lan,
  upnp
}: TransportOptions): Promise<Transports> {
  const transport = lan ? togetherOnLan : together
  return {
    transports: [
      shaper === undefined ? transport : shaper.transport(transport),
      ...(await transportsForTabs(listen, identity, limits))
    ],
    services: upnp ? { upnp: await portMapping() } : {},
    peerDiscovery: lan ? [mdns({ serviceTag })] : []
  }
}

/** The multicast DNS name for peers of all runs on a local network; their ids distinguish them. */
const serviceTag = '_murmuration._udp.local'

/** Makes routers forward ports. The router's claim is not checked; it shows when others dial. */
async function portMapping() {
  const { uPnPNAT } = await import('@libp2p/upnp-nat')
  return uPnPNAT({ autoConfirmAddress: true, portMappingDescription: 'murmuration' })
}

/** TCP that writes all small pieces of one turn of the event loop at once. */
const together = (components: TCPComponents) => new WrappingTransport(tcp()(components), writeTogether)

/** The same, also at the addresses that hold on one cable only. */
const togetherOnLan = (components: TCPComponents) =>
  new WrappingTransport(tcp()(components), writeTogether, (listener) => withLinkLocal(listener))
