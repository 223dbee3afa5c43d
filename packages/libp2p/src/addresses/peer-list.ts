import type { Multiaddr } from '@multiformats/multiaddr'
import { InputError, messageOf, type PeerName } from '@murmuration/core'
import { hashText } from '@murmuration/vectors'
import { multiaddr } from '#platform/libraries/base.js'
import { parsePeerId } from '../base/identity.js'

/** The addresses of a peer, and the id that its connection must prove. */
export interface PeerListEntry {
  readonly name: PeerName
  /** The libp2p peer id. */
  readonly id: string
  /** Multiaddrs such as `/ip4/192.0.2.7/tcp/4001`. Empty for a peer that cannot be dialled. */
  readonly addresses: readonly string[]
}

/** A checked peer list, by name and by id. */
export interface PeerList {
  readonly byName: ReadonlyMap<PeerName, PeerListEntry>
  readonly byId: ReadonlyMap<string, PeerListEntry>
  /** The IP addresses of its peers. */
  readonly hosts: ReadonlySet<string>
}

/**
 * Checks a peer list and returns it with ids and addresses in their usual form. Throws an InputError that says what is
 * wrong.
 */
export function checkPeerList(entries: readonly PeerListEntry[]): PeerList {
  const byName = new Map<PeerName, PeerListEntry>()
  const byId = new Map<string, PeerListEntry>()
  for (const { name, id, addresses } of entries) {
    const entry = { name, id: parsePeerId(id), addresses: addresses.map((text) => reach(text, name, id)) }
    const twin = byId.get(entry.id)
    if (byName.has(name)) throw new InputError(`the peer list has "${name}" twice; names must be unique`)
    if (twin !== undefined) throw new InputError(`"${twin.name}" and "${name}" have the same peer id ${entry.id}`)
    byName.set(name, entry)
    byId.set(entry.id, entry)
  }
  const addresses = [...byId.values()].flatMap((entry) => entry.addresses)
  const hosts = new Set(addresses.map((text) => hostOf(multiaddr(text))).filter((host) => host !== undefined))
  return { byName, byId, hosts }
}

/** The name of the run in introductions: a hash that only holders of the peer list know. */
export function runOf({ byId }: PeerList): string {
  return hashText([...byId.keys()].sort().join(' '))
}

/** The IP address in a multiaddr, if it has one; an IPv4 address that is written as IPv6 is returned as IPv4. */
export function hostOf(address: Multiaddr): string | undefined {
  const host = address.getComponents().find(({ name }) => name === 'ip4' || name === 'ip6')?.value
  // RFC 4291, 2.5.5.2: a dual-stack socket sees IPv4 callers this way.
  const mapped = /^::ffff:([\da-f]{1,4}):([\da-f]{1,4})$/i
    .exec(host ?? '')
    ?.slice(1)
    .map((word) => Number.parseInt(word, 16))
  return mapped?.flatMap((word) => [word >> 8, word & 255]).join('.') ?? host
}

/** Reads a multiaddr. Throws an InputError that names its peer. */
export function parseAddress(text: string, owner: string): Multiaddr {
  try {
    return multiaddr(text)
  } catch (error) {
    throw new InputError(
      `the address "${text}" of ${owner} is not a multiaddr (${messageOf(error)}); expected one such as /ip4/192.0.2.7/tcp/4001`
    )
  }
}

/** The address with the peer id at its end, so that libp2p checks the id of the node that answers. */
function reach(text: string, name: PeerName, id: string): string {
  const address = parseAddress(text, `"${name}"`)
  const last = address.getComponents().at(-1)
  const named = last?.name === 'p2p' ? last.value : undefined
  if (named === undefined) return address.encapsulate(`/p2p/${parsePeerId(id)}`).toString()
  if (parsePeerId(named) === parsePeerId(id)) return address.toString()
  throw new InputError(`the address "${text}" of "${name}" ends with another peer id, expected ${id}`)
}
