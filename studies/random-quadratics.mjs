// Steps to the optimum of random quadratics, as published for RelaySGD and others, beside ours.
//
//   node studies/random-quadratics.mjs FILE.csv [--rows 'D2,ring,6'] [--seeds 3] [--draws own] [--json]
//
// FILE has the columns algorithm, topology, num_workers, heterogeneity (ζ²), r0, mu, seed, eps, best_lr, best_time
// (Vogels et al., NeurIPS 2021, figures 2 and 5, from the authors' notebooks). --rows takes those that begin so, with
// more than one separated by ';'. --seeds takes so many seeds of a row, as many as published by default.
//
// A run is the record in the simulator, without noise and in float32. Its problems are those of the published runs,
// seed by seed (quadratics/published-draws.mjs), and rates are tuned and steps counted as there
// (quadratics/tuning.mjs). With `--draws own` the problems are drawn by the task `quadratic`, and medians are compared
// alone. D² runs on rings whose λₙ is −1/3, which a run from files refuses. No constant is fitted to a row.
import { readFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { peerName } from '@murmuration/core'
import Table from 'cli-table3'
import { ownTasks, publishedTasks, topologyFor } from './quadratics/problem.mjs'
import { runQuadratics } from './quadratics/run.mjs'
import { tuned } from './quadratics/tuning.mjs'

const { values: given, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rows: { type: 'string' },
    seeds: { type: 'string' },
    draws: { type: 'string', default: 'published' },
    json: { type: 'boolean' }
  }
})

async function tunedSteps({ algorithm, topology: kind, num_workers, heterogeneity, r0, mu, eps }, seed) {
  const peers = Array.from({ length: Number(num_workers) }, (_, k) => peerName(`p${String(k).padStart(3, '0')}`))
  const drawTasks = given.draws === 'own' ? ownTasks : publishedTasks
  const options = { mu: Number(mu), heterogeneity: Number(heterogeneity), distance: Number(r0), seed }
  const problem = { algorithm, topology: topologyFor(kind, peers), tasks: drawTasks(peers, options) }
  // Published gradients are A_iᵀ(A_i x − b_i), half of ours; rates start at 100 for r0 = 10, and at 10 for r0 = 100.
  const search = {
    startRate: (Number(r0) > 10 ? 10 : 100) / 2,
    eps: Number(eps),
    isSettling: ['Gossip', 'RelaySum/Grad'].includes(algorithm) && options.heterogeneity > 0
  }
  return tuned((rate, look) => runQuadratics(problem, rate, look), search)
}

const quantile = (sorted, q) => {
  const at = q * (sorted.length - 1)
  const low = Math.floor(at)
  return sorted[low] + (at - low) * ((sorted[low + 1] ?? sorted[low]) - sorted[low])
}

const keys = ['algorithm', 'topology', 'num_workers', 'heterogeneity', 'r0', 'mu', 'eps']

/** Groups of rows that differ by their seeds alone. */
async function readRows(file) {
  const [head, ...lines] = (await readFile(file, 'utf8')).trim().split(/\r?\n/)
  const names = head.split(',')
  const groups = new Map()
  for (const line of lines) {
    const cells = line.split(',')
    const row = Object.fromEntries(names.map((name, place) => [name, cells[place]]))
    const key = keys.map((name) => row[name]).join(',')
    const group = groups.get(key) ?? { key, row, published: [] }
    groups.set(key, group)
    group.published.push({ seed: Number(row.seed), steps: Number(row.best_time) })
  }
  const wanted = given.rows?.split(';').map((each) => each.trim())
  return [...groups.values()].filter(({ key }) => wanted === undefined || wanted.some((each) => key.startsWith(each)))
}

/** Those of the published runs, or as many as are asked for. */
function seedsOf(published) {
  const count = Number(given.seeds ?? published.length)
  return given.draws === 'own' ? Array.from({ length: count }, (_, seed) => ({ seed })) : published.slice(0, count)
}

async function compare({ key, row, published }) {
  const pairs = []
  for (const { seed, steps } of seedsOf(published)) pairs.push({ steps, own: (await tunedSteps(row, seed)).steps })
  const sorted = (list) => list.sort((a, b) => a - b)
  // The same problems are compared; where they are others, ours are compared with all that were published.
  const theirs = sorted((given.draws === 'own' ? published : pairs).map(({ steps }) => steps))
  const ours = sorted(pairs.map(({ own }) => own))
  const median = quantile(theirs, 0.5)
  const own = quantile(ours, 0.5)
  const quartiles = [quantile(theirs, 0.25), quantile(theirs, 0.75)]
  const isWithin = Math.abs(own - median) <= 0.1 * median || (own >= quartiles[0] && own <= quartiles[1])
  const same = pairs.filter((pair) => pair.own === pair.steps).length
  return {
    row: key,
    published: median,
    quartiles,
    ours: own,
    range: [ours[0], ours.at(-1)],
    seeds: pairs.length,
    same,
    isWithin
  }
}

const [file] = positionals
if (file === undefined) throw new Error('node studies/random-quadratics.mjs FILE.csv')
const table = new Table({
  head: ['algorithm, topology, n, ζ², r0, μ, ε', 'published', 'quartiles', 'ours', 'range', 'off', 'same']
})
const results = []
for (const group of await readRows(file)) {
  const result = await compare(group)
  results.push(result)
  const { row, published, quartiles, ours, range, seeds, same, isWithin } = result
  const off = `${(100 * (ours / published - 1)).toFixed(0)} %${isWithin ? '' : ' !'}`
  if (!given.json)
    process.stderr.write(`${row}: ${published} published, ${ours} ours (${off}; ${same} of ${seeds} the same)\n`)
  table.push([row, published, quartiles.join(' to '), ours, range.join(' to '), off, `${same} of ${seeds}`])
}
console.log(given.json ? JSON.stringify(results) : table.toString())
