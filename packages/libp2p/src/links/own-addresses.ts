import type { Multiaddr } from '@multiformats/multiaddr'
import { isIPv4 } from '@murmuration/core'
import { multiaddr } from '#platform/libraries/base.js'
import { maxListened, maxListens } from './control-messages.js'
import { kindOf } from '../addresses/kinds.js'
import { hostOf } from '../addresses/peer-list.js'
import { type Reach, reachOf } from '../addresses/reach.js'
import { maxAddresses, withoutId } from '../addresses/signed-addresses.js'

const order: readonly (Reach | undefined)[] = ['public', 'private', 'loopback']

/**
 * The addresses that this peer announces: those of the peer list, then the listening addresses, then its ports at the
 * IP addresses that seeds see (a router may forward these ports). Addresses with a wider reach come first; at most
 * {@link maxAddresses}.
 *
 * @param listed - the addresses in the peer list
 * @param listening - the addresses of this machine at which it listens
 * @param seen - the IP addresses that seeds see
 */
export function ownAddresses(
  listed: readonly string[],
  listening: readonly Multiaddr[],
  seen: readonly string[]
): readonly string[] {
  const bare = listening.map(withoutId)
  const outside = seen.filter((host) => reachOf(host) !== undefined)
  const observed = outside.flatMap((host) => bare.flatMap((address) => at(host, address)))
  const rank = (text: string) => order.indexOf(reachOf(hostOf(multiaddr(text)) ?? ''))
  const found = [...observed, ...bare.map(String)].filter((text) => rank(text) >= 0)
  const sorted = [...found].sort((left, right) => rank(left) - rank(right))
  return [...new Set([...listed.map((text) => withoutId(multiaddr(text)).toString()), ...sorted])].slice(
    0,
    maxAddresses
  )
}

/** The same address with another IP address of the same family. */
function at(host: string, address: Multiaddr): readonly string[] {
  const ownHost = hostOf(address)
  const [, , ...rest] = address.toString().slice(1).split('/')
  if (ownHost === undefined || kindOf(address) === undefined || isIPv4(ownHost) !== isIPv4(host)) return []
  return [`/${isIPv4(host) ? 'ip4' : 'ip6'}/${host}/${rest.join('/')}`]
}

/** Some of the addresses at which a node listens, for people: loopback ones only if there is no other. */
export function listens(addresses: readonly Multiaddr[]): readonly string[] {
  const all = addresses.map(withoutId).filter((address) => address.toString().length <= maxListened)
  const outside = all.filter((address) => reachOf(hostOf(address) ?? '') !== 'loopback')
  return (outside.length > 0 ? outside : all).slice(0, maxListens).map(String)
}
