import type { Multiaddr } from '@multiformats/multiaddr'
import { isIPv4 } from '@murmuration/core'
import { multiaddr } from '#platform/libraries/base.js'
import { hostOf } from './peer-list.js'

/**
 * The remote IP address of a plain TCP connection; `undefined` for any other address, such as through a relay or a
 * WebSocket.
 */
export function tcpHost(address: Multiaddr): string | undefined {
  const names = address.getComponents().map(({ name }) => name)
  const isPlain = names[1] === 'tcp' && (names.length === 2 || (names.length === 3 && names[2] === 'p2p'))
  return isPlain ? hostOf(address) : undefined
}

/** The IP addresses on which a peer listens for plain TCP. */
export function listeningHosts(listen: readonly string[]): readonly string[] {
  const hosts = listen.map((text) => tcpHost(multiaddr(text))).filter((host) => host !== undefined)
  return [...new Set(hosts)]
}

/**
 * The listening address that a neighbour at `remote` can most likely reach: of the same family, and either unspecified
 * (any interface), or loopback exactly when `remote` is.
 */
export function hostFor(hosts: readonly string[], remote: string): string | undefined {
  const family = hosts.filter((host) => isIPv4(host) === isIPv4(remote))
  return family.find(isAny) ?? family.find((host) => isLoopback(host) === isLoopback(remote)) ?? hosts.find(isDual)
}

const isAny = (host: string): boolean => host === '0.0.0.0' || host === '::'

/** Whether a socket on this address also accepts IPv4. */
const isDual = (host: string): boolean => host === '::'

const isLoopback = (host: string): boolean => host === '::1' || host.startsWith('127.')
