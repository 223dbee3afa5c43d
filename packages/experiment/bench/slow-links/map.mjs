// The map of slow links: which method first trains an MLP on digits to 95 % of plain SGD's accuracy, over bandwidth, latency and stragglers.
//
//   node packages/experiment/bench/slow-links/map.mjs RESULTS.jsonl [own|mean] [mlp|large|cnn] [METHOD …]
//
// own: the peers' own models have that accuracy, on average; mean: the mean model has it, and the time of computing it must be added.
// mlp: a small perceptron with the messages of a larger one; large, cnn: that larger one, and a convolutional network, with the fastest methods
// and fewer settings and cells. METHOD: only those of these names.
//
// The file has a line for each run that was computed, and these are not computed again. map-report.mjs makes the table and the picture.
import { compute, computeIn, peersOf, replay } from './engine.mjs'
import { mapOf } from './networks.mjs'
import { openResults, targetsOf } from './results.mjs'
import { bestOf, seeds } from './cells.mjs'

const [file, judge = 'own', network = 'mlp', ...names] = process.argv.slice(2)
if (file === undefined) throw new Error('expected the path of a file for the results')
const { cells, methods, setup: common } = mapOf(network, peersOf(16))
const setup = { ...common, judge }
const { known, once } = openResults(file)
const targetOf = targetsOf(once, setup)

/** A synchronous method: computed once, its time replayed in every cell. */
async function synchronous({ name, configs }, place, seed) {
  const target = await targetOf(seed)
  return once(`${name} | ${place} | ${seed}`, async () => {
    const method = configs[place]
    const { round, bytes, sizes } = await compute({ method, seed, setup, target })
    const ms = {}
    if (round !== undefined) for (const cell of cells) ms[cell.name] = await replay({ method, seed, setup, cell, round, sizes }) // oxfmt-ignore
    return { method: name, place, seed, round, bytes, ms }
  })
}

/** When the n-th fastest setting that is known so far reaches the target in a cell: what takes longer need not end. */
function limitOf(name, cell, n) {
  const place = bestOf(known, name, cell.name, first)[n - 1]
  return known.get(`${name} | ${place} | ${first} | ${cell.name}`)?.ms[cell.name]
}

/** What takes longer, in ms of virtual time, is not reached: ten times what the fastest take on the slowest links. */
const longest = 30_000

/** A method without a barrier, in one cell. */
async function ownPace({ name, configs }, place, seed, cell, until = longest) {
  const target = await targetOf(seed)
  return once(`${name} | ${place} | ${seed} | ${cell.name}`, async () => {
    const { ms, bytes } = await computeIn({ method: configs[place], seed, setup, target, cell: { ...cell, until } })
    return { method: name, place, seed, bytes, ms: ms === undefined ? {} : { [cell.name]: ms } }
  })
}

const [first, ...others] = seeds
const uneven = cells.filter(({ hasStragglers }) => hasStragglers)
const finalists = 3

/** At 50 ms all settings except those of the highest rate, which was never among the three fastest; at the other latencies the three fastest. */
async function tuneOwnPace(method) {
  const [all, rest] = [true, false].map((isFirst) => uneven.filter(({ latency }) => (latency === 50) === isFirst))
  for (const cell of all)
    for (const [place, { rate }] of method.configs.entries())
      if (rate < Math.max(...setup.rates))
        await ownPace(method, place, first, cell, limitOf(method.name, cell, finalists))
  for (const cell of rest) {
    const { name } = all.find(({ mbits }) => mbits === cell.mbits)
    for (const place of bestOf(known, method.name, name, first).slice(0, finalists))
      await ownPace(method, place, first, cell, limitOf(method.name, cell, 1))
  }
}

/** The fastest of each cell, with all seeds. */
async function repeatOwnPace(method) {
  for (const cell of uneven)
    for (const place of bestOf(known, method.name, cell.name, first).slice(0, 1))
      for (const seed of others) await ownPace(method, place, seed, cell)
}

/** Methods that merge only at the end are not judged by the peers' own models. */
const isAsked = ({ name }) => names.length === 0 || names.includes(name)
const judged = methods.filter((method) => isAsked(method) && (method.isMerged !== true || judge === 'mean'))
const [free, blocking] = [true, false].map((isFree) => judged.filter(({ isOwnPace }) => (isOwnPace === true) === isFree)) // oxfmt-ignore
for (const method of blocking) for (const place of method.configs.keys()) await synchronous(method, place, first)
for (const method of blocking) {
  const best = new Set(cells.flatMap(({ name }) => bestOf(known, method.name, name, first).slice(0, 1)))
  for (const place of best) for (const seed of others) await synchronous(method, place, seed)
}
for (const method of free) await tuneOwnPace(method)
for (const method of free) await repeatOwnPace(method)
