/**
 * Computing and communication happen at the same time, and the network's thread is free while a gradient is computed.
 */
import { timeLimit } from '@murmuration/contract'
import { type Fabric, peerName } from '@murmuration/core'
import type { Peer } from '@murmuration/libp2p'
import { startTaskWorker } from '@murmuration/tasks'
import { createTopology } from '@murmuration/topology'
import { KernelMemory } from '@murmuration/vectors'
import type { VectorMessage } from '@murmuration/wire'
import test from 'ava'
import { dpsgd } from './gossip.js'
import { overLibp2p } from './worlds.js'

const length = 1_000_000
const rounds = 6

/**
 * A task whose gradient is one synchronous step that does not end before the neighbour's parameters of the same round
 * have arrived: the main thread writes their number into `options.arrived`. The loss is 1 when they do not arrive
 * within `limit` milliseconds.
 */
const module = `data:text/javascript,${encodeURIComponent(`
  export async function createTask({ arrived, limit }) {
    const work = (kind, run) => ({ kind, samples: 1, run })
    const vector = new Float32Array(${length})
    let round = 0
    return {
      schema: [{ name: 'x', shape: [${length}] }], samples: 1, about: {},
      initialise: (seed) => work('initialise', () => new Float32Array(${length}).fill(seed)),
      gradient: (x) => work('gradient', () => {
        round++
        for (;;) {
          const seen = Atomics.load(arrived, 0)
          if (seen >= round) return { loss: 0, vector: vector.fill(x[0]) }
          if (Atomics.wait(arrived, 0, seen, limit) === 'timed-out') return { loss: 1, vector }
        }
      }),
      evaluate: () => work('evaluate', () => ({ loss: 0 }))
    }
  }`)}`

test('the parameters of a round are sent, received and whole while its gradient is still being computed', async (t) => {
  const topology = createTopology({ peers: ['a', 'b'].map(peerName), graph: { kind: 'ring' } })
  const trace: string[] = []
  const arrived = topology.peers.map(() => new Int32Array(new SharedArrayBuffer(4)))
  let peers: readonly Peer[] = []
  const watch = setInterval(() => {
    for (const [place, peer] of peers.entries()) {
      const { frames } = peer.traffic().received
      if (Atomics.exchange(arrived[place], 0, frames) === frames) continue
      Atomics.notify(arrived[place], 0)
      trace.push(`${topology.peers[place]} has vector ${frames}`)
    }
  }, 1)
  const program = async (fabric: Fabric<VectorMessage>) => {
    const options = { arrived: arrived[topology.peers.indexOf(fabric.self)], limit: timeLimit(30_000) }
    const task = await startTaskWorker({ module, options })
    try {
      const run = {
        seed: 1,
        batchSize: 1,
        rounds,
        finalRounds: 0,
        rate: () => 0.1,
        timeout: timeLimit(60_000)
      } as const
      const method = { order: 'combine-then-adapt', momentum: 0, nesterov: false, weightDecay: 0 } as const
      for await (const { round, loss, parameters } of dpsgd(fabric, task, { ...run, ...method })) {
        t.is(loss, 0, `the neighbour's parameters came during the gradient of round ${round}`)
        t.true(KernelMemory.of(parameters) !== undefined, 'the gradient is computed from the memory that is sent')
        t.true(Math.abs(parameters[length - 1] - 0.9 ** (round + 1)) < 1e-6)
        trace.push(`${fabric.self} ends round ${round + 1}`)
      }
    } finally {
      await task.close()
    }
  }
  try {
    await overLibp2p({ topology, seed: 1, length }, program, (all) => (peers = all))
  } finally {
    clearInterval(watch)
  }
  for (const peer of topology.peers) {
    for (let round = 1; round <= rounds; round++) {
      const [came, ended] = [`${peer} has vector ${round}`, `${peer} ends round ${round}`].map((line) =>
        trace.indexOf(line)
      )
      t.true(came >= 0 && came < ended, trace.join('\n'))
    }
  }
})
