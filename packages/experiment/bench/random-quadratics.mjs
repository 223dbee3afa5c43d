// Steps to the optimum of random quadratics, as published for RelaySGD and others, and for the records here.
//
//   node packages/experiment/bench/random-quadratics.mjs FILE.csv [--rows 'D2,ring,6'] [--seeds 3] [--json]
//
// FILE has the columns algorithm, topology, num_workers, heterogeneity (ζ²), r0, mu, seed, eps, best_lr, best_time (Vogels et al., NeurIPS 2021,
// figures 2 and 5, from the authors' notebooks). --rows selects rows by their beginnings, separated by ';'. --seeds limits the draws per row.
//
// For each row, as many problems are drawn as were published, by our draws and not the authors'. The rate is tuned for each problem: powers of
// two first, then ever finer steps down to 2 %. A run counts the steps until f(mean x) − f* < eps; it is the record in the simulator, without
// noise and in float32. The published runs differ from the records' defaults in two ways: gossip is adapt-then-combine, and SGP takes two
// rounds of the one-peer exponential graph in each step. D² runs on rings whose λₙ is −1/3, which a run from files refuses. No constant is
// fitted to a row.
import { readFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { algorithms, train } from '@murmuration/algorithms'
import { peerName } from '@murmuration/core'
import { simulate, uniformLinks } from '@murmuration/simulator'
import { createQuadraticTask } from '@murmuration/tasks'
import { createTopology, mixingMatrix, sparseMatrix, topologyOf } from '@murmuration/topology'
import { mean } from '@murmuration/vectors'
import { pooledVectorWire } from '@murmuration/wire'
import Table from 'cli-table3'

const { values: given, positionals } = parseArgs({
  allowPositionals: true,
  options: { rows: { type: 'string' }, seeds: { type: 'string' }, json: { type: 'boolean' } }
})

/** The record, and its options. */
const methods = {
  'Gossip': ['dpsgd', { order: 'adapt-then-combine' }],
  'All-reduce': ['all-reduce', {}],
  'D2': ['d2', {}],
  'Gradient tracking': ['gradient-tracking', {}],
  'RelaySum/Model': ['relay-sgd', {}],
  'RelaySum/Grad': ['relay-sgd', { sums: 'gradients' }],
  'SGP': ['sgp', {}]
}

/** Edges of a chain, and of a binary tree whose root has one child. */
const edges = {
  chain: (names) => names.slice(1).map((name, place) => [names[place], name]),
  tree: (names) => names.slice(1).map((name, place) => [names[(place + 1) >> 1], name])
}

function topologyFor(kind, peers) {
  if (kind === 'exponential') return doubled(createTopology({ peers, graph: { kind: 'one-peer-exponential' } }))
  return createTopology({ peers, graph: kind in edges ? { kind: 'edges', edges: edges[kind](peers) } : { kind } })
}

/** Two rounds as one: W_{2k+1} W_{2k}. */
function doubled(topology) {
  const { peers, period } = topology
  return topologyOf(
    peers,
    Array.from({ length: period % 2 === 0 ? period / 2 : period }, (_, round) => {
      const [first, second] = [dense(topology, 2 * round), dense(topology, 2 * round + 1)]
      const rows = second.map((row) =>
        peers.map((_, column) => ({
          column,
          value: row.reduce((sum, weight, j) => sum + weight * first[j][column], 0)
        }))
      )
      return sparseMatrix(rows)
    })
  )
}

function dense(topology, round) {
  const { size, rowStarts, columns, values } = mixingMatrix(topology, round)
  return Array.from({ length: size }, (_, row) => {
    const out = new Array(size).fill(0)
    for (let place = rowStarts[row]; place < rowStarts[row + 1]; place++) out[columns[place]] = values[place]
    return out
  })
}

class Ended extends Error {}

/** How many steps a run takes, up to `most`; Infinity if it does not reach the optimum. */
async function stepsAt(rate, { algorithm, topology, tasks, eps }, most) {
  const [name, options] = methods[algorithm]
  const record = algorithms.find((each) => each.name === name)
  const { peers } = topology
  const models = []
  const losses = []
  let steps = Infinity
  const note = (place, round, x) => {
    const all = (models[round] ??= { count: 0, at: [] })
    all.at[place] = x.slice()
    if (++all.count < peers.length) return
    const loss = tasks[0].evaluate(mean(all.at)).run().loss
    losses[round] = loss
    delete models[round]
    if (loss < eps) steps = round + 1
    const isStuck = round >= 63 && loss > 0.999 * losses[round >> 1]
    if (loss < eps || isStuck || !(loss < 1e12)) throw new Ended()
  }
  const settings = {
    algorithm: record,
    options,
    seed: 1,
    batchSize: 1,
    rounds: most,
    rate: () => rate,
    timeout: 1e9,
    workers: peers
  }
  try {
    await simulate(
      { topology, seed: 1, wire: pooledVectorWire(), links: uniformLinks({ latency: 1 }), cost: () => 1 },
      async (fabric) => {
        const place = peers.indexOf(fabric.self)
        for await (const { round, parameters } of train(fabric, tasks[place], settings)) note(place, round, parameters)
      }
    )
  } catch (error) {
    if (!(error instanceof Ended) && error.name !== 'DivergedError') throw error
  }
  return steps
}

/** A run is given up after so many times the published steps. */
const giveUpFactor = 10

/** The minimum of steps over all rates that are tried. */
async function tunedSteps(problem, mostSteps) {
  let best = { rate: 1, steps: Infinity }
  const look = async (rate) => {
    const steps = await stepsAt(rate, problem, Math.min(mostSteps, best.steps - 1))
    if (steps < best.steps) best = { rate, steps }
    return steps
  }
  let misses = 0
  for (let rate = 2; rate > 1e-5 && misses < 2; rate /= 2) {
    const found = await look(rate)
    if (found === Infinity && best.steps < Infinity) misses++
  }
  for (let factor = Math.SQRT2; factor > 1.02; factor = Math.sqrt(factor)) {
    const { rate } = best
    await look(rate * factor)
    await look(rate / factor)
  }
  return best.steps
}

function problemOf({ algorithm, topology: kind, num_workers, heterogeneity, r0, mu, eps }, seed) {
  const peers = Array.from({ length: Number(num_workers) }, (_, k) => peerName(`p${String(k).padStart(3, '0')}`))
  const options = { peers, seed, dimension: 10, smallestSingular: Number(mu), largestSingular: 1 }
  const tasks = peers.map((self) =>
    createQuadraticTask({ ...options, self, heterogeneity: Number(heterogeneity), distance: Number(r0), samples: 1 })
  )
  return { algorithm, topology: topologyFor(kind, peers), tasks, eps: Number(eps) }
}

const quantile = (sorted, q) => {
  const at = q * (sorted.length - 1)
  const low = Math.floor(at)
  return sorted[low] + (at - low) * ((sorted[low + 1] ?? sorted[low]) - sorted[low])
}

const keys = ['algorithm', 'topology', 'num_workers', 'heterogeneity', 'r0', 'mu', 'eps']

async function readRows(file) {
  const [head, ...lines] = (await readFile(file, 'utf8')).trim().split(/\r?\n/)
  const names = head.split(',')
  const groups = new Map()
  for (const line of lines) {
    const cells = line.split(',')
    const row = Object.fromEntries(names.map((name, place) => [name, cells[place]]))
    const key = keys.map((name) => row[name]).join(',')
    const group = groups.get(key) ?? { key, row, times: [] }
    groups.set(key, group)
    group.times.push(Number(row.best_time))
  }
  const wanted = given.rows?.split(';').map((each) => each.trim())
  return [...groups.values()].filter(({ key }) => wanted === undefined || wanted.some((each) => key.startsWith(each)))
}

async function compare({ key, row, times }) {
  const seeds = Math.min(times.length, Number(given.seeds ?? times.length))
  const ours = []
  for (let seed = 1; seed <= seeds; seed++)
    ours.push(await tunedSteps(problemOf(row, seed), giveUpFactor * Math.max(...times)))
  const [published, found] = [times, ours].map((list) => list.sort((a, b) => a - b))
  const [median, own] = [quantile(published, 0.5), quantile(found, 0.5)]
  const quartiles = [quantile(published, 0.25), quantile(published, 0.75)]
  const isWithin = Math.abs(own - median) <= 0.1 * median || (own >= quartiles[0] && own <= quartiles[1])
  return { row: key, published: median, quartiles, ours: own, range: [found[0], found.at(-1)], isWithin }
}

const [file] = positionals
if (file === undefined) throw new Error('node packages/experiment/bench/random-quadratics.mjs FILE.csv')
const table = new Table({
  head: ['algorithm, topology, n, ζ², r0, μ, ε', 'published', 'quartiles', 'ours', 'range', 'off']
})
const results = []
for (const group of await readRows(file)) {
  const result = await compare(group)
  results.push(result)
  const { row, published, quartiles, ours, range, isWithin } = result
  const off = `${(100 * (ours / published - 1)).toFixed(0)} %${isWithin ? '' : ' !'}`
  if (!given.json) process.stderr.write(`${row}: ${published} published, ${ours} ours (${off})\n`)
  table.push([row, published, quartiles.join(' to '), ours, range.join(' to '), off])
}
console.log(given.json ? JSON.stringify(results) : table.toString())
