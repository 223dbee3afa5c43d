import './polyfill.js'
import { noiseCrypto } from '#platform/node/noise-crypto.js'
import { transportsOf } from '#platform/node/transports.js'
import type { Libp2p } from '@libp2p/interface'
import { InputError, type Milliseconds } from '@murmuration/core'
import { createLibp2p, noise, yamux } from '#platform/libraries/network.js'
import type { Limits } from '../base/constants.js'
import type { PendingConnections } from './pending-connections.js'
import { wordsOf } from '../base/explain.js'
import type { Identity } from '../base/identity.js'
import { listeningAddresses } from '../addresses/listening-addresses.js'
import { OpenConnections } from './open-connections.js'
import { OpeningStreams } from './opening-streams.js'
import type { PeerDirectory } from '../addresses/peer-directory.js'
import { parseAddress } from '../addresses/peer-list.js'
import { Circuit } from '../relay/circuit.js'
import type { RelayRole } from '../relay/role.js'
import type { Shaper } from '../shaping/shaper.js'
import { UnreadFrames } from './unread-frames.js'

/** Options of a node. */
export interface NodeOptions {
  readonly identity: Identity
  /** Multiaddrs to listen on; port 0 takes a free one. */
  readonly listen: readonly string[]
  readonly limits: Limits
  /** Decides which peers may connect, and is told which of them flood this one; all may connect when absent. */
  readonly directory?: Pick<PeerDirectory, 'refusalOf' | 'nameOf' | 'onFlood'>
  /** Bounds the connections that are not authenticated yet; unbounded when absent. */
  readonly pendingConnections?: PendingConnections
  /** Shapes all connections, if given. */
  readonly shaper?: Shaper | undefined
  /** Whether to find others, and be found, on the local network by multicast DNS. */
  readonly lan?: boolean | undefined
  /** Whether to have routers of the local network forward its ports (UPnP). */
  readonly upnp?: boolean | undefined
  /** Its connections through relays; when absent, it can only dial through relays. */
  readonly circuit?: Circuit | undefined
  /** Its service as a relay for others, if it is one. */
  readonly relay?: RelayRole | undefined
}

/**
 * A libp2p node over this machine's transports, noise and yamux, that is not started yet. Throws an InputError for an
 * invalid address.
 */
export async function createNode(options: NodeOptions): Promise<Libp2p> {
  const { identity, listen, limits, directory, pendingConnections, shaper, lan = false, relay, upnp = false } = options
  const { circuit = new Circuit() } = options
  for (const address of listen) parseAddress(address, 'this peer')
  const { transports, peerDiscovery, services } = await transportsOf({ identity, listen, limits, shaper, lan, upnp })
  const node = await createLibp2p({
    start: false,
    privateKey: identity.privateKey,
    addresses: { listen: [...listen] },
    transports: [...transports, circuit.transport],
    services: {
      listeningAddresses,
      ...(relay === undefined ? {} : { relay: relay.service(limits.handshakeTimeout) }),
      ...services
    },
    peerDiscovery,
    connectionEncrypters: [noise({ crypto: noiseCrypto })],
    streamMuxers: [
      yamux({
        maxInboundStreams,
        // Those that are opened before libp2p is ready are counted with the others then.
        maxEarlyStreams: maxInboundStreams,
        streamOptions: {
          maxStreamWindowSize: limits.streamWindow,
          // A stream with a read buffer smaller than its window is reset as soon as a reader is slow.
          maxReadBufferLength: 2 * limits.streamWindow
        }
      })
    ],
    // libp2p refuses the newest connection when there are too many; `pendingConnections` and `OpenConnections` close an
    // old one instead.
    connectionManager: {
      maxConnections: Number.MAX_SAFE_INTEGER,
      inboundConnectionThreshold: Number.MAX_SAFE_INTEGER,
      maxIncomingPendingConnections: Number.MAX_SAFE_INTEGER,
      ...waitsOf(limits, shaper?.slowness ?? 0)
    },
    // The monitor would cut the connection of a neighbour that computes for some seconds; the heartbeat replaces it.
    connectionMonitor: { enabled: false },
    connectionGater: {
      // In browsers libp2p would dial no private address; `mayDial` decides which addresses of others are dialled.
      denyDialMultiaddr: () => false,
      ...relay?.gater,
      denyInboundConnection: (connection) => {
        pendingConnections?.add(connection)
        return false
      },
      denyInboundEncryptedConnection: (id, connection) => {
        pendingConnections?.authenticated(connection)
        shaper?.meet(connection, id.toString())
        return directory?.refusalOf(id.toString(), connection.remoteAddr.toString()) !== undefined
      },
      denyInboundUpgradedConnection: (_id, connection) => {
        pendingConnections?.remove(connection)
        return false
      }
    }
  })
  bound(node, options)
  relay?.begin(node)
  return node
}

/**
 * The most streams that the other end of a connection may have open; the limits of all protocols together are lower.
 */
const maxInboundStreams = 256

/** Bounds the open connections of a node, and what others may do on them before a protocol is known. */
function bound(node: Libp2p, { directory, relay }: NodeOptions): void {
  const connections = new OpenConnections((connection) => relay?.isUsed(connection) === true)
  const holders = directory ?? { nameOf: () => undefined, onFlood() {} }
  const streams = new OpeningStreams(holders)
  const frames = new UnreadFrames(holders)
  node.addEventListener('connection:open', ({ detail }) => {
    connections.add(detail)
    streams.watch(detail)
    frames.watch(detail)
  })
}

/** libp2p's timeouts, from the limits: some of its defaults are shorter than the limits allow. */
function waitsOf({ dialTimeout, handshakeTimeout }: Limits, slowness: Milliseconds) {
  return {
    dialTimeout,
    addressDialTimeout: dialTimeout,
    inboundUpgradeTimeout: handshakeTimeout,
    outboundStreamProtocolNegotiationTimeout: handshakeTimeout,
    inboundStreamProtocolNegotiationTimeout: handshakeTimeout,
    connectionCloseTimeout: 1_000 + slowness
  }
}

/** Starts the node. Throws an InputError when it cannot listen. */
export async function startNode(node: Libp2p, listen: readonly string[]): Promise<void> {
  try {
    await node.start()
  } catch (error) {
    await node.stop()
    // libp2p puts the stack traces of all addresses into one message; only the system's messages in it are useful.
    const causes = wordsOf(error).match(/listen E[A-Z]+: [^\n]+/g) ?? [wordsOf(error)]
    throw new InputError(`cannot listen on ${listen.join(', ')}: ${causes.join('; ')}; choose another address or port`)
  }
}
