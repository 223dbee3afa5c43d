/** Peers that cannot be dialled, and reach each other through a relay. */
import { timeLimit } from '@murmuration/contract'
import test, { type ExecutionContext } from 'ava'
import { eventOf, eventually, graph, peerListOf, schemaOf, type TestNode, testNode } from '../cluster.test.support.js'
import { openSeed } from '../discovery/open-seed.js'
import type { Seed } from '../discovery/seed-options.js'
import { createIdentity } from '../base/identity.js'
import type { PeerOptions } from '../peer.js'
import type { RelayLimits } from './relay-options.js'

const pair = graph(['a', 'b'])
const [a, b] = pair.peers

async function relayOf(t: ExecutionContext, changes: Partial<RelayLimits> = {}): Promise<Seed> {
  const identity = await createIdentity()
  const relay = await openSeed({ identity, listen: ['/ip4/127.0.0.1/tcp/0'], relay: changes })
  t.teardown(() => relay.close())
  return relay
}

/** A peer that can be reached only through a relay. */
function hidden(t: ExecutionContext, name: string, relay: Seed, vectors: boolean, changes: Partial<PeerOptions> = {}) {
  const [address] = relay.addresses
  const discovery = { seeds: [address], lan: false }
  return testNode(t, pair, name, { listen: [], discovery, relay: { via: [address], vectors }, ...changes })
}

/** Waits until the peer has a reservation at its relay. */
const reserved = ({ name, events }: TestNode) =>
  eventually(`a place of ${name}`, () => events.some((event) => event.kind === 'relay' && event.isReached))

const withoutAddresses = (nodes: readonly TestNode[]) => peerListOf(nodes).map((one) => ({ ...one, addresses: [] }))

test('two peers exchange vectors through a relay if both allow it, without a data channel', async (t) => {
  const relay = await relayOf(t)
  // They could reach each other for a data channel, but must not learn the address.
  const open = { listen: ['/ip4/127.0.0.1/tcp/0'], discovery: undefined, limits: { channelFrom: 1 } }
  const nodes = await Promise.all(['a', 'b'].map((name) => hidden(t, name, relay, true, open)))
  const [left, right] = nodes
  for (const node of nodes) await reserved(node)
  const isRelayed = (address: string) => address.endsWith(`/p2p-circuit/p2p/${address.split('/').at(-1)}`)
  const list = peerListOf(nodes).map((entry) => ({ ...entry, addresses: entry.addresses.filter(isRelayed) }))
  t.deepEqual(
    list.map(({ addresses }) => addresses.length),
    [1, 1]
  )
  await Promise.all(nodes.map(({ peer }) => peer.connect(list, timeLimit(10_000))))
  t.is(relay.reserved, 2)
  t.true(left.events.some((event) => event.kind === 'relay' && event.address === relay.addresses[0]))
  t.like(await eventOf(right, 'ready'), { peer: a, relay: relay.addresses[0] })
  for (let round = 0; round < 4; round++) {
    t.is(left.peer.fabric.send(b, { kind: 0, round, vector: new Float32Array(8).fill(round) }), 'queued')
    const received = await right.peer.fabric.receive()
    t.is(received?.message.vector[7], round)
  }
  const [status] = left.peer.neighbours()
  t.like(status, { state: 'ready', relay: relay.addresses[0], channel: false })
})

test('unless both allow it no vector goes through a relay, and each reports how to allow it; pings pass', async (t) => {
  const relay = await relayOf(t)
  const [left, right] = await Promise.all([hidden(t, 'a', relay, true), hidden(t, 'b', relay, false)])
  const list = withoutAddresses([left, right])
  const events: string[] = []
  right.peer.fabric.listen({
    note: (_from, note) => void events.push(note),
    heard: () => events.push('sign'),
    refused() {}
  })
  for (const { peer } of [left, right]) peer.meet(list)
  t.regex((await eventOf(left, 'barred')).reason, /through the relay at .*not allowed there: .* both --relay-vectors/)
  t.regex((await eventOf(right, 'barred')).reason, /not allowed here: /)
  t.is(left.peer.fabric.send(b, { kind: 0, round: 0, vector: new Float32Array(8) }), 'unreachable')
  left.peer.fabric.tell(b, 'a note')
  t.true(((await left.peer.roundTrip(b)) ?? -1) >= 0)
  t.like(left.peer.neighbours()[0], { state: 'barred', relay: relay.addresses[0] })
  t.like(right.peer.traffic().received, { frames: 0 })
  t.deepEqual(events, [], 'for the algorithm, such a neighbour is absent')
  await t.throwsAsync(left.peer.connect(list, 1), { message: /connect was called twice/ })
})

