import type { Multiaddr } from '@multiformats/multiaddr'
import { isIP, isMapped, subnets } from '@murmuration/core'
import { multiaddr, textOf } from '#platform/libraries/base.js'
import { isDialled, kindOf } from './kinds.js'
import { hostOf } from './peer-list.js'

/** From where an IP address can be dialled: everywhere, within a private network, or only on its machine. */
export type Reach = 'public' | 'private' | 'loopback'

const reaches: readonly Reach[] = ['public', 'private', 'loopback']

const isLoopback = subnets('127.0.0.0/8', '::1/128')
/** RFC 1918, RFC 6598 (carrier-grade NAT), RFC 3927 and RFC 4193, RFC 4291 (link-local). */
const isInternal = subnets(
  '10.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '100.64.0.0/10',
  '169.254.0.0/16',
  'fc00::/7',
  'fe80::/10'
)
/** Addresses that cannot be dialled: unspecified, multicast, reserved, documentation (RFC 6890). */
const isUndiallable = subnets('0.0.0.0/8', '224.0.0.0/3', '::/128', 'ff00::/8', '64:ff9b::/96', '2001:db8::/32')

/** From where an IP address can be dialled; `undefined` for one that cannot be. */
export function reachOf(host: string): Reach | undefined {
  if (isIP(host) === 0 || isMapped(host) || isUndiallable(host)) return undefined
  if (isLoopback(host)) return 'loopback'
  return isInternal(host) ? 'private' : 'public'
}

/** From where an address was dialled that has led to a node. */
export function reachOfAddress(address: Multiaddr): Reach {
  return reachOf(hostOf(address) ?? '') ?? 'public'
}

/** Of two, the one nearer to this machine: it allows a wider range of addresses. */
export function nearest(one: Reach, other: Reach): Reach {
  return reaches.indexOf(one) > reaches.indexOf(other) ? one : other
}

/**
 * Whether an address from another node may be dialled: it must be an IP address and a port for TCP, WebSockets or
 * WebRTC, of the peer or of a relay, and not nearer to this machine than `within`. Otherwise that node could make this
 * peer dial hosts in its own network.
 */
export function mayDial(address: Multiaddr, within: Reach): boolean {
  const names = address.getComponents().map(({ name }) => name)
  const end = names.indexOf('p2p')
  const hasKnownEnd = end < 0 || names.slice(end).join() === 'p2p,p2p-circuit'
  const isPlain = (names[0] === 'ip4' || names[0] === 'ip6') && kindOf(address) !== undefined && hasKnownEnd
  const host = isPlain ? hostOf(address) : undefined
  // A peer with an IPv4 address announces it as IPv4.
  const isMisnamed = host !== undefined && isIP(host) === 4 && names[0] === 'ip6'
  const reach = host === undefined || isMisnamed ? undefined : reachOf(host)
  return reach !== undefined && nearest(reach, within) === within
}

/** Those of the addresses from another node that may be dialled, and that a peer of this platform dials. */
export function usableOf(addresses: readonly Multiaddr[], within: Reach): readonly string[] {
  return addresses.filter((address) => isDialled(address) && mayDial(address, within)).map(String)
}

/**
 * Bytes of an IPv6 multiaddr up to the /64 prefix: one for the protocol, 8 for the prefix. One machine may have a whole
 * /64 (RFC 4291, 2.5.4).
 */
const ip6Prefix = 9

/**
 * The source of a question or connection: an IPv4 address, or the /64 of an IPv6 address. Empty for an address without
 * IP.
 */
export function sourceOf(address: Multiaddr): string {
  const host = hostOf(address) ?? ''
  return isIP(host) === 6 ? `${textOf(multiaddr(`/ip6/${host}`).bytes.subarray(1, ip6Prefix), 'hex')}/64` : host
}

/** As {@link sourceOf}, of an IP address, with or without the zone of a link-local one. */
export function sourceOfHost(host: string): string {
  const [bare] = host.split('%')
  return isIP(bare) === 0 ? '' : sourceOf(multiaddr(`/ip${isIP(bare)}/${bare}`))
}
