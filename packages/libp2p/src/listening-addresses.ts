import type { CircuitRelayTransportComponents } from '@libp2p/circuit-relay-v2'

/**
 * A service of libp2p by which a node counts the public addresses of its machine at which it listens as its own. libp2p itself does only once AutoNAT
 * has confirmed them, so that a seed on a machine with a public address would say that it listens nowhere.
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
