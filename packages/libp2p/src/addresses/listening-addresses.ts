import type { CircuitRelayTransportComponents } from '@libp2p/circuit-relay-v2'

/**
 * A libp2p service that confirms the public listening addresses of the machine as the node's own. libp2p itself does so
 * only after AutoNAT has confirmed them, so a seed on a machine with a public address would announce no address.
 */
export const listeningAddresses = ({
  addressManager,
  events
}: Pick<CircuitRelayTransportComponents, 'addressManager' | 'events'>) => {
  events.addEventListener('transport:listening', ({ detail }) => {
    for (const address of detail.getAddrs()) addressManager.confirmObservedAddr(address, { type: 'transport' })
  })
  return {}
}
