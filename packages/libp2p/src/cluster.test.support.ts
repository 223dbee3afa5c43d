import { slowdown, timeLimit } from '@murmuration/contract'
import { type PeerName, peerName, type Schema, type Topology } from '@murmuration/core'
import type { ExecutionContext } from 'ava'
import type { Limits } from './base/constants.js'
import type { PeerEvent } from './base/events.js'
import { createIdentity, type Identity } from './base/identity.js'
import { createPeer } from './create-peer.js'
import type { Peer, PeerOptions } from './peer.js'
import type { PeerListEntry } from './addresses/peer-list.js'

/** A peer of a test with all its events. */
export interface TestNode {
  readonly name: PeerName
  readonly peer: Peer
  readonly identity: Identity
  readonly events: readonly PeerEvent[]
}

/** Short timeouts, so that tests are quick, except those that would fail on a busy machine. */
export const quick = (): Partial<Limits> => ({
  callWait: 100,
  initialBackoff: 30,
  maxBackoff: 150,
  heartbeat: 200,
  closeTimeout: 2_000 * slowdown(),
  silentAfter: timeLimit(10_000),
  deadAfter: timeLimit(60_000),
  dialTimeout: timeLimit(10_000),
  handshakeTimeout: timeLimit(10_000),
  unknownPeerTimeout: timeLimit(2_000)
})

/** A model of one tensor with `elements` numbers. */
export const schemaOf = (elements: number): Schema => [{ name: 'weights', shape: [elements] }]

/** The topology with these edges and equal weights. */
export function graph(...edges: readonly (readonly [string, string])[]): Topology {
  const peers = [...new Set(edges.flat())].sort().map(peerName)
  const mixing = (self: PeerName) => {
    const others = peers.filter((other) =>
      edges.some((edge) => other !== self && edge.includes(self) && edge.includes(other))
    )
    const weight = 1 / (others.length + 1)
    const both = others.map((name) => ({ name, weight }))
    return { selfWeight: weight, receiveFrom: both, sendTo: both }
  }
  return { peers, period: 1, mixing }
}

/** Starts a peer that listens on a free port of this machine, and closes it when the test ends. */
export async function testNode(
  t: Pick<ExecutionContext, 'teardown'>,
  topology: Topology,
  text: string,
  changes: Partial<PeerOptions> = {}
): Promise<TestNode> {
  const name = peerName(text)
  const events: PeerEvent[] = []
  const identity = changes.identity ?? (await createIdentity())
  const peer = await createPeer({
    self: name,
    topology,
    seed: 1,
    listen: ['/ip4/127.0.0.1/tcp/0'],
    runSettings: { settings: { run: 'test' }, schema: schemaOf(8), start: '00' },
    onEvent: (event) => events.push(event),
    ...changes,
    identity,
    limits: { ...quick(), ...changes.limits }
  })
  t.teardown(() => peer.close())
  return { name, peer, identity, events }
}

/** Starts all peers of a topology. */
export function testCluster(
  t: ExecutionContext,
  topology: Topology,
  changes: Partial<PeerOptions> = {}
): Promise<TestNode[]> {
  return Promise.all(topology.peers.map((name) => testNode(t, topology, name, changes)))
}

/** The peer list of all nodes. */
export function peerListOf(nodes: readonly TestNode[]): PeerListEntry[] {
  return nodes.map(({ name, peer }) => ({ name, id: peer.id, addresses: peer.addresses }))
}

/** Connects all, and waits until all are ready. */
export async function connectAll(nodes: readonly TestNode[], timeout = timeLimit(10_000)): Promise<void> {
  await Promise.all(nodes.map(({ peer }) => peer.connect(peerListOf(nodes), timeout)))
}

/** Polls until `found` returns a value; fails after {@link timeLimit} of 10 seconds. */
export async function eventually<T>(what: string, found: () => T | undefined | false): Promise<T> {
  const limit = timeLimit(10_000)
  const deadline = performance.now() + limit
  for (;;) {
    const value = found()
    if (value !== undefined && value !== false) return value
    if (performance.now() > deadline) throw new Error(`not within ${limit / 1000} s: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

/** The first event of a kind, once it has happened. */
export function eventOf<K extends PeerEvent['kind']>(
  node: TestNode,
  kind: K
): Promise<Extract<PeerEvent, { kind: K }>> {
  const wanted = (event: PeerEvent): event is Extract<PeerEvent, { kind: K }> => event.kind === kind
  return eventually(`${kind} at ${node.name}`, () => node.events.find(wanted))
}
