import { InputError, type PeerName } from '@murmuration/core'
import { createRandom } from '@murmuration/random'
import { lengthOf } from '@murmuration/vectors'
import { controlBytes, limitsOf } from './constants.js'
import { decodeTerms, encodeTerms, helloBytes } from './control-messages.js'
import { Doorstep } from './doorstep.js'
import { NetworkPeer } from './network-peer.js'
import { createNode } from './node.js'
import type { Peer, PeerOptions } from './peer.js'
import { patientLimits } from './shaping/patience.js'
import { Shaper } from './shaping/shaper.js'
import type { Terms } from './terms.js'

/** Creates a peer that listens. Until `connect` has told it who is who, it lets nobody in. Throws InputErrors. */
export async function openPeer(options: PeerOptions): Promise<Peer> {
  const endpoints = [...options.topology.peers, ...(options.servers ?? [])]
  if (!endpoints.includes(options.self)) {
    throw new InputError(`"${options.self}" is no peer of the topology; it has ${endpoints.join(', ')}`)
  }
  const agreed = { ...options, terms: asRead(options.terms) }
  const shaper = shaperOf(agreed, (id) => peer.nameOf(id))
  const limits = patientLimits(limitsOf(options.limits), shaper?.slowness ?? 0)
  const { identity, listen } = options
  const refusalOf = (id: string, address: string) => peer.refusalOf(id, address)
  const isKnown = (host: string) => peer.isKnownHost(host)
  const doorstep = new Doorstep(isKnown, limits.strangerTimeout, limits.handshakeTimeout)
  const node = await createNode({ identity, listen, limits, refusalOf, doorstep, shaper })
  const peer = new NetworkPeer(agreed, limits, node, shaper)
  await peer.start()
  return peer
}

/** The terms as a neighbour reads them. A hello has to fit into a control message, or it would cut this peer off without a word. */
function asRead(terms: Terms): Terms {
  const bytes = encodeTerms(terms)
  const room = controlBytes - helloBytes
  if (bytes.byteLength <= room) return decodeTerms(bytes)
  throw new InputError(
    `the schema has ${terms.schema.length} tensors, and with their names and ${Object.keys(terms.settings).length} settings ` +
      `the terms take ${bytes.byteLength} bytes; at most ${room} fit into a handshake: merge tensors, or shorten their names`
  )
}

function shaperOf(
  { links, self, topology, seed, terms }: PeerOptions,
  nameOf: (id: string) => PeerName | undefined
): Shaper | undefined {
  if (links === undefined) return undefined
  const random = createRandom(seed, self).stream('links')
  return new Shaper({ links, self, topology, frameBytes: 4 * lengthOf(terms.schema), nameOf, random })
}
