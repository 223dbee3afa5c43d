import { InputError } from '@murmuration/core'
import { createRandom } from '@murmuration/random'
import { controlBytes, limitsOf } from './base/constants.js'
import { decodeRunSettings, encodeRunSettings, helloBytes } from './links/control-messages.js'
import { PendingConnections } from './node/pending-connections.js'
import type { PeerEventListener } from './base/events.js'
import { NetworkPeer } from './network-peer.js'
import { createNode } from './node/node.js'
import { parseAddress } from './addresses/peer-list.js'
import type { Peer, PeerOptions } from './peer.js'
import { PeerDirectory } from './addresses/peer-directory.js'
import { Circuit } from './relay/circuit.js'
import { RelayRole } from './relay/role.js'
import { extendedLimits } from './shaping/slowness.js'
import { Shaper } from './shaping/shaper.js'
import { elementsOf, type RunSettings } from './base/run-settings.js'

/**
 * Creates a peer that listens. Until `connect` gives it the peer list, it refuses all connections. Throws InputErrors.
 */
export async function openPeer(options: PeerOptions): Promise<Peer> {
  const endpoints = [...options.topology.peers, ...(options.servers ?? [])]
  if (!endpoints.includes(options.self)) {
    throw new InputError(`"${options.self}" is not in the topology; it has ${endpoints.join(', ')}`)
  }
  const onEvent = untilError(options.onEvent, (error) => peer.abort(error))
  const agreed = { ...options, onEvent, runSettings: asRead(options.runSettings) }
  const directory = new PeerDirectory(onEvent)
  const shaper = shaperOf(agreed, directory)
  const limits = extendedLimits(limitsOf(options.limits), shaper?.slowness ?? 0)
  const pendingConnections = new PendingConnections(directory, limits.unknownPeerTimeout, limits.handshakeTimeout)
  const { identity, listen, discovery, relay = {} } = options
  for (const seed of discovery?.seeds ?? []) parseAddress(seed, 'a seed')
  for (const address of relay.via ?? []) parseAddress(address, 'a relay')
  const circuit = new Circuit((relay.via ?? []).length > 0)
  const serves = (id: string) => directory.nameOf(id) !== undefined
  const node = await createNode({
    identity,
    listen,
    limits,
    directory,
    pendingConnections,
    shaper,
    lan: discovery?.lan,
    upnp: options.upnp,
    circuit,
    relay: relay.offers && new RelayRole(relay.offers, serves)
  })
  const peer = new NetworkPeer(agreed, limits, node, directory, circuit, shaper)
  try {
    await peer.start()
    return peer
  } catch (error) {
    await peer.close()
    throw error
  }
}

/** The listener, which is not called again once it has thrown an error. */
function untilError(listener: PeerEventListener = () => {}, onError: (error: unknown) => void): PeerEventListener {
  let isOver = false
  return (event) => {
    if (isOver) return
    try {
      listener(event)
    } catch (error) {
      isOver = true
      onError(error)
    }
  }
}

/**
 * The run settings as a neighbour decodes them. Checks that a hello fits into a control message: a longer one ends the
 * stream without a reason.
 */
function asRead(runSettings: RunSettings): RunSettings {
  const bytes = encodeRunSettings(runSettings)
  const room = controlBytes - helloBytes
  if (bytes.byteLength <= room) return decodeRunSettings(bytes)
  throw new InputError(
    `the run settings take ${bytes.byteLength} bytes (a schema of ${runSettings.schema.length} tensors, ${Object.keys(runSettings.settings).length} settings), ` +
      `expected at most ${room}; merge tensors, or shorten their names`
  )
}

function shaperOf(
  { links, self, topology, seed, runSettings }: PeerOptions,
  directory: PeerDirectory
): Shaper | undefined {
  if (links === undefined) return undefined
  const random = createRandom(seed, self).stream('links')
  return new Shaper({ links, self, topology, frameBytes: 4 * elementsOf(runSettings), directory, random })
}
