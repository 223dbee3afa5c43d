import { isIPv4 } from 'node:net'
import type { Multiaddr } from '@multiformats/multiaddr'
import { multiaddr } from '@multiformats/multiaddr'
import { hostOf } from '../peer-list.js'

/** The IP address at the far end of a plain TCP connection; `undefined` for a relay, a WebSocket and whatever else is none. */
export function tcpHost(address: Multiaddr): string | undefined {
  const names = address.getComponents().map(({ name }) => name)
  const isPlain = names[1] === 'tcp' && (names.length === 2 || (names.length === 3 && names[2] === 'p2p'))
  return isPlain ? hostOf(address) : undefined
}

/** The IP addresses at which a peer listens for plain TCP. */
export function listeningHosts(listen: readonly string[]): readonly string[] {
  const hosts = listen.map((text) => tcpHost(multiaddr(text))).filter((host) => host !== undefined)
  return [...new Set(hosts)]
}

/**
 * Of the addresses at which this peer listens the one that a neighbour at `remote` reaches, as far as can be told: one of the same family that
 * takes calls from everywhere, or from where `remote` is: this machine or another.
 */
export function hostFor(hosts: readonly string[], remote: string): string | undefined {
  const family = hosts.filter((host) => isIPv4(host) === isIPv4(remote))
  return family.find(isAny) ?? family.find((host) => isLoopback(host) === isLoopback(remote)) ?? hosts.find(isDual)
}

const isAny = (host: string): boolean => host === '0.0.0.0' || host === '::'

/** Whether a socket there takes calls by IPv4 too. */
const isDual = (host: string): boolean => host === '::'

const isLoopback = (host: string): boolean => host === '::1' || host.startsWith('127.')
