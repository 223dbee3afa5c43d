// The map of slow links: which method first trains an MLP on digits to 95 % of plain SGD's accuracy, over bandwidth, latency and stragglers.
//
//   node packages/experiment/bench/slow-links/map.mjs RESULTS.jsonl [own|mean]
//
// own: the peers' own models have that accuracy, on average; mean: the mean model has it, and the time of computing it must be added.
//
// The file has a line for each run that was computed, and these are not computed again. map-report.mjs makes the table and the picture.
import { compute, computeIn, peersOf, replay } from './engine.mjs'
import { methods } from './methods.mjs'
import { openResults, targetsOf } from './results.mjs'
import { bestOf, cells, seeds, setupOf } from './cells.mjs'

const [file, judge = 'own'] = process.argv.slice(2)
if (file === undefined) throw new Error('expected the path of a file for the results')
const setup = { ...setupOf(peersOf(16)), judge }
const { known, once } = openResults(file)
const targetOf = targetsOf(once, setup)

/** A synchronous method: computed once, its time replayed in every cell. */
async function synchronous({ name, configs }, place, seed) {
  const target = await targetOf(seed)
  return once(`${name} | ${place} | ${seed}`, async () => {
    const method = configs[place]
    const { round, bytes, sizes } = await compute({ method, seed, setup, target })
    const ms = {}
    if (round !== undefined) for (const cell of cells) ms[cell.name] = await replay({ method, seed, setup, cell, round, sizes }) // prettier-ignore
    return { method: name, place, seed, round, bytes, ms }
  })
}

/** A method without a barrier, cell by cell. */
async function ownPace({ name, configs }, place, seed, cell) {
  const target = await targetOf(seed)
  return once(`${name} | ${place} | ${seed} | ${cell.name}`, async () => {
    const { ms, bytes } = await computeIn({ method: configs[place], seed, setup, target, cell })
    return { method: name, place, seed, bytes, ms: ms === undefined ? {} : { [cell.name]: ms } }
  })
}

async function run(method, place, seed) {
  if (method.isOwnPace !== true) await synchronous(method, place, seed)
  else for (const cell of uneven) await ownPace(method, place, seed, cell)
}

const uneven = cells.filter(({ hasStragglers }) => hasStragglers)
const [first, ...others] = seeds
/** Methods that merge only at the end are not judged by the peers' own models. */
const judged = methods.filter(({ isMerged }) => isMerged !== true || judge === 'mean')
for (const method of judged) {
  for (const place of method.configs.keys()) await run(method, place, first)
}
for (const method of judged) {
  if (method.isOwnPace === true) {
    for (const cell of uneven)
      for (const place of bestOf(known, method.name, cell.name, first).slice(0, 1))
        for (const seed of others) await ownPace(method, place, seed, cell)
    continue
  }
  const best = new Set(cells.flatMap(({ name }) => bestOf(known, method.name, name, first).slice(0, 1)))
  for (const place of best) for (const seed of others) await synchronous(method, place, seed)
}
