// The map of slow links: which method first trains an MLP on digits to 95 % of plain SGD's accuracy, over bandwidth,
// latency and stragglers.
//
//   node studies/slow-links/map.mjs RESULTS.jsonl [own|mean] [mlp|large|cnn] [even|stragglers]
//
// own: the peers' own models have that accuracy, on average; mean: the mean model has it, and the time of computing it
// must be added. mlp: a small perceptron with the messages of a larger one; large, cnn: that larger one, and a
// convolutional network, with the fastest methods and fewer settings and cells. even, stragglers: only the cells
// without or with stragglers.
//
// The settings and the methods of each cell are chosen with the first three seeds; what was chosen is then measured
// with eight others, see choice.mjs. The file has a line for each run that was computed, and these are not computed
// again. map-report.mjs makes the tables and the picture.
import { bestOf, choosing, fresh } from './cells.mjs'
import { chosenIn, hopeless } from './choice.mjs'
import { isCompared, isSettingTried } from './compared.mjs'
import { compute, computeIn, peersOf, replay } from './engine.mjs'
import { direct } from './methods.mjs'
import { mapOf } from './networks.mjs'
import { openResults, targetsOf } from './results.mjs'

const [file, judge = 'own', network = 'mlp', part] = process.argv.slice(2)
if (file === undefined) throw new Error('expected the path of a file for the results')
const { cells: allCells, methods: allMethods, setup: common } = mapOf(network, peersOf(16))
const cells = allCells.filter(({ hasStragglers }) => part === undefined || hasStragglers === (part === 'stragglers'))
const setup = { ...common, judge }
const { known, once } = openResults(file)
const targetOf = targetsOf(once, setup)
const [first, ...others] = choosing
/** What takes longer, in ms of virtual time, is not reached: ten times what the fastest take on the slowest links. */
const longest = 30_000

const isTried = (method, cell) =>
  isCompared(method, cell, judge, network) && (method.isOwnPace !== true || cell.hasStragglers)
/** Methods that merge only at the end are not judged by the peers' own models. */
const methods = allMethods.filter((method) => (method.isMerged !== true || judge === 'mean') && cells.some((cell) => isTried(method, cell))) // oxfmt-ignore
const [free, blocking] = [true, false].map((isFree) => methods.filter(({ isOwnPace }) => (isOwnPace === true) === isFree)) // oxfmt-ignore

/**
 * The time of the best of the methods that a method is compared with, with the first seed; its own for D-PSGD, which is
 * always shown.
 */
function bestTime(method, cell) {
  const isRival = (other) => other.family === method.family && (other.isMerged === true) === (method.isMerged === true)
  const rivals = method.name === 'D-PSGD' ? [method] : methods.filter(isRival)
  const times = rivals.flatMap(({ name }) => {
    const [place] = bestOf(known, name, cell.name, first)
    return place === undefined ? [] : (known.get(`${name} | ${place} | ${first} | ${cell.name}`) ?? known.get(`${name} | ${place} | ${first}`)).ms[cell.name] // oxfmt-ignore
  })
  return Math.min(Infinity, ...times)
}

/**
 * Less than what `round` rounds can take in a cell: the steps, the bytes on a peer's line, and a hop for each exchange.
 */
function least({ options: { period = 1 } = {} }, { round, bytes }, { latency, mbits, perStep }) {
  return Math.max(round * perStep, bytes / 16 / (125 * mbits), (Math.floor(round / period) - 1) * latency)
}

/**
 * A synchronous method: computed once, its time replayed in every cell in which it is not hopeless, or is the fastest
 * setting with the first seed.
 */
async function synchronous(method, place, seed) {
  const { name, configs } = method
  const target = await targetOf(seed)
  return once(`${name} | ${place} | ${seed}`, async () => {
    const config = configs[place]
    const { round, bytes, sizes } = await compute({ method: config, seed, setup, target })
    const ms = {}
    for (const cell of round === undefined ? [] : allCells.filter((each) => isTried(method, each)))
      if (
        seed === first
          ? least(config, { round, bytes }, cell) <= hopeless * bestTime(method, cell)
          : bestOf(known, name, cell.name, first)[0] === place
      )
        // oxfmt-ignore
        ms[cell.name] = await replay({ method: config, seed, setup, cell, round, sizes })
    return { method: name, place, seed, round, bytes, ms }
  })
}

