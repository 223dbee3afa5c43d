/** Where browsers reach a peer: its addresses for them, and the names of its machine. */
import { isIPv4, isIPv6 } from 'node:net'

/** An address of a peer that browsers can call: webrtc-direct, or WebSocket without TLS. */
const forBrowsers = /^\/(?:ip4|ip6|dns[46]?)\/([^/]+)\/(?:udp\/\d+\/webrtc-direct|tcp\/\d+\/ws)\b/

/** What the addresses of a peer mean for browsers. */
export interface BrowserAddresses {
  /** The host names in them besides loopback, those of home networks first. */
  readonly names: readonly string[]
  /** At most four to put into an invitation: of the first name, or of loopback where there is no other. */
  readonly seeds: readonly string[]
}

const isLoopback = (host: string): boolean => /^(127\.|::1$|localhost$)/.test(host)

/** Networks of containers and of tunnels have addresses, too: those of homes and offices come first. */
const turnOf = (host: string): number => (host.startsWith('192.168.') ? 0 : host.startsWith('10.') ? 1 : 2)

/** Sorts out the addresses of a peer. */
export function browserAddresses(addresses: readonly string[]): BrowserAddresses {
  const found = addresses.flatMap((address) => {
    const [, host] = forBrowsers.exec(address) ?? []
    return host === undefined || /^fe80:/i.test(host) ? [] : [{ host, address }]
  })
  const hosts = [...new Set(found.map(({ host }) => host))]
  const names = hosts.filter((host) => !isLoopback(host)).sort((left, right) => turnOf(left) - turnOf(right))
  const chosen = names.find((name) => isIPv4(name)) ?? names[0] ?? hosts.find((host) => !isIPv6(host)) ?? hosts[0]
  return {
    names,
    seeds: found
      .filter(({ host }) => host === chosen)
      .map(({ address }) => address)
      .slice(0, 4)
  }
}
