/** Peers in browsers and in Node, over the transports that browsers have. */
import { timeLimit } from '@murmuration/contract'
import { type PeerName, peerName } from '@murmuration/core'
import {
  createIdentity,
  createPeer,
  type NeighbourStatus,
  type PeerEvent,
  type PeerListEntry
} from '@murmuration/libp2p'
import { createTopology } from '@murmuration/topology'
import test, { type ExecutionContext } from 'ava'
import { skipped } from './browser.js'
import { openedTabs, type Tab } from './tab.js'

const elements = 1000
const runSettings = { settings: {}, schema: [{ name: 'x', shape: [elements] }], start: '' }

/** What a page has done: how often each neighbour's vectors arrived unchanged, and how it is linked. */
interface Done {
  readonly arrived: Readonly<Record<string, number>>
  readonly neighbours: readonly NeighbourStatus[]
  readonly events: readonly PeerEvent[]
}

/** What a page is asked to do: be a peer, connect, and send each neighbour `count` vectors. */
interface Task {
  readonly self: string
  readonly peers: readonly string[]
  readonly list: readonly PeerListEntry[]
  readonly seeds: readonly string[]
  readonly count: number
  readonly timeout: number
}

/** The script of pages and, as a module, of Node: each vector tells who has sent it, and which one it is. */
const talking = `
  import { createIdentity, createPeer } from '@murmuration/libp2p'
  import { createTopology } from '@murmuration/topology'
  ${talk.toString()}
  const identity = createIdentity()
  globalThis.begin = async () => (await identity).id
  globalThis.run = async (task) => {
    const events = []
    const peer = await createPeer({
      self: task.self,
      identity: await identity,
      topology: createTopology({ peers: task.peers, graph: { kind: 'complete' } }),
      seed: 1,
      listen: [],
      runSettings: ${JSON.stringify(runSettings)},
      onEvent: (event) => events.push({ at: Math.round(performance.now()), ...event }),
      ...(task.seeds.length > 0 && { discovery: { seeds: task.seeds, lan: false }, relay: { via: task.seeds } })
    })
    globalThis.peer = peer
    try {
      await peer.connect(task.list, task.timeout)
      const arrived = await talk(peer, task, ${elements})
      return { arrived, neighbours: peer.neighbours(), events }
    } catch (error) {
      throw new Error(String(error?.message) + JSON.stringify(events))
    }
  }
`

/** Sends each neighbour `count` vectors, and takes as many from each; how many of each arrived unchanged. */
async function talk(
  peer: Awaited<ReturnType<typeof createPeer>>,
  { self, peers, count }: Pick<Task, 'self' | 'peers' | 'count'>,
  length: number
): Promise<Record<string, number>> {
  const others = peers.filter((name) => name !== self)
  const arrived = Object.fromEntries(others.map((name) => [name, 0]))
  const vectorOf = (name: string, round: number) =>
    Float32Array.from({ length }, (_, index) => peers.indexOf(name) + 10 * round + index / 7)
  const sent = Object.fromEntries(others.map((name) => [name, 0]))
  for (let taken = 0; taken < count * others.length || others.some((name) => sent[name] < count);) {
    for (const name of others) {
      const round = sent[name]
      const message = { kind: 1, round, vector: vectorOf(self, round) }
      if (round < count && peer.fabric.send(name as PeerName, message) === 'queued') sent[name]++
    }
    const envelope = await peer.fabric.receive(peer.fabric.now() + 20)
    if (envelope === undefined) continue
    const { from, message } = envelope
    const expected = vectorOf(from, message.round)
    if (message.vector.every((value, index) => value === expected[index])) arrived[from]++
    taken++
    peer.fabric.recycle(message)
  }
  return arrived
}

const begin = ({ page }: Tab) => page.evaluate<string>('begin()')
const run = ({ page }: Tab, task: Task): Promise<Done> =>
  page.evaluate((each) => (globalThis as unknown as { run(task: Task): Promise<Done> }).run(each), task)

