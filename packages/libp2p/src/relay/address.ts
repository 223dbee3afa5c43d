import { type Multiaddr, multiaddr } from '@multiformats/multiaddr'

/** The address of the relay in the address of a peer behind it; `undefined` for one that is not behind a relay. */
export function relayIn(address: Multiaddr): string | undefined {
  const names = address.getComponents().map(({ name }) => name)
  return names.includes('p2p-circuit') ? address.toString().replace(/\/p2p-circuit.*$/, '') : undefined
}

/** Whether an address leads through a relay. */
export function isRelayed(address: string): boolean {
  return relayIn(multiaddr(address)) !== undefined
}
