/** Peers that know each other's ids but not their addresses. */
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { timeLimit } from '@murmuration/contract'
import { InputError } from '@murmuration/core'
import { multiaddr } from '@multiformats/multiaddr'
import test, { type ExecutionContext } from 'ava'
import { bareNode } from '../characterisation/bare.test.support.js'
import { connectAll, eventOf, eventually, graph, peerListOf, type TestNode, testNode } from '../cluster.test.support.js'
import { defaultLimits } from '../base/constants.js'
import { createIdentity } from '../base/identity.js'
import { createNode } from '../node/node.js'
import { ask } from '../questions/questions.js'
import { samplesProtocol } from '../questions/sample-counts.js'
import { askForCall } from './call-back.js'
import { askForAddresses, introduce, introductionsProtocol } from './introductions.js'
import { AddressBook } from './address-book.js'
import { openSeed } from './open-seed.js'
import type { Seed } from './seed-options.js'
import { signAddresses } from '../addresses/signed-addresses.js'
import { realClock } from '../base/clock.js'

const ring = graph(['a', 'b'], ['b', 'c'], ['c', 'a'])

async function seedOf(t: ExecutionContext): Promise<Seed> {
  const seed = await openSeed({ identity: await createIdentity(), listen: ['/ip4/127.0.0.1/tcp/0'] })
  t.teardown(() => seed.close())
  return seed
}

/** The peer list with only the addresses of `known`. */
const withoutAddresses = (nodes: readonly TestNode[], known: readonly TestNode[] = []) =>
  peerListOf(nodes).map((entry) =>
    known.some(({ name }) => name === entry.name) ? entry : { ...entry, addresses: [] }
  )

const meet = (nodes: readonly TestNode[], list = withoutAddresses(nodes)) =>
  Promise.all(nodes.map(({ peer }) => peer.connect(list, timeLimit(10_000))))

test('peers that know only ids find each other through a seed, and disconnect from it', async (t) => {
  const seed = await seedOf(t)
  const discovery = { seeds: [seed.addresses[0]], lan: false }
  const nodes = await Promise.all(ring.peers.map((name) => testNode(t, ring, name, { discovery })))
  await meet(nodes)
  t.is(seed.known, 3)
  t.like(await eventOf(nodes[0], 'seed'), { address: seed.addresses[0], isReached: true })
  const introduced = nodes.flatMap(({ events }) => events.filter(({ kind }) => kind === 'introduced'))
  t.true(introduced.length >= 2)
  t.false(nodes.some(({ events }) => events.some(({ kind }) => kind === 'unknown-peer-refused')))
})

test('a peer whose neighbours have no address that it could dial waits for the answer of its seed, and fails in no dial', async (t) => {
  const seed = await seedOf(t)
  const discovery = { seeds: [seed.addresses[0]], lan: false }
  const limits = { callWait: timeLimit(10_000) }
  const pair = graph(['a', 'b'])
  const nodes = await Promise.all(pair.peers.map((name) => testNode(t, pair, name, { discovery, limits })))
  await meet(nodes)
  t.deepEqual(
    nodes.flatMap(({ events }) => events.filter(({ kind }) => kind === 'reconnecting')),
    []
  )
})

test('any peer of the run introduces the others, also when the listed addresses are outdated', async (t) => {
  const first = await testNode(t, ring, 'a')
  const discovery = { seeds: [first.peer.addresses[0]], lan: false }
  const nodes = [first, ...(await Promise.all(['b', 'c'].map((name) => testNode(t, ring, name, { discovery }))))]
  const list = withoutAddresses(nodes).map((entry) =>
    entry.name === nodes[1].name ? { ...entry, addresses: ['/ip4/127.0.0.1/tcp/9'] } : entry
  )
  await meet(nodes, list)
  t.like(await eventOf(nodes[2], 'introduced'), { peer: nodes[1].name })
})

test('an unreachable seed is reported, and reported again when it is back', async (t) => {
  const closedSeed = await seedOf(t)
  await closedSeed.close()
  const seeds = [closedSeed.addresses[0], (await seedOf(t)).addresses[0]]
  const nodes = await Promise.all(
    ring.peers.map((name) => testNode(t, ring, name, { discovery: { seeds, lan: false } }))
  )
  await meet(nodes)
  // On a busy machine the running seed may miss a question.
  await eventually('both seeds', () => {
    const events = nodes[0].events.flatMap((event) => (event.kind === 'seed' ? [event] : []))
    const last = new Map(events.map(({ address, isReached }) => [address, isReached]))
    return last.get(seeds[0]) === false && last.get(seeds[1]) === true
  })
  const [unreached, ...rest] = nodes[0].peer.unreached
  t.deepEqual(rest, [])
  t.true(unreached.startsWith(`no answer from the seed at ${seeds[0]}: nothing listens`), unreached)
  await t.throwsAsync(testNode(t, ring, 'a', { discovery: { seeds: ['nowhere'], lan: false } }), {
    instanceOf: InputError,
    message: /the address "nowhere" of a seed is not a multiaddr/
  })
})

test('a seed learns nothing of a run from the peers that call it', async (t) => {
  const identity = await createIdentity()
  const hostile = await createNode({ identity, listen: ['/ip4/127.0.0.1/tcp/0'], limits: defaultLimits })
  t.teardown(async () => void (await hostile.stop()))
  const book = new AddressBook(realClock)
  const asked: Promise<unknown>[] = []
  await hostile.handle(introductionsProtocol, async (stream, connection) => {
    const question = ask(connection, samplesProtocol, { timeout: 5000 })
    asked.push(question)
    await question.catch(() => {})
    await introduce(book, stream, connection, { source: 'x', timeout: 1000 })
  })
  await hostile.start()
  const discovery = { seeds: [String(hostile.getMultiaddrs()[0])], lan: false }
  const nodes = await Promise.all(ring.peers.map((name) => testNode(t, ring, name, { discovery })))
  await meet(nodes)
  t.true(asked.length >= 3)
  for (const question of asked) await t.throwsAsync(question)
})

test('peers with known addresses need no seed, and ask none', async (t) => {
  const nodes = await Promise.all(ring.peers.map((name) => testNode(t, ring, name)))
  await connectAll(nodes)
  t.false(nodes.some(({ events }) => events.some(({ kind }) => kind === 'introduced' || kind === 'seed')))
})

test('a seed calls back at most two askers of one source at a time', async (t) => {
  const seed = await seedOf(t)
  const silent = createServer().listen(0, '127.0.0.1')
  t.teardown(() => void silent.close())
  await once(silent, 'listening')
  const { port } = silent.address() as AddressInfo
  const asking = async () => {
    const node = await bareNode(t)
    return askForCall(await node.dial(multiaddr(seed.addresses[0])), port, timeLimit(10_000))
  }
  for (let k = 0; k < 2; k++) {
    // They end with the test.
    asking().catch(() => {})
    await once(silent, 'connection')
  }
  await t.throwsAsync(asking())
})

test('a seed disconnects a peer that asks too often', async (t) => {
  const seed = await seedOf(t)
  const identity = await createIdentity()
  const node = await createNode({ identity, listen: [], limits: defaultLimits })
  t.teardown(async () => void (await node.stop()))
  await node.start()
  const connection = await node.dial(multiaddr(seed.addresses[0]))
  const question = { run: 'a run of the test', record: await signAddresses(identity, []), wanted: [] }
  let answers = 0
  const asking = async () => {
    while (answers < 1000) answers += Number((await askForAddresses(connection, question, 5000)).records.length === 0)
  }
  await t.throwsAsync(asking())
  t.true(answers >= 64, String(answers))
})