test('a link leaves the relay as soon as one of the two can reach the other directly', async (t) => {
  const relay = await relayOf(t)
  const seeds = [relay.addresses[0]]
  const inner = await hidden(t, 'a', relay, true)
  await reserved(inner)
  const outer = await testNode(t, pair, 'b', { discovery: { seeds, lan: false }, relay: { vectors: true } })
  const nodes = [inner, outer]
  const list = peerListOf(nodes).map((entry) => (entry.name === b ? { ...entry, addresses: [] } : entry))
  await Promise.all(nodes.map(({ peer }) => peer.connect(list, timeLimit(10_000))))
  await eventually('a direct link', () => {
    const links = nodes.flatMap(({ peer }) => peer.neighbours())
    return links.every(({ state, relay: via }) => state === 'ready' && via === undefined)
  })
  t.like(await eventOf(inner, 'introduced'), { peer: b })
  // The direct connection is open before the relayed one ends, so that the relay is never used again. On a busy machine
  // it may be the first.
  const relayed = inner.events.filter((event) => event.kind === 'ready' && event.relay !== undefined)
  t.true(relayed.length <= 1, `${relayed.length} links through the relay`)
})

test('a peer relays for its run; a connection at its limit is rebuilt, and no vector is lost or repeated', async (t) => {
  const three = graph(['a', 'b'], ['b', 'r'], ['r', 'a'])
  const runSettings = { settings: {}, schema: schemaOf(256), start: '' }
  const middle = await testNode(t, three, 'r', { relay: { offers: { bytes: 40_000 } }, runSettings })
  const relay = { via: [middle.peer.addresses[0]], vectors: true }
  const outer = await Promise.all(
    ['a', 'b'].map((name) => testNode(t, three, name, { listen: [], relay, runSettings }))
  )
  const [left, right] = outer
  const nodes = [...outer, middle]
  const list = peerListOf(nodes).map((entry) =>
    entry.name === middle.name ? entry : { ...entry, addresses: [`${relay.via[0]}/p2p-circuit`] }
  )
  await Promise.all(nodes.map(({ peer }) => peer.connect(list, timeLimit(10_000))))
  const rounds = 100
  const sending = (async () => {
    for (let round = 0; round < rounds; round++) {
      const vector = new Float32Array(256).fill(round)
      await eventually('room', () => left.peer.fabric.send(b, { kind: 0, round, vector }) === 'queued')
    }
  })()
  for (let round = 0; round < rounds; round++) {
    const received = await right.peer.fabric.receive()
    t.is(received?.message.vector[0], round)
    if (received !== undefined) right.peer.fabric.recycle(received.message)
  }
  await sending
  const times = (node: TestNode) => node.events.filter((event) => event.kind === 'ready' && event.peer === b).length
  t.true(times(left) > 2, `connected ${times(left)} times`)
})

test('a full relay is reported; one that is down is reported, and used when it is back', async (t) => {
  const relay = await relayOf(t, { reservations: 1 })
  const left = await hidden(t, 'a', relay, true)
  await reserved(left)
  const right = await hidden(t, 'b', relay, true)
  t.regex(String(JSON.stringify(await eventOf(right, 'relay'))), /the relay is full/)
  await left.peer.close()
  await eventually('the place of a peer that has gone', () =>
    right.events.some((event) => event.kind === 'relay' && event.isReached)
  )
  await relay.close()
  const lost = await eventually('the loss', () => right.events.filter(({ kind }) => kind === 'relay').at(2))
  t.like(lost, { isReached: false })
  t.deepEqual(right.peer.addresses, [])
})
