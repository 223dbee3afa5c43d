/**
 * Compares the simulator with real links, and which method wins on them: real swarms over shaped links, and simulations
 * of the same links.
 *
 *     npx tsc -b packages/cli && node studies/fidelity.mjs [--methods dpsgd,all-reduce] [--mbit 20,100] [--ms 1,10,50]
 * [--repeats 1]
 *
 * A ring of four, and one server for methods that need one, train a small network by gossip, servers and all-reduce.
 * The real peers are processes over libp2p, TCP and noise, with `murmur swarm --links`; the simulation runs the same
 * records on the links of the same file, with the same data, batches and parameters. The simulator's only other input
 * is the time of a gradient, measured by rounds of D-PSGD in an unshaped swarm, one after the other. No parameter is
 * fitted to the shaped runs.
 *
 * The real time of a round is the median over peers and rounds, in the median of the repeats. The first third of the
 * rounds does not count, since much of the code is not compiled until then. On a ring of even length the even and the
 * odd peers take turns in being ahead, so two successive rounds are counted together. Accuracy is that of the mean
 * model after the same time for all methods of a row: the time of the fastest run. The model has 63,610 parameters, 254
 * kB. A larger message would not fit into the initial window of yamux, 256 KiB, and would once wait for a round trip
 * until the window has grown, which the simulator does not model. Ends with an error when a time is off by more than 15
 * %.
 */
import { spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { train } from '@murmuration/algorithms'
import { computingCost, simulate } from '@murmuration/simulator'
import { readLinksFile } from '@murmuration/files'
import { mean } from '@murmuration/vectors'
import { loadTask } from '@murmuration/tasks'
import { vectorWire } from '@murmuration/wire'
import { makePlan, taskOf } from '@murmuration/experiment'

const { values: given } = parseArgs({
  options: {
    methods: { type: 'string' },
    mbit: { type: 'string' },
    ms: { type: 'string' },
    repeats: { type: 'string' }
  }
})

/** The methods, as `algorithm:` of a training file. */
const methods = {
  'dpsgd': 'dpsgd',
  'parameter-server': 'parameter-server',
  'parameter-server, blocking': '{ name: parameter-server, calls: blocking }',
  'all-reduce': 'all-reduce',
  'ad-psgd': 'ad-psgd'
}
const chosen = Object.keys(methods).filter(
  (name) => given.methods === undefined || given.methods.includes(name.split(',')[0])
)
const numbers = (list, usual) => (list === undefined ? usual : list.split(',').map(Number))
const bandwidths = numbers(given.mbit, [20, 100])
const latencies = numbers(given.ms, [1, 10, 50])
const repeats = Number(given.repeats ?? 1)
const tolerance = 0.15

/** The duration of a run. */
const seconds = 12
/** The bounds of its rounds. */
const fewest = 24
const most = 240

const murmur = fileURLToPath(new URL('../packages/cli/bin/murmur.js', import.meta.url))
const folder = await mkdtemp(join(tmpdir(), 'fidelity-'))
const median = (values) => values.toSorted((x, y) => x - y)[Math.floor(values.length / 2)]
const needsServer = (method) => method.startsWith('parameter-server')

/** Writes the files of a run, and returns their paths. */
async function filesOf(method, rounds) {
  const peers = ['a', 'b', 'c', 'd'].map((name) => `  - { name: ${name} }`)
  if (needsServer(method)) peers.push('  - { name: s, role: server }')
  const topology = join(folder, `${needsServer(method) ? 'served' : 'ring'}.yaml`)
  await writeFile(topology, `graph: ring\nweights: metropolis\npeers:\n${peers.join('\n')}\n`)
  const training = join(folder, 'training.yaml')
  const lines = [
    'task: { kind: mlp, hidden: [80] }',
    'data: { digits: 2000 }',
    `algorithm: ${methods[method]}`,
    'batch: 8',
    'optimiser: { name: sgd, momentum: 0.5 }',
    'rate: { initial: 0.05, decay: constant }',
    `rounds: ${rounds}`,
    'consensusTolerance: 0.5'
  ]
  await writeFile(training, `${lines.join('\n')}\n`)
  return { topology, train: training }
}

/** The times of rounds in milliseconds, averaged over two rounds, from the times at which each peer's rounds ended. */
function roundTimes(ends) {
  const late = ends.map((times) => times.slice(Math.floor(times.length / 3)))
  return late.flatMap((times) => times.slice(2).map((end, index) => (end - times[index]) / 2))
}

/** Runs `murmur swarm`. Returns the time of a round, and the accuracy of the mean model over time. */
async function real(method, rounds, links) {
  const { topology, train: training } = await filesOf(method, rounds)
  const shaping = links === undefined ? [] : ['--links', links]
  const options = ['swarm', topology, '--train', training, '--no-baseline', '--json', ...shaping]
  const swarm = spawn(process.execPath, [murmur, ...options], { stdio: ['ignore', 'pipe', 'inherit'] })
  const events = (await text(swarm.stdout))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  if (events.at(-1)?.kind !== 'summary') throw new Error(`the swarm of ${method} failed`)
  const ends = new Map()
  for (const { kind, phase, peer, round, seconds } of events) {
    if (kind === 'step' && phase === 'train') ends.set(peer, (ends.get(peer) ?? new Map()).set(round, 1000 * seconds))
  }
  const curve = events
    .filter(({ kind, of }) => kind === 'evaluation' && of === 'mean')
    .map(({ round, accuracy }) => ({
      time: median([...ends.values()].flatMap((times) => times.get(round) ?? [])),
      accuracy
    }))
    .filter(({ time }) => time !== undefined)
  const times = roundTimes([...ends.values()].map((byRound) => [...byRound.values()]))
  return { times, time: median(times), curve }
}

/** The simulated time of a round, and the accuracy of the mean model over time. */
async function simulated(method, rounds, linksPath, computing) {
  const plan = await makePlan(await filesOf(method, rounds))
  const { topology } = plan.file
  const servers = plan.file.servers.map(({ name }) => name)
  const links = await readLinksFile(linksPath, [...topology.peers, ...servers])
  const create = (self) => loadTask(taskOf(plan, self))
  const union = await create()
  const tasks = new Map(await Promise.all(topology.peers.map(async (self) => [self, await create(self)])))
  const gradients = computingCost(
    { perSample: 0, perStep: 1, slow: new Map(), stragglers: { kind: 'trace', factors: computing } },
    1
  )
  const cost = (work, self) => (work.kind === 'gradient' ? gradients(work, self) : 0)
  const ends = new Map(topology.peers.map((self) => [self, []]))
  const models = new Map()
  const curve = []
  const every = Math.max(1, Math.floor(rounds / 20))
  const settings = { ...plan.options, finalRounds: 0 }
  const world = {
    topology,
    servers: servers.map((name) => ({ name })),
    seed: 1,
    wire: vectorWire,
    links,
    cost,
    queueLimit: 1e6
  }
  await simulate(world, async (fabric) => {
    const { self } = fabric
    for await (const { round, parameters } of train(fabric, tasks.get(self) ?? union, settings)) {
      ends.get(self)?.push(fabric.now())
      if ((round + 1) % every !== 0 || !ends.has(self)) continue
      const known = [...(models.get(round) ?? []), { time: fabric.now(), parameters: parameters.slice() }]
      models.set(round, known)
      if (known.length < topology.peers.length) continue
      const { accuracy } = await union.evaluate(mean(known.map((model) => model.parameters))).run()
      curve.push({ time: median(known.map(({ time }) => time)), accuracy })
    }
  })
  return { time: median(roundTimes([...ends.values()])), curve, end: Math.max(...[...ends.values()].flat()) }
}

/** The accuracy of the mean model at a time. */
function accuracyAt(curve, time) {
  const last = curve.filter((point) => point.time <= time).at(-1)
  return last === undefined ? '      –' : `${(100 * last.accuracy).toFixed(1)} %`.padStart(7)
}

async function main() {
  const free = []
  for (let repeat = 0; repeat < Math.max(3, repeats); repeat++) free.push(await real('dpsgd', most))
  const { time, times: computing } = free.toSorted((x, y) => x.time - y.time)[Math.floor(free.length / 2)]
  process.stdout.write(`a round of D-PSGD on links that cost nothing: ${time.toFixed(1)} ms\n`)
  process.stdout.write(
    'Mbit/s   latency   method                       simulated      real   ratio   accuracy at   simulated    real\n'
  )
  const ratios = []
  for (const bandwidth of bandwidths) {
    for (const latency of latencies) {
      const path = join(folder, `${bandwidth}-${latency}.yaml`)
      await writeFile(path, `default: { bandwidth: ${bandwidth} Mbit/s, latency: ${latency} ms }\n`)
      const rows = []
      for (const method of chosen) {
        const first = await simulated(method, fewest, path, computing)
        const rounds = Math.min(most, Math.max(fewest, Math.ceil((1000 * seconds) / first.time)))
        const prediction = await simulated(method, rounds, path, computing)
        const runs = []
        for (let repeat = 0; repeat < repeats; repeat++) runs.push(await real(method, rounds, path))
        const middle = runs.toSorted((x, y) => x.time - y.time)[Math.floor(runs.length / 2)]
        rows.push({ method, prediction, middle })
      }
      const common = Math.min(...rows.map(({ prediction }) => prediction.end))
      for (const { method, prediction, middle } of rows) {
        const ratio = middle.time / prediction.time
        ratios.push(ratio)
        const columns = [
          String(bandwidth).padStart(6),
          `${latency} ms`.padStart(9),
          `  ${method.padEnd(26)}`,
          `${prediction.time.toFixed(1)} ms`.padStart(11),
          `${middle.time.toFixed(1)} ms`.padStart(9),
          ratio.toFixed(2).padStart(7),
          `${(common / 1000).toFixed(1)} s`.padStart(13),
          accuracyAt(prediction.curve, common).padStart(11),
          accuracyAt(middle.curve, common)
        ]
        process.stdout.write(`${columns.join(' ')}\n`)
      }
    }
  }
  const worst = Math.max(...ratios.map((ratio) => Math.abs(ratio - 1)))
  process.stdout.write(`off by at most ${(100 * worst).toFixed(1)} %, ${100 * tolerance} % allowed\n`)
  if (worst > tolerance) process.exitCode = 1
}

try {
  await main()
} finally {
  await rm(folder, { recursive: true })
}
