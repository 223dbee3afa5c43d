/** Peers in a browser and in Node, over the transports that browsers have. */
import { peerName } from '@murmuration/core'
import { createIdentity, createPeer, type Peer, type PeerEvent } from '@murmuration/libp2p'
import { createTopology } from '@murmuration/topology'
import test, { type ExecutionContext } from 'ava'
import type { Page } from 'playwright-core'
import { skipped } from './browser.js'
import { openedTab } from './tab.js'

const [n, p] = ['n', 'p'].map(peerName)
const elements = 1000
const topology = createTopology({ peers: [n, p], graph: { kind: 'ring' } })
const runSettings = { settings: {}, schema: [{ name: 'x', shape: [elements] }], start: '' }

/** The script of a page with a peer "p": `begin()` gives its id, and `run(id, addresses)` connects and echoes. */
const echoing = `
  import { createIdentity, createPeer } from '@murmuration/libp2p'
  import { createTopology } from '@murmuration/topology'
  const topology = createTopology({ peers: ['n', 'p'], graph: { kind: 'ring' } })
  const runSettings = ${JSON.stringify(runSettings)}
  let identity
  globalThis.begin = async () => (identity = await createIdentity()).id
  globalThis.run = async (id, addresses, count) => {
    const events = []
    const options = { self: 'p', identity, topology, seed: 1, listen: [], runSettings }
    const peer = await createPeer({ ...options, onEvent: (event) => events.push(JSON.stringify(event)) })
    const list = [{ name: 'n', id, addresses }, { name: 'p', id: identity.id, addresses: [] }]
    try {
      await peer.connect(list, 20_000)
      for (let k = 0; k < count; k++) {
        const envelope = await peer.fabric.receive()
        peer.fabric.send('n', envelope.message)
        peer.fabric.recycle(envelope.message)
      }
    } finally {
      await peer.close()
    }
    return events
  }
`

interface TabPeer {
  begin(): Promise<string>
  run(id: string, addresses: readonly string[], count: number): Promise<readonly string[]>
}

const begin = (page: Page) => page.evaluate(() => (globalThis as unknown as TabPeer).begin())
const run = (page: Page, id: string, addresses: readonly string[], count: number) =>
  page.evaluate((args) => (globalThis as unknown as TabPeer).run(...args), [id, addresses, count] as const)

/** A peer "n" that listens at these addresses, until the test ends. */
async function listeningPeer(t: ExecutionContext, listen: readonly string[], identity = createIdentity()) {
  const events: PeerEvent[] = []
  const options = { self: n, identity: await identity, topology, seed: 1, listen, runSettings }
  const peer = await createPeer({ ...options, onEvent: (event) => events.push(event) })
  t.teardown(() => peer.close())
  return { peer, events }
}

/** Sends vectors to the page, one after the other, and counts those that come back unchanged. */
async function echoes(peer: Peer, count: number): Promise<number> {
  let equal = 0
  for (let round = 0; round < count; round++) {
    const vector = Float32Array.from({ length: elements }, (_, index) => round + index / 7)
    peer.fabric.send(p, { kind: 1, round, vector })
    const envelope = await peer.fabric.receive()
    if (envelope?.message.vector.every((value, index) => value === vector[index]) === true) equal++
    if (envelope !== undefined) peer.fabric.recycle(envelope.message)
  }
  return equal
}

const testInBrowser = skipped === '' ? test : test.skip

for (const [kind, listen] of [
  ['WebRTC', '/ip4/127.0.0.1/udp/0/webrtc-direct'],
  ['WebSockets', '/ip4/127.0.0.1/tcp/0/ws']
] as const) {
  testInBrowser(
    `a peer in a browser connects to one in Node by ${kind}, and vectors come back unchanged${skipped}`,
    async (t) => {
      const { page, complaints } = await openedTab(t, echoing)
      const { peer } = await listeningPeer(t, [listen])
      const id = await begin(page)
      const connecting = peer.connect(
        [
          { name: n, id: peer.id, addresses: [] },
          { name: p, id, addresses: [] }
        ],
        30_000
      )
      const running = run(page, peer.id, peer.addresses, 20)
      await Promise.race([connecting, running])
      t.is(await echoes(peer, 20), 20)
      const events = (await running).map((text) => JSON.parse(text) as PeerEvent)
      t.deepEqual(
        events.filter(({ kind: each }) => each === 'refused' || each === 'bad-frame'),
        []
      )
      t.deepEqual(
        complaints.filter((text) => text.startsWith('error')),
        []
      )
    }
  )
}
