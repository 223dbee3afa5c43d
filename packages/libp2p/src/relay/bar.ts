import type { Multiaddr } from '@multiformats/multiaddr'
import { relayIn } from './address.js'

/** By what relay a direction of a link goes. */
export interface ViaRelay {
  /** Its address. */
  readonly relay: string
  /** Why no vectors may go there; absent where they may. */
  readonly bar?: string
}

/**
 * By what relay a connection goes, and whether vectors may go there; `undefined` for a direct one.
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
  const who = [...(ours ? [] : ['here']), ...(theirs ? [] : ['there'])].join(' and ')
  const bar =
    `it is reached through the relay at ${relay} alone, over which vectors are not allowed ${who}: ` +
    'forward a port to one of the two, or give both --relay-vectors'
  return { relay, bar }
}
