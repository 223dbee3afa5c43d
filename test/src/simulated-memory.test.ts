/**
 * Fresh memory for every small vector costs a simulation more time and memory than everything else; with many peers,
 * each may need only little.
 */
import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { dpsgd as dpsgdRecord, train } from '@murmuration/algorithms'
import { complete } from '@murmuration/contract'
import { peerName } from '@murmuration/core'
import { simulate, Simulation, uniformLinks } from '@murmuration/simulator'
import { createQuadraticTask } from '@murmuration/tasks'
import { createTopology } from '@murmuration/topology'
import { pooledVectorWire } from '@murmuration/wire'
import test from 'ava'
import { dpsgd } from './gossip.js'

const orders = ['combine-then-adapt', 'adapt-then-combine'] as const

for (const order of orders) {
  test(`D-PSGD, ${order}: rounds in the simulator use the vectors of earlier rounds again`, async (t) => {
    t.is(await vectorsUsed(order, 200), await vectorsUsed(order, 10))
  })
}

test.serial('a peer of a ring takes 18 kB of heap at most in mid-round', async (t) => {
  await heapOfRing(300)
  // What the compiler keeps comes on top, by a few per cent and never below: the least of several is the peers' own.
  const all: { readonly many: number; readonly few: number }[] = []
  for (let time = 0; time < 5; time++) all.push({ many: await heapOfRing(900), few: await heapOfRing(300) })
  const bytes = (Math.min(...all.map(({ many }) => many)) - Math.min(...all.map(({ few }) => few))) / 600
  t.log(`${Math.round(bytes)} bytes`)
  t.true(bytes < 18_000, `${bytes} bytes`)
})

/** The bytes of live heap while `count` peers wait for messages of their third round. */
async function heapOfRing(count: number): Promise<number> {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const heap = () => {
    collect()
    return getHeapStatistics().used_heap_size
  }
  const peers = Array.from({ length: count }, (_, k) => peerName(`p${String(k).padStart(4, '0')}`))
  const topology = createTopology({ peers, graph: { kind: 'ring' } })
  const task = createQuadraticTask({ peers: peers.slice(0, 2), self: peers[0], seed: 1 })
  const settings = {
    algorithm: dpsgdRecord,
    workers: peers,
    seed: 1,
    batchSize: 1,
    rounds: 4,
    rate: () => 0.1,
    timeout: 1e9
  }
  const options = {
    topology,
    seed: 1,
    wire: pooledVectorWire(),
    links: uniformLinks({ latency: 10, bandwidth: 1e8 }),
    cost: () => 5
  }
  const before = heap()
  const simulation = new Simulation(options, async (fabric) => {
    const reports = train(fabric, task, settings)
    while (!(await reports.next()).done);
  })
  let bytes = 0
  simulation.kernel.schedule(25, () => {
    bytes = heap() - before
  })
  await simulation.run()
  return bytes
}

/** How many different vectors three peers use in `rounds` rounds, copies on links included. */
async function vectorsUsed(order: (typeof orders)[number], rounds: number): Promise<number> {
  const topology = complete('a', 'b', 'c')
  const pool = pooledVectorWire()
  const used = new Set<Float32Array>()
  const seen = (vector: Float32Array) => used.add(vector) && vector
  const copy: typeof pool.copy = (message) => {
    const copied = pool.copy(message)
    seen(copied.vector)
    return copied
  }
  const wire = { ...pool, copy, allocate: (length: number) => seen(pool.allocate(length)) }
  const constants = { seed: 1, batchSize: 1, momentum: 0, nesterov: false, weightDecay: 0, timeout: 1000 }
  const options = { ...constants, order, rounds, finalRounds: 3, rate: () => 0.1 }
  const links = uniformLinks({ latency: 10 })
  await simulate({ topology, seed: 1, wire, links, cost: () => 1 }, async (fabric) => {
    const task = createQuadraticTask({ peers: topology.peers, self: fabric.self, seed: 1 })
    const reports = dpsgd(fabric, task, options)
    while (!(await reports.next()).done);
  })
  return used.size
}