/** A method without a barrier, in one cell; for all at once if it never exchanges. */
async function ownPace({ name, configs, isMerged }, place, seed, cell, until = longest) {
  const target = await targetOf(seed)
  return once(`${name} | ${place} | ${seed}${isMerged ? '' : ` | ${cell.name}`}`, async () => {
    const { ms, bytes, end } = await computeIn({
      method: configs[place],
      seed,
      setup,
      target,
      cell: { ...cell, until }
    })
    const reached = (isMerged ? uneven : [cell]).map((each) => [each.name, ms])
    return { method: name, place, seed, bytes, end, ms: ms === undefined ? {} : Object.fromEntries(reached) }
  })
}

const uneven = cells.filter(({ hasStragglers }) => hasStragglers)

/** What need not end: what takes longer than the fastest setting of the method so far, or is hopeless. */
function limitOf(method, cell) {
  const [place] = bestOf(known, method.name, cell.name, first)
  const ms = known.get(`${method.name} | ${place} | ${first} | ${cell.name}`)?.ms[cell.name] ?? longest
  return Math.min(longest, ms, hopeless * bestTime(method, cell))
}

async function tuneOwnPace(method) {
  for (const cell of uneven.filter((each) => isTried(method, each)))
    for (const [place, config] of method.configs.entries())
      if (isSettingTried(method, config, judge, network, cell))
        await ownPace(method, place, first, cell, limitOf(method, cell))
}

/**
 * The time of a direct all-reduce in int8 in each cell, without the step before: what two rounds take longer than one.
 */
const merge = () =>
  once('merge', async () => {
    const method = { algorithm: 'all-reduce', rate: 0.1, codec: 'int8', options: direct }
    const { sizes } = await compute({ method, seed: first, setup: { ...setup, rounds: 4, every: 5 }, target: 2 })
    const ms = {}
    for (const cell of allCells) {
      const from = await replay({ method, seed: first, setup, cell, round: 3, sizes })
      const to = await replay({ method, seed: first, setup, cell, round: 4, sizes }) // oxfmt-ignore
      ms[cell.name] = to - from - cell.perStep * Math.max(1, ...Object.values(cell.slow))
    }
    return { ms }
  })

/** The settings that are the fastest with the first seed, with the other seeds for choosing. */
async function repeat(method) {
  const run = method.isOwnPace === true ? ownPace : synchronous
  for (const cell of cells.filter((each) => isTried(method, each)))
    for (const place of bestOf(known, method.name, cell.name, first).slice(0, 1))
      if (limitOf(method, cell) <= hopeless * bestTime(method, cell))
        for (const seed of others) await run(method, place, seed, cell)
}

const computed = new Map()
/** A synchronous method with a fresh seed, computed once for all cells. */
async function computedOnce({ name, configs }, place, seed) {
  const key = `${name} | ${place} | ${seed}`
  if (!computed.has(key)) computed.set(key, await compute({ method: configs[place], seed, setup: { ...setup, isPatient: true }, target: await targetOf(seed) })) // oxfmt-ignore
  return computed.get(key)
}

/**
 * What was chosen for a cell, with a fresh seed. A run that does not reach the target counts with the time of all its
 * steps.
 */
async function measure({ method, place }, seed, cell) {
  if (method.isOwnPace === true) return ownPace(method, place, seed, cell)
  return once(`${method.name} | ${place} | ${seed} | ${cell.name}`, async () => {
    const { round, hasDiverged, bytes, sizes } = await computedOnce(method, place, seed)
    const of = (rounds) => replay({ method: method.configs[place], seed, setup, cell, round: rounds, sizes })
    const result = { method: method.name, place, seed, round, bytes }
    if (round !== undefined) return { ...result, ms: { [cell.name]: await of(round) } }
    return { ...result, ms: {}, end: hasDiverged ? longest : await of(setup.rounds) }
  })
}

if (judge === 'mean') await merge()
for (const method of blocking)
  for (const [place, config] of method.configs.entries())
    if (isSettingTried(method, config, judge, network)) await synchronous(method, place, first)
for (const method of free) await tuneOwnPace(method)
for (const method of methods) await repeat(method)
for (const seed of fresh) {
  for (const cell of cells) {
    const tried = methods.filter((method) => isTried(method, cell))
    const { gossip, central, exchanging, plain } = chosenIn(known, tried, cell, judge)
    for (const each of new Set([...gossip, ...central, exchanging, plain])) await measure(each, seed, cell)
  }
  computed.clear()
}
