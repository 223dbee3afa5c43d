import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { dpsgd, train } from '@murmuration/algorithms'
import { timeLimit } from '@murmuration/contract'
import { InputError, type Links, type PeerName, peerName } from '@murmuration/core'
import { readLinksFile } from '@murmuration/files'
import { createIdentity, createPeer } from '@murmuration/libp2p'
import { createSoftmaxTask } from '@murmuration/tasks'
import { createTopology } from '@murmuration/topology'
import test from 'ava'
import type { RunEvent } from '../../base/events.js'
import { shapedLinks } from '../one-peer/shaped-links.js'
import { runSwarm } from '../swarm/swarm.js'

const names = ['a', 'b', 'c', 'd'].map(peerName)
const topology = createTopology({ peers: names, graph: { kind: 'ring' } })
const peers = names.map((name) => ({ name, addresses: [] }))

/** The paths of files with these texts, in a new folder. */
async function filesOf(texts: Readonly<Record<string, string>>): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'links-'))
  return Promise.all(
    Object.entries(texts).map(async ([name, text]) => {
      await writeFile(join(folder, name), text)
      return join(folder, name)
    })
  )
}

async function read(text: string): Promise<Links> {
  const [path] = await filesOf({ 'links.yaml': text })
  const links = await readLinksFile(path, names)
  shapedLinks({ links, path, file: { peers, servers: [] } } as never)
  return links
}

test('a file with links is read as the links of a topology file are, and its mistakes have their place', async (t) => {
  const links = await read('default: { bandwidth: 5 Mbit/s, latency: 20 ms }\npeers: { b: { up: 1 Mbit/s } }')
  t.deepEqual(links.access(names[1]), { up: 1e6, down: 5e6 })
  t.is(links.path(names[0], names[1]).latency, 20)
  await t.throwsAsync(read('default: { latancy: 20 ms }'), {
    instanceOf: InputError,
    message: /links\.yaml:1:12: .*did you mean "latency"/
  })
})

test('pipes that peers share are refused', async (t) => {
  const pipes = 'pipes:\n  - { name: uplink, bandwidth: 10 Mbit/s, between: [[a, b], [c, d]] }'
  await t.throwsAsync(read(pipes), { instanceOf: InputError, message: /links\.yaml: .*has the pipe "uplink/ })
})

/** Trains with D-PSGD over real libp2p. Returns each peer's parameters and the duration, in milliseconds. */
async function trained(links?: Links) {
  const schema = [{ name: 'weights', shape: [7850] }]
  const runSettings = { settings: { run: 'r' }, schema, start: '' }
  const data = { kind: 'digits', samples: 300 } as const
  const localData = { data, testFraction: 0.2, partition: { kind: 'equal' }, peers: names, seed: 5 } as const
  const cluster = await Promise.all(
    names.map(async (self) => {
      const identity = await createIdentity()
      return createPeer({ self, identity, topology, seed: 1, listen: ['/ip4/127.0.0.1/tcp/0'], runSettings, links })
    })
  )
  const peerList = cluster.map(({ id, addresses }, index) => ({ name: names[index], id, addresses }))
  await Promise.all(cluster.map((peer) => peer.connect(peerList, timeLimit(20_000))))
  const ends = new Map<PeerName, Float32Array>()
  const begin = performance.now()
  await Promise.all(
    cluster.map(async ({ fabric }) => {
      const task = await createSoftmaxTask({ localData: { ...localData, self: fabric.self } })
      const steps = train(fabric, task, {
        algorithm: dpsgd,
        seed: 1,
        batchSize: 16,
        rounds: 15,
        finalRounds: 5,
        rate: () => 0.1,
        optimiser: { name: 'sgd', momentum: 0.9 },
        weightDecay: 1e-4,
        workers: names,
        timeout: timeLimit(20_000)
      })
      for await (const { parameters } of steps) ends.set(fabric.self, parameters)
    })
  )
  const took = performance.now() - begin
  await Promise.all(cluster.map((peer) => peer.close()))
  return { parameters: names.map((name) => ends.get(name)), took }
}

test('D-PSGD gives the same bits over shaped links, and no round is faster than they are', async (t) => {
  const links = await read('default: { bandwidth: 20 Mbit/s, latency: 5 ms, jitter: 5 ms }')
  const free = await trained()
  const shaped = await trained(links)
  t.is(free.parameters[0]?.length, 7850)
  t.deepEqual(shaped.parameters, free.parameters)
  // Each of 20 rounds: two vectors of 31,400 bytes on a line of 2500 bytes per millisecond, and 5 ms.
  t.true(shaped.took >= 20 * ((2 * 31_400) / 2500 + 5), `${shaped.took} ms`)
})

test('a swarm of processes is as slow as its links, and says that they are shaped', async (t) => {
  const [topology, train, links] = await filesOf({
    'topology.yaml': 'graph: ring\npeers: 2',
    'train.yaml': 'task: softmax\ndata: { digits: 200 }\nrounds: 5\nconsensusTolerance: 0.5',
    'links.yaml': 'default: { bandwidth: 5 Mbit/s, latency: 20 ms }'
  })
  const events: RunEvent[] = []
  const emit = (event: RunEvent) => void events.push(event)
  const now = () => performance.now()
  const signal = new AbortController().signal
  const summary = await runSwarm({ topology, train }, { emit, signal, baseline: false, links, now })
  t.true(events.some((event) => event.kind === 'note' && event.text === `links are shaped as in ${links}`))
  // At least 5 rounds, each of a vector of 31,400 bytes on a line of 625 bytes per millisecond, and 20 ms.
  t.true(summary.seconds >= 5 * (31_400 / 625_000 + 0.02), `${summary.seconds} s`)
})
