import type { ComponentLogger, Connection, Logger, MultiaddrConnection, Transport, Upgrader } from '@libp2p/interface'
import { tcp } from '@libp2p/tcp'
import { multiaddr } from '@multiformats/multiaddr'
import { timeLimit } from '@murmuration/contract'
import { type AccessLink, type Links, type PathLink, type PeerName, peerName } from '@murmuration/core'
import { createRandom } from '@murmuration/random'
import type { ExecutionContext } from 'ava'
import { graph } from '../cluster.test.support.js'
import { createIdentity, type Identity } from '../base/identity.js'
import type { PeerDirectory } from '../addresses/peer-directory.js'
import { Shaper } from './shaper.js'
import { ShapedConnection } from './shaped-connection.js'

export const unlimited = Number.POSITIVE_INFINITY

/** Links that are the same for all peers. */
export function links(line: Partial<AccessLink>, path: Partial<PathLink> = {}): Links {
  const free: PathLink = { latency: 0, jitter: 0, loss: 0, bandwidth: unlimited, window: unlimited, pipes: [] }
  return { access: () => ({ up: unlimited, down: unlimited, ...line }), path: () => ({ ...free, ...path }) }
}

/** A transport of one peer on real TCP, and its incoming shaped connections. */
interface End {
  readonly identity: Identity
  readonly shaper: Shaper
  readonly transport: Transport
  readonly upgrader: Upgrader
  readonly incoming: (() => void)[]
  readonly connections: ShapedConnection[]
}

/**
 * Two peers' connections, from a to b, over real TCP; `count` of them share the lines of both. With the shaper of a.
 */
export async function wires(
  t: ExecutionContext,
  network: Links,
  count = 1
): Promise<readonly { readonly near: ShapedConnection; readonly far: ShapedConnection; readonly shaper: Shaper }[]> {
  const identities = [await createIdentity(), await createIdentity()]
  const names = ['a', 'b'].map(peerName)
  const directory = { nameOf: (id: string) => names.find((_, index) => identities[index].id === id) }
  const [near, far] = identities.map((identity, index) => endOf(identity, network, names[index], directory))
  const listener = far.transport.createListener({ upgrader: far.upgrader })
  await listener.listen(multiaddr('/ip4/127.0.0.1/tcp/0'))
  t.teardown(() => listener.close())
  const address = listener.getAddrs()[0].encapsulate(`/p2p/${far.identity.id}`)
  const pairs = []
  for (let index = 0; index < count; index++) {
    const came = new Promise<void>((resolve) => far.incoming.push(resolve))
    await near.transport.dial(address, { upgrader: near.upgrader, signal: AbortSignal.timeout(timeLimit(5000)) })
    await came
    pairs.push({ near: near.connections[index], far: far.connections[index], shaper: near.shaper })
  }
  return pairs
}

function endOf(identity: Identity, network: Links, self: PeerName, directory: Pick<PeerDirectory, 'nameOf'>): End {
  const shaper = new Shaper({
    links: network,
    self,
    topology: graph(['a', 'b']),
    frameBytes: 0,
    directory,
    random: createRandom(1)
  })
  const connections: ShapedConnection[] = []
  const incoming: (() => void)[] = []
  const take = async (connection: MultiaddrConnection): Promise<Connection> => {
    if (connection instanceof ShapedConnection) connections.push(connection)
    incoming.shift()?.()
    // These tests do not use the upgraded connection.
    return undefined as unknown as Connection
  }
  const upgrader = { upgradeOutbound: take, upgradeInbound: take } as unknown as Upgrader
  return { identity, shaper, transport: shaper.transport(tcp())({ logger }), upgrader, incoming, connections }
}

const log: Logger = Object.assign(() => {}, {
  error: () => {},
  trace: () => {},
  enabled: false,
  newScope: () => log
})
const logger: ComponentLogger = { forComponent: () => log }

/** The bytes received on a connection, and the arrival time of each part. */
export function collect(connection: MultiaddrConnection) {
  const parts: { readonly bytes: Uint8Array; readonly at: number }[] = []
  connection.addEventListener('message', ({ data }) => parts.push({ bytes: data.subarray(), at: performance.now() }))
  return {
    parts,
    size: () => parts.reduce((total, { bytes }) => total + bytes.byteLength, 0),
    content: () => Buffer.concat(parts.map(({ bytes }) => bytes))
  }
}

/** Writes as a muxer does: pauses on back-pressure, continues when the connection has drained. */
export async function write(connection: MultiaddrConnection, bytes: Uint8Array, piece: number): Promise<void> {
  for (let offset = 0; offset < bytes.byteLength; offset += piece) {
    if (connection.send(bytes.slice(offset, offset + piece))) continue
    await new Promise((resolve) => connection.addEventListener('drain', resolve, { once: true }))
  }
}
