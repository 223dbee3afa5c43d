import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { peerName, type PeerName } from '@murmuration/core'
import test from 'ava'
import { createIdentity } from './base/identity.js'
import {
  type TestNode,
  testNode,
  connectAll,
  eventually,
  testCluster,
  graph,
  peerListOf
} from './cluster.test.support.js'

/** A graph in which all are neighbours of all. */
function mesh(size: number) {
  const names = Array.from({ length: size }, (_, index) => `p${index}`)
  return graph(...names.flatMap((left, index) => names.slice(index + 1).map((right) => [left, right] as const)))
}

/** The number of connected sockets of this process: two for each connection between its peers. */
function sockets(): number {
  return process.getActiveResourcesInfo().filter((resource) => resource === 'TCPSocketWrap').length
}

/** The number of sockets once those of an earlier test are closed at both ends, that is when it no longer changes. */
async function socketsBefore(): Promise<number> {
  for (let count = sockets(); ;) {
    await delay(500)
    if (sockets() === count) return count
    count = sockets()
  }
}

/** The names in the order of the peer ids. */
function byId(nodes: readonly TestNode[]): readonly PeerName[] {
  return [...nodes].sort((left, right) => (left.peer.id < right.peer.id ? -1 : 1)).map(({ name }) => name)
}

test.serial('of two peers that start together one dials: a full mesh has one connection per pair', async (t) => {
  const before = await socketsBefore()
  const nodes = await testCluster(t, mesh(8), { limits: { callWait: 120_000 } })
  await connectAll(nodes, 120_000)
  t.is(sockets() - before, 8 * 7)
})

test.serial('peers that are not neighbours and exchange notes have one connection per pair', async (t) => {
  const before = await socketsBefore()
  const ring = graph(...[0, 1, 2, 3, 4, 5].map((index) => [`p${index}`, `p${(index + 1) % 6}`] as const))
  const nodes = await testCluster(t, ring, { limits: { callWait: 120_000 } })
  await connectAll(nodes, 120_000)
  const heard = new Set<string>()
  for (const { name, peer } of nodes) {
    peer.fabric.listen({ note: (from) => void heard.add(`${from} ${name}`), heard: () => {}, refused: () => {} })
  }
  for (const { peer } of nodes) for (const { name } of nodes) peer.fabric.tell(name, 'hello')
  await eventually('a note of each to each', () => heard.size === 6 * 5)
  t.is(sockets() - before, 6 * 5)
})

test.serial('a neighbour that should dial first and cannot is dialled', async (t) => {
  const nodes = await testCluster(t, graph(['a', 'b']), { limits: { callWait: 50 } })
  const [smaller] = byId(nodes)
  const peerList = peerListOf(nodes)
  // The peer that must dial knows no address of the other.
  const blind = peerList.map((entry) => (entry.name === smaller ? entry : { ...entry, addresses: [] }))
  const connect = ({ name, peer }: TestNode) => peer.connect(name === smaller ? blind : peerList, 60_000)
  await t.notThrowsAsync(Promise.all(nodes.map(connect)))
})

test.serial('a peer in a hurry waits for no call', async (t) => {
  const nodes = await testCluster(t, graph(['a', 'b']), { limits: { callWait: 120_000 } })
  const [smaller] = byId(nodes)
  const peerList = peerListOf(nodes)
  const blind = peerList.map((entry) => (entry.name === smaller ? entry : { ...entry, addresses: [] }))
  const connect = ({ name, peer }: TestNode) => peer.connect(name === smaller ? blind : peerList, 60_000)
  const connecting = Promise.all(nodes.map(connect))
  for (const { peer } of nodes) peer.hurry()
  await t.notThrowsAsync(connecting)
})

test.serial('a peer that cannot be dialled does not wait for a call', async (t) => {
  const nodes = await testCluster(t, graph(['a', 'b']), { limits: { callWait: 120_000 } })
  const [smaller, larger] = byId(nodes)
  const peerList = peerListOf(nodes).map((entry) => (entry.name === larger ? { ...entry, addresses: [] } : entry))
  const connect = ({ peer }: TestNode) => peer.connect(peerList, 60_000)
  await t.notThrowsAsync(Promise.all(nodes.map(connect)))
  t.not(smaller, larger)
})

test.serial('a neighbour that starts late is dialled once it is up', async (t) => {
  const early = await testNode(t, graph(['a', 'b']), 'a')
  const late = await testNode(t, graph(['a', 'b']), 'b')
  const peerList = peerListOf([early, late])
  await late.peer.close()
  const connecting = early.peer.connect(
    peerList.map((entry) => ({ ...entry })),
    60_000
  )
  const listen = [late.peer.addresses[0]?.replace(/\/p2p.*/, '') ?? peerList[1].addresses[0].replace(/\/p2p.*/, '')]
  const again = await testNode(t, graph(['a', 'b']), 'b', { identity: late.identity, listen })
  await t.notThrowsAsync(Promise.all([connecting, again.peer.connect(peerList, 60_000)]))
  t.is(early.peer.neighbours()[0].name, peerName('b'))
})

test.serial('a queued dial is skipped as soon as the neighbour has connected', async (t) => {
  // Holds the only turn of b forever: it accepts and sends nothing.
  const mute = createServer().listen(0, '127.0.0.1')
  await once(mute, 'listening')
  t.teardown(() => mute.close())
  const held = once(mute, 'connection')
  const topology = graph(['a', 'b'], ['b', 'c'])
  const limits = { dialsAtOnce: 1, callWait: 50, dialTimeout: 120_000 }
  const [a, b] = await Promise.all(['a', 'b'].map((name) => testNode(t, topology, name, { limits })))
  const { port } = mute.address() as AddressInfo
  const c = { name: peerName('c'), id: (await createIdentity()).id, addresses: [`/ip4/127.0.0.1/tcp/${port}`] }
  const peerList = [...peerListOf([a, b]), c]
  const connecting = Promise.allSettled([b.peer.connect(peerList, 120_000)])
  await held
  await t.notThrowsAsync(a.peer.connect(peerList, 60_000))
  await eventually('b is ready for a', () => b.peer.neighbours()[0].state === 'ready')
  await b.peer.close()
  await connecting
})

test.serial(
  'peers of one process become ready one after the other: few are between connection and welcome',
  async (t) => {
    const before = await socketsBefore()
    let ready = 0
    let waiting = 0
    const count = (kind: string) => {
      if (kind !== 'ready') return
      ready++
      waiting = Math.max(waiting, sockets() - before - ready)
    }
    const nodes = await testCluster(t, mesh(16), { limits: { callWait: 120_000 }, onEvent: ({ kind }) => count(kind) })
    await connectAll(nodes, 240_000)
    t.is(ready, 16 * 15)
    t.true(waiting < (16 * 15) / 4, `${waiting} of ${16 * 15}`)
  }
)
