import type { Multiaddr } from '@multiformats/multiaddr'
import { relayIn } from '../addresses/relay-address.js'

/** The relay of one direction of a link. */
export interface ViaRelay {
  /** Its address. */
  readonly relay: string
  /** Why vectors are not allowed over it; absent when they are. */
  readonly bar?: string
}

/**
 * The relay of a connection, and whether vectors are allowed over it; `undefined` for a direct connection.
 *
 * @param theirs - whether the neighbour allows vectors through relays
 */
export function viaOf(
  remote: Multiaddr,
  { relays }: { readonly relays: { readonly relayVectors?: true } },
  theirs = false
): ViaRelay | undefined {
  const relay = relayIn(remote)
  if (relay === undefined) return undefined
  const ours = relays.relayVectors === true
  if (ours && theirs) return { relay }
  const where = [...(ours ? [] : ['here']), ...(theirs ? [] : ['there'])].join(' and ')
  const bar =
    `it is reachable only through the relay at ${relay}, over which vectors are not allowed ${where}: ` +
    'forward a port to one of the two peers, or give both --relay-vectors'
  return { relay, bar }
}
