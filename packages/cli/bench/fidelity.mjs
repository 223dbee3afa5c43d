/**
 * Whether the simulator tells the truth: real swarms over shaped links beside simulations on the same links, as time per round.
 *
 *     npx tsc -b packages/cli && node packages/cli/bench/fidelity.mjs [repeats]
 *
 * A ring of four trains a small network with D-PSGD. The real peers are processes over libp2p, TCP and noise, with
 * `murmur swarm --links`; the simulation runs the same D-PSGD on the links of the same file. What the simulator is told beside:
 * what a round takes here on links that cost nothing, as measured with an unshaped swarm, for computing a gradient. It fits
 * no parameter to the shaped runs. The real figure is the median over peers and rounds, of the middle one of the repeats, since
 * other load on the machine makes single runs longer. On a ring of even length the peers of even and of odd places take
 * turns in being ahead, so that two rounds in a row are counted together. The model has 63,610 parameters, 254 kB: a larger message
 * does not fit into the window that yamux begins with, 256 KiB, and waits once for a round trip until the window has grown,
 * which the simulator knows nothing of. Ends with an error when a ratio is off by more than 15 %.
 */
import { spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { dpsgd } from '@murmuration/algorithms'
import { simulate } from '@murmuration/simulator'
import { readLinksFile, readTopologyFile } from '@murmuration/topology'
import { vectorWire } from '@murmuration/vectors'

const bandwidths = [5, 20, 50]
const latencies = [1, 10, 50]
const tolerance = 0.15

/** How long a run is to train, and the bounds of its rounds. */
const [seconds, fewest, most] = [15, 24, 240]

const murmur = fileURLToPath(new URL('../bin/murmur.js', import.meta.url))
const topologyPath = fileURLToPath(new URL('../../../topologies/ring-4.yaml', import.meta.url))
const folder = await mkdtemp(join(tmpdir(), 'fidelity-'))

const median = (values) => values.toSorted((x, y) => x - y)[Math.floor(values.length / 2)]

/**
 * The median time of a round, in milliseconds, from the times at which rounds ended, by peer. The first third does not count:
 * until then much of the code is not compiled yet.
 */
function roundTime(ends) {
  const late = ends.map((times) => times.slice(Math.floor(times.length / 3)))
  return median(late.flatMap((times) => times.slice(2).map((end, index) => (end - times[index]) / 2)))
}

/** Runs `murmur swarm`. Returns what a round took, and how many parameters the model has. */
async function real(rounds, links) {
  const training = join(folder, 'training.yaml')
  const options = '{ batch: 8 }'
  const model = '{ kind: mlp, hidden: [80] }'
  await writeFile(
    training,
    `model: ${model}\ndata: { digits: 1000 }\nalgorithm: ${options}\nrounds: ${rounds}\nagreement: 0.5\n`
  )
  const shaping = links === undefined ? [] : ['--links', links]
  const swarm = spawn(
    process.execPath,
    [murmur, 'swarm', topologyPath, '--train', training, '--no-baseline', '--json', ...shaping],
    {
      stdio: ['ignore', 'pipe', 'inherit']
    }
  )
  const lines = (await text(swarm.stdout)).trim().split('\n')
  const events = lines.map((line) => JSON.parse(line))
  if (events.at(-1)?.kind !== 'summary') throw new Error('the swarm failed')
  const ends = new Map()
  for (const { kind, phase, peer, seconds } of events) {
    if (kind === 'step' && phase === 'train') ends.set(peer, [...(ends.get(peer) ?? []), 1000 * seconds])
  }
  return { time: roundTime([...ends.values()]), parameters: events.find(({ kind }) => kind === 'peer').parameters }
}

/** A task of the same size that computes nothing: only its time is of interest. */
function standIn(parameters) {
  const zeros = new Float32Array(parameters)
  const work = (kind, result) => ({ kind, samples: 1, run: () => result })
  return {
    schema: [{ name: 'all', shape: [parameters] }],
    samples: 1000,
    about: {},
    initialise: () => work('initialise', zeros),
    gradient: () => work('gradient', { loss: 0, vector: zeros }),
    evaluate: () => work('evaluate', { loss: 0 })
  }
}

/** What the simulator says of a round. */
async function simulated(rounds, topology, links, parameters, computing) {
  const ends = new Map()
  const cost = ({ kind }) => (kind === 'gradient' ? computing : 0)
  await simulate({ topology, seed: 1, wire: vectorWire, links, cost }, async (fabric) => {
    const options = {
      seed: 1,
      batchSize: 8,
      rounds,
      closingRounds: 0,
      rate: () => 0.1,
      order: 'combine-then-adapt',
      momentum: 0.9,
      nesterov: false,
      weightDecay: 0,
      patience: 30_000
    }
    const steps = dpsgd(fabric, standIn(parameters), options)
    while (!(await steps.next()).done) ends.set(fabric.self, [...(ends.get(fabric.self) ?? []), fabric.now()])
  })
  return roundTime([...ends.values()])
}

async function main(repeats) {
  const { topology, peers } = await readTopologyFile(topologyPath)
  const names = peers.map(({ name }) => name)
  const free = []
  for (let repeat = 0; repeat < repeats; repeat++) free.push(await real(most))
  const [{ parameters }, computing] = [free[0], median(free.map(({ time }) => time))]
  process.stdout.write(`${parameters} parameters; a round on links that cost nothing: ${computing.toFixed(1)} ms\n`)

  const cells = []
  for (const bandwidth of bandwidths) {
    for (const latency of latencies) {
      const path = join(folder, `${bandwidth}-${latency}.yaml`)
      await writeFile(path, `default: { bandwidth: ${bandwidth} Mbit/s, latency: ${latency} ms }\n`)
      const links = await readLinksFile(path, names)
      const prediction = await simulated(fewest, topology, links, parameters, computing)
      const rounds = Math.min(most, Math.max(fewest, Math.ceil((1000 * seconds) / prediction)))
      cells.push({ bandwidth, latency, path, prediction, rounds, times: [] })
    }
  }
  for (let repeat = 0; repeat < repeats; repeat++) {
    for (const { rounds, path, times } of cells) times.push((await real(rounds, path)).time)
  }
  process.stdout.write(
    'Mbit/s   latency   simulated      real   real / simulated   (lowest and highest of the repeats)\n'
  )
  const ratios = cells.map(({ bandwidth, latency, prediction, times }) => {
    const ratio = median(times) / prediction
    const columns = [
      String(bandwidth).padStart(6),
      `${latency} ms`.padStart(9),
      `${prediction.toFixed(1)} ms`.padStart(11),
      `${median(times).toFixed(1)} ms`.padStart(9),
      ratio.toFixed(3).padStart(18),
      `  (${(Math.min(...times) / prediction).toFixed(3)} … ${(Math.max(...times) / prediction).toFixed(3)})`
    ]
    process.stdout.write(`${columns.join(' ')}\n`)
    return ratio
  })
  const worst = Math.max(...ratios.map((ratio) => Math.abs(ratio - 1)))
  process.stdout.write(`off by at most ${(100 * worst).toFixed(1)} %, ${100 * tolerance} % allowed\n`)
  if (worst > tolerance) process.exitCode = 1
}

try {
  await main(Number(process.argv[2] ?? 3))
} finally {
  await rm(folder, { recursive: true })
}
