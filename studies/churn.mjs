// The cost of simulating a swarm with churn: D-PSGD on a random 4-regular graph, logistic regression on 57 features,
// half a second per step. 30 % of the peers crash per minute, and return after 20 s on average; dead peers are
// forgotten after 30 s.
//
//   node studies/churn.mjs              100 and 300 peers, 20 s
//   node studies/churn.mjs --once N S   N peers, S seconds of virtual time
//
// "processor" is the time of all threads of the process per virtual second, garbage collection included, for the whole
// run and for its last half.
import { dpsgd, Members, train } from '@murmuration/algorithms'
import { NeighboursMissingError, peerName } from '@murmuration/core'
import { membershipDefaults, trustingSigner } from '@murmuration/membership'
import { createRandom } from '@murmuration/random'
import { computingCost, drawChurn, measuredNetwork, Simulation, uniformLinks } from '@murmuration/simulator'
import { createLogisticTaskSet } from '@murmuration/tasks'
import { createTopology } from '@murmuration/topology'
import { pooledVectorWire } from '@murmuration/wire'
import Table from 'cli-table3'

async function simulateChurn(count, seconds) {
  const peers = Array.from({ length: count }, (_, k) => peerName(`p${String(k).padStart(4, '0')}`))
  const data = { kind: 'gaussians', samplesPerPeer: 32 }
  const localData = { data, testFraction: 0.01, partition: { kind: 'equal' }, peers, seed: 1 }
  const taskSet = await createLogisticTaskSet({ localData })
  const topology = createTopology({ peers, graph: { kind: 'random-regular', degree: 4, seed: 1 } })
  const timeout = 2000
  const rounds = 1e6
  const until = seconds * 1000
  const settings = { algorithm: dpsgd, workers: peers, seed: 1, batchSize: 16, rounds, rate: () => 0.1, timeout }
  const cost = computingCost(
    { perSample: 0, perStep: 500, slow: new Map(), stragglers: { kind: 'log-normal', sigma: 0.3 } },
    1
  )
  const churn = { perMinute: 0.3, back: 20_000, after: 5000, until }
  const faults = { rules: [], events: drawChurn(createRandom(1, 'churn'), peers, churn) }
  const links = uniformLinks({ latency: 10, bandwidth: 1e9 })
  const member = { ...membershipDefaults, forgetAfter: 30_000, strikeFor: timeout }
  const marks = []
  const mark = () => {
    marks.push({ processor: process.cpuUsage(), memory: process.memoryUsage().rss })
  }
  let steps = 0
  const common = { topology, seed: 1, wire: pooledVectorWire(), links, network: measuredNetwork, cost, faults }
  const simulation = new Simulation({ ...common, until }, async (fabric) => {
    const options = { settings: member, topology, signer: trustingSigner, wait: { start: 1e6, pause: 1e6 } }
    const members = new Members(fabric, options)
    try {
      const reports = train(fabric, taskSet.of(fabric.self), { ...settings, members })
      while (!(await reports.next()).done) steps++
    } catch (error) {
      if (!(error instanceof NeighboursMissingError)) throw error
    }
  })
  simulation.kernel.schedule(until / 2, mark)
  const start = process.cpuUsage()
  await simulation.run()
  mark()
  const [half, end] = marks
  const spent = (from, to, virtual) => (to.user + to.system - from.user - from.system) / 1e6 / virtual
  return {
    steps: steps / count,
    processor: spent(start, end.processor, seconds),
    second: spent(half.processor, end.processor, seconds / 2),
    memory: Math.max(half.memory, end.memory),
    bytes: simulation.traffic.bytes / count / seconds,
    log: simulation.log.text()
  }
}

const flags = process.argv.slice(2)
const at = flags.indexOf('--once')
const runs = at >= 0 ? [[Number(flags[at + 1]), Number(flags[at + 2])]] : [[100, 20], [300, 20]] // oxfmt-ignore
const head = ['peers', 'virtual', 'rounds', 'processor a second', 'in the last half', 'memory', 'sent a peer', 'log']
const table = new Table({ head, style: { head: [] } })
for (const [count, seconds] of runs) {
  const { steps, processor, second, memory, bytes, log } = await simulateChurn(count, seconds)
  const times = [`${processor.toFixed(3)} s`, `${second.toFixed(3)} s`]
  table.push([count, `${seconds} s`, steps.toFixed(1), ...times, `${Math.round(memory / 1e6)} MB`, `${(bytes / 1e3).toFixed(1)} kB/s`, log]) // oxfmt-ignore
}
console.log(table.toString())