/** A peer of Node that listens at these addresses, until the test ends. */
async function listeningPeer(t: ExecutionContext, peers: readonly string[], listen: readonly string[]) {
  const topology = createTopology({ peers: peers.map(peerName), graph: { kind: 'complete' } })
  const options = { self: peerName(peers[0]), identity: await createIdentity(), topology, seed: 1 }
  const peer = await createPeer({ ...options, listen, runSettings, relay: { offers: {} } })
  t.teardown(() => peer.close())
  return peer
}

const testInBrowser = skipped === '' ? test.serial : test.skip
const timeout = timeLimit(20_000)

for (const [kind, listen] of [
  ['WebRTC', '/ip4/127.0.0.1/udp/0/webrtc-direct'],
  ['WebSockets', '/ip4/127.0.0.1/tcp/0/ws']
] as const) {
  testInBrowser(`a peer in a browser and one in Node exchange vectors by ${kind}${skipped}`, async (t) => {
    const peers = ['n', 'p']
    const [tab] = await openedTabs(t, talking)
    const peer = await listeningPeer(t, peers, [listen])
    const list = [
      { name: peerName('n'), id: peer.id, addresses: peer.addresses },
      { name: peerName('p'), id: await begin(tab), addresses: [] }
    ]
    const running = run(tab, { self: 'p', peers, list, seeds: [], count: 50, timeout })
    await Promise.race([peer.connect(list, timeout), running])
    const [arrived, done] = await Promise.all([talk(peer, { self: 'n', peers, count: 50 }, elements), running])
    t.deepEqual([arrived, done.arrived], [{ p: 50 }, { n: 50 }])
    t.deepEqual(tab.errors, [])
  })
}

testInBrowser(`a page that is back on the network dials at once, whatever its timers do${skipped}`, async (t) => {
  const [tab] = await openedTabs(t, talking)
  const { page } = tab
  const id = await begin(tab)
  const other = { name: peerName('n'), id: (await createIdentity()).id, addresses: ['/ip4/127.0.0.1/tcp/9/ws'] }
  const list = [other, { name: peerName('p'), id, addresses: [] }]
  await page.evaluate('globalThis.setTimeout = () => 0')
  const dials = () => page.waitForEvent('websocket', { timeout })
  const first = dials()
  run(tab, { self: 'p', peers: ['n', 'p'], list, seeds: [], count: 1, timeout }).catch(() => {})
  await first
  await page.waitForFunction('globalThis.peer.neighbours()[0].reason !== "not connected yet"')
  for (const [target, event] of [
    ['globalThis', 'online'],
    ['globalThis', 'pageshow'],
    ['document', 'visibilitychange'],
    ['document', 'resume']
  ]) {
    const next = dials()
    // Again and again, since an attempt may still be on its way.
    await page.evaluate(`globalThis.again = setInterval(() => ${target}.dispatchEvent(new Event('${event}')), 50)`)
    await t.notThrowsAsync(next, event)
    await page.evaluate('clearInterval(globalThis.again)')
  }
})

testInBrowser(`two pages exchange vectors directly, with a peer of Node for the signalling${skipped}`, async (t) => {
  const peers = ['n', 'p', 'q']
  const tabs = await openedTabs(t, talking, 2)
  const listen = ['/ip4/127.0.0.1/udp/0/webrtc-direct']
  const peer = await listeningPeer(t, peers, listen)
  const ids = await Promise.all(tabs.map(begin))
  const list = [
    { name: peerName('n'), id: peer.id, addresses: peer.addresses },
    ...ids.map((id, index) => ({ name: peerName(peers[index + 1]), id, addresses: [] }))
  ]
  const count = 50
  const running = tabs.map((tab, index) =>
    run(tab, { self: peers[index + 1], peers, list, seeds: peer.addresses, count, timeout })
  )
  await Promise.race([peer.connect(list, timeout), ...running])
  const [arrived, ...done] = await Promise.all([talk(peer, { self: 'n', peers, count }, elements), ...running])
  t.deepEqual(arrived, { p: count, q: count })
  for (const [index, { arrived: inPage, neighbours, events }] of done.entries()) {
    const other = peers[2 - index]
    t.deepEqual(inPage, { n: count, [other]: count })
    t.true(
      neighbours.every(({ state, relay }) => state === 'ready' && relay === undefined),
      JSON.stringify(events)
    )
    t.false(events.some(({ kind }) => kind === 'barred'))
  }
})
