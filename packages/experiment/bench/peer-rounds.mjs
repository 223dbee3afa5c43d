// How many peer-rounds per second the simulator computes: logistic regression on 57 features on a ring, batch 32, one
// update per round, D-PSGD, every message an event on lines that are shared max-min fairly.
//
//   node packages/experiment/bench/peer-rounds.mjs             from 100 to 10,000 peers, one run after the other
//   node packages/experiment/bench/peer-rounds.mjs --both      two runs at once, on two threads
//   node packages/experiment/bench/peer-rounds.mjs --jitter    every step takes another time
//   node packages/experiment/bench/peer-rounds.mjs --once N R  N peers, R rounds
//
// "processor" is the time of all threads of the process per peer-round, garbage collection included. It depends less
// than the others on the machine's load. "memory" is the maximum resident memory of the process so far. With more than
// 10,000 peers, each further one has the samples of one of the first 10,000, since the simulator is measured and not
// the memory for data; and the heap of long-lived objects is limited to 28 kB per peer, and to three quarters of the
// machine's memory. A peer needs half of that; with a larger limit, collections are rarer, and memory grows.
import { readFileSync } from 'node:fs'
import { totalmem } from 'node:os'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { dpsgd, train } from '@murmuration/algorithms'
import { peerName } from '@murmuration/core'
import { computingCost, measuredNetwork, simulate, uniformLinks } from '@murmuration/simulator'
import { createLogisticTaskSet } from '@murmuration/tasks'
import { createTopology } from '@murmuration/topology'
import { pooledVectorWire } from '@murmuration/wire'
import Table from 'cli-table3'
import { youngGenerationMegabytes } from '../dist/sim/sweep/run-pool.js'

const maxOwners = 10_000

/** The number of V8's pages, of 256 kB, that Linux lets a process map. */
const mappings = process.platform === 'linux' ? Number(readFileSync('/proc/sys/vm/max_map_count', 'utf8')) : Infinity

/**
 * In MB: three quarters of the machine's memory, and no more pages than can be mapped; a twelfth is for everything
 * else.
 */
const most = Math.min((0.75 * totalmem()) / 2 ** 20, ((11 / 12) * mappings) / 4)

async function simulateRing(count, rounds, jitter) {
  const peers = Array.from({ length: count }, (_, k) => peerName(`p${String(k).padStart(7, '0')}`))
  const owners = peers.slice(0, maxOwners)
  const start = performance.now()
  const data = { kind: 'gaussians', samplesPerPeer: 32 }
  const localData = { data, testFraction: 0.01, partition: { kind: 'equal' }, peers: owners, seed: 1 }
  const taskSet = await createLogisticTaskSet({ localData })
  const topology = createTopology({ peers, graph: { kind: 'ring' } })
  const setUp = performance.now()
  const processor = process.cpuUsage()
  const settings = { algorithm: dpsgd, workers: peers, seed: 1, batchSize: 32, rounds, rate: () => 0.1, timeout: 1e9 }
  const stragglers = jitter ? { kind: 'log-normal', sigma: 0.3 } : { kind: 'none' }
  const cost = computingCost({ perSample: 0, perStep: 5, slow: new Map(), stragglers }, 1)
  const links = uniformLinks({ latency: 10, bandwidth: 1e8 })
  let steps = 0
  const wire = pooledVectorWire()
  await simulate({ topology, seed: 1, wire, links, network: measuredNetwork, cost }, async (fabric) => {
    const owner = owners[Number(fabric.self.slice(1)) % maxOwners]
    const reports = train(fabric, taskSet.of(owner), settings)
    while (!(await reports.next()).done) steps++
  })
  const end = performance.now()
  const { user, system } = process.cpuUsage(processor)
  const memory = process.resourceUsage().maxRSS * 1024
  return { steps, setUp: (setUp - start) / 1000, seconds: (end - setUp) / 1000, processor: user + system, memory }
}

const flags = process.argv.slice(2)
const jitter = flags.includes('--jitter')
if (!isMainThread) parentPort.postMessage(await simulateRing(...workerData))
else if (flags.includes('--both')) await both()
else await sizes()

/** On a thread with as much memory for short-lived objects as "murmur sim" gives its threads. */
function onThread(count, rounds) {
  return new Promise((resolve, reject) => {
    const options = {
      workerData: [count, rounds, jitter],
      resourceLimits: {
        maxYoungGenerationSizeMb: youngGenerationMegabytes(count),
        maxOldGenerationSizeMb: count > 10_000 ? Math.min(0.028 * count, most) : 20_000
      }
    }
    const worker = new Worker(new URL(import.meta.url), options)
    worker.on('message', resolve)
    worker.on('error', reject)
  })
}

async function sizes() {
  const at = flags.indexOf('--once')
  const all = [
    [100, 2000],
    [300, 700],
    [1000, 200],
    [3000, 100],
    [10_000, 100]
  ]
  const runs = at >= 0 ? [[Number(flags[at + 1]), Number(flags[at + 2])]] : all
  const head = ['peers', 'rounds', 'set-up', 'simulating', 'peer-rounds/s', 'processor', 'memory']
  const table = new Table({ head, style: { head: [] } })
  for (const [count, rounds] of runs) {
    const { steps, setUp, seconds, processor, memory } = await onThread(count, rounds)
    const times = [`${setUp.toFixed(1)} s`, `${seconds.toFixed(1)} s`]
    const each = `${(processor / steps).toFixed(1)} µs each`
    table.push([count, rounds, ...times, Math.round(steps / seconds), each, `${Math.round(memory / 1e6)} MB`])
  }
  console.log(table.toString())
}

async function both() {
  const results = await Promise.all([onThread(300, 1500), onThread(300, 1500)])
  const seconds = Math.max(...results.map((result) => result.seconds))
  const steps = results.reduce((sum, result) => sum + result.steps, 0)
  console.log(`two runs of 300 peers on two threads: ${Math.round(steps / seconds)} peer-rounds/s`)
}
