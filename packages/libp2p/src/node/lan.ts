/** The local network: what libp2p's multicast DNS lacks on machines without DHCP, and why nobody is found. */
import { createSocket } from 'node:dgram'
import { networkInterfaces } from 'node:os'
import type { Listener } from '@libp2p/interface'
import { messageOf } from '@murmuration/core'
import type { Multiaddr } from '@multiformats/multiaddr'
import { multiaddr } from '#platform/libraries/base.js'
import { hostOf } from '../addresses/peer-list.js'
import { reachOf } from '../addresses/reach.js'

/**
 * The listener, with the link-local addresses of IPv4 (RFC 3927) after its other ones while it listens at all
 * addresses: libp2p leaves them out, and two laptops on a cable have no others. Those of IPv6 need a zone, which
 * differs between machines.
 */
export function withLinkLocal(listener: Listener, hosts = ownHosts): Listener {
  const listen = listener.listen.bind(listener)
  const addresses = listener.getAddrs.bind(listener)
  let isEverywhere = false
  listener.listen = (address) => {
    isEverywhere = hostOf(address) === '0.0.0.0'
    return listen(address)
  }
  listener.getAddrs = () => {
    const found = addresses()
    const port = found[0]?.getComponents().find(({ name }) => name === 'tcp')?.value
    if (!isEverywhere || port === undefined) return found
    const local = hosts().filter((host) => host.startsWith('169.254.'))
    return [...found, ...local.map((host) => multiaddr(`/ip4/${host}/tcp/${port}`))]
  }
  return listener
}

/** Why nobody on the local network can find a node that listens at these addresses; `undefined` if others can. */
export function lanProblem(
  listen: readonly string[],
  addresses: readonly Multiaddr[],
  hosts: readonly string[] = ownHosts()
): string | undefined {
  const isEverywhere = listen.some((text) => ['0.0.0.0', '::'].includes(hostOf(multiaddr(text)) ?? ''))
  if (!isEverywhere || addresses.some((address) => reachOf(hostOf(address) ?? '') !== 'loopback')) return undefined
  const found = hosts.filter((host) => reachOf(host) !== 'loopback')
  if (found.length === 0) return 'this machine has no address in a local network'
  if (!found.every((host) => /^fe[89ab]/i.test(host)))
    return `this machine has only IPv6 addresses (${found.join(', ')}); give --listen /ip6/::/tcp/0`
  return `this machine has only link-local addresses of IPv6 (${found.join(', ')}), which others cannot call without the name of a network interface; give it an IPv4 address`
}

/** Why this machine cannot send multicast DNS (RFC 6762); `undefined` if it can. */
export async function multicastProblem(group = '224.0.0.251'): Promise<string | undefined> {
  const socket = createSocket('udp4')
  try {
    // Sends nothing, but needs a route.
    await new Promise<void>((resolve, reject) => {
      socket.once('error', reject).once('connect', resolve)
      socket.connect(5353, group)
    })
    return undefined
  } catch (error) {
    return `no route leads to ${group}, where peers look for each other (${messageOf(error)}); give this machine one, such as "ip route add 224.0.0.0/4 dev INTERFACE" on Linux, or give the peers addresses in the file`
  } finally {
    socket.close()
  }
}

function ownHosts(): readonly string[] {
  return Object.values(networkInterfaces()).flatMap((all = []) => all.map(({ address }) => address))
}
