/** Where a peer of Node listens for tabs, which cannot dial TCP. */
import { multiaddr } from '#platform/libraries/base.js'

/** How far the port for WebSockets is above that for TCP, so that links to it survive a restart, too. */
const above = 1000

/** Whether any of the addresses is for tabs. */
export function listensForTabs(listen: readonly string[]): boolean {
  return listen.some(isForTabs)
}

/**
 * The addresses to listen on, with those for tabs: for each of TCP, WebRTC at the same port of UDP, and WebSockets at
 * the port 1000 above. Addresses for tabs that are given stay the only ones of their kind.
 */
export function withTabs(listen: readonly string[]): readonly string[] {
  const plain = listen.filter((address) => !isForTabs(address))
  const has = (name: string) => listen.some((address) => address.includes(`/${name}`))
  const at = (address: string, protocol: string, shift: number, end: string) =>
    address.replace(/\/tcp\/(\d+).*$/, (_, port: string) => `/${protocol}/${shifted(Number(port), shift)}/${end}`)
  return [
    ...listen,
    ...(has('webrtc-direct') ? [] : plain.map((address) => at(address, 'udp', 0, 'webrtc-direct'))),
    ...(has('ws') ? [] : plain.map((address) => at(address, 'tcp', above, 'ws')))
  ]
}

/** A free port stays one, and so does one for which there is no port above. */
function shifted(port: number, by: number): number {
  return port === 0 || port + by > 65_535 ? 0 : port + by
}

function isForTabs(address: string): boolean {
  return multiaddr(address)
    .getComponents()
    .some(({ name }) => name === 'ws' || name === 'webrtc-direct')
}
