// How many rounds of averaging bring the variance down where peers fail, as published for Moshpit averaging, beside
// ours.
//
//   node studies/moshpit-averaging.mjs FILE.csv [--n 100,256] [--p 0,0.02] [--seeds 10] [--grids 10] [--json]
//
// FILE has the columns n, p_fail, allreduce, gossip_ring, sgp, random_groups32, moshpit32x32 (to 1e-9) and the same to
// 1e-4 (Ryabinin et al., NeurIPS 2021; github.com/yandex-research/moshpit-sgd, averaging_experiments). --n and --p
// compute others, without published figures beside them.
//
// Each of n peers starts with a number of N(0, 1), and fails each round with probability p: it neither sends nor
// receives in it. Counted are the rounds until the variance over all peers is below the bound, 50 at most, in the mean
// over ten seeds. A round is that of the record (dpsgd without steps, sgp or moshpit), called with numbers in place of
// vectors; an all-reduce succeeds if nobody has failed. Numbers, failures and random groups are drawn as there, seed by
// seed. The authors drew their grid without a seed, one for ten runs: here ten grids are drawn, and the range is that
// of their means. It has 32 cells a side, or more where there are more than 1,024 peers.
//
// The published SGP is no push-sum: each peer averages over whom it hears, and rows that wrap around lie one too low.
// So it is here; push-sum on the same distances stands below it, without published figures.
import { readFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { peerName } from '@murmuration/core'
import Table from 'cli-table3'
import { methods } from './moshpit/methods.mjs'
import { numpyRandom } from './moshpit/numpy-random.mjs'
import { averaged } from './moshpit/round.mjs'

const maxRounds = 50
const bounds = [1e-9, 1e-4]

const { values: given, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    n: { type: 'string' },
    p: { type: 'string', default: '0,0.001,0.005,0.01' },
    seeds: { type: 'string', default: '10' },
    grids: { type: 'string', default: '10' },
    json: { type: 'boolean' }
  }
})

const variance = (values) => {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  return values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length
}

/** The rounds until the variance is below each of the bounds. */
async function roundsOf(create, peers, p, seed, grid) {
  const random = numpyRandom(seed)
  const method = create(peers, random, grid)
  const counts = bounds.map(() => maxRounds)
  let values = peers.map(() => random.normal())
  let states
  for (let round = 1; round <= maxRounds; round++) {
    const alive = peers.filter(() => random.uniform() >= p)
    if (method === undefined) values = alive.length < peers.length ? values : values.map(() => 0)
    else {
      states = await averaged(method, { peers, alive, round, states, values })
      values = states.map(({ x, w = 1 }) => x / w)
    }
    const found = variance(values)
    bounds.forEach((bound, b) => {
      if (found < bound) counts[b] = Math.min(counts[b], round)
    })
    if (found < Math.min(...bounds)) break
  }
  return counts
}

/** For each bound the means over the seeds, one for each grid. */
async function means(name, create, n, p) {
  const peers = Array.from({ length: n }, (_, i) => peerName(`p${String(i).padStart(5, '0')}`))
  const seeds = Array.from({ length: Number(given.seeds) }, (_, seed) => seed)
  const grids = Array.from({ length: name.startsWith('moshpit') ? Number(given.grids) : 1 }, (_, grid) => grid)
  const found = bounds.map(() => [])
  for (const grid of grids) {
    const counts = []
    for (const seed of seeds) counts.push(await roundsOf(create, peers, p, seed, grid))
    found.forEach((list, b) => list.push(counts.reduce((sum, each) => sum + each[b], 0) / seeds.length))
  }
  return found
}

async function published(file) {
  const [head, ...lines] = (await readFile(file, 'utf8')).trim().split(/\r?\n/)
  const names = head.split(',')
  return lines.map((line) => Object.fromEntries(line.split(',').map((cell, k) => [names[k], Number(cell)])))
}

const toCompute = (text) => text.split(',').map(Number)
const settings =
  given.n === undefined
    ? await published(positionals[0] ?? '')
    : toCompute(given.n).flatMap((n) => toCompute(given.p).map((p_fail) => ({ n, p_fail })))
const short = { random_groups32: 'random', gossip_ring: 'gossip', moshpit32x32: 'moshpit' }
const results = []
for (const row of settings) {
  for (const [name, create] of methods) {
    const ours = await means(name, create, row.n, row.p_fail)
    const theirs = [row[name], row[`${short[name] ?? name}_1e4`]]
    results.push({ n: row.n, p: row.p_fail, method: name, published: theirs, ours })
  }
  if (!given.json) process.stderr.write(`${row.n} peers, p = ${row.p_fail}\n`)
}
const head = (bound) => [`to ${bound}: published`, 'ours', 'off']
const table = new Table({ head: ['n', 'p', 'method', ...bounds.flatMap(head)] })
const cellsOf = (ours, theirs) => {
  const mean = ours.reduce((sum, each) => sum + each, 0) / ours.length
  const range = ours.length > 1 ? ` (${Math.min(...ours).toFixed(1)} to ${Math.max(...ours).toFixed(1)})` : ''
  return [
    theirs ?? '',
    mean.toFixed(1) + range,
    theirs === undefined ? '' : `${(100 * (mean / theirs - 1)).toFixed(0)} %`
  ]
}
for (const { n, p, method, published, ours } of results)
  table.push([n, p, method, ...ours.flatMap((each, b) => cellsOf(each, published[b]))])
console.log(given.json ? JSON.stringify(results) : table.toString())
