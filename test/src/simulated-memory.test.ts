/** Fresh memory for every small vector costs a simulation more time and memory than all the rest. */
import { complete } from '@murmuration/contract'
import { simulate, uniformLinks } from '@murmuration/simulator'
import { createQuadraticTask } from '@murmuration/tasks'
import { pooledVectorWire } from '@murmuration/wire'
import test from 'ava'
import { dpsgd } from './gossip.js'

const orders = ['combine-then-adapt', 'adapt-then-combine'] as const

for (const order of orders) {
  test(`D-PSGD, ${order}: rounds in the simulator use the vectors of earlier rounds again`, async (t) => {
    t.is(await vectorsUsed(order, 200), await vectorsUsed(order, 10))
  })
}

/** How many different vectors so many rounds of three peers use, copies on links included. */
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
