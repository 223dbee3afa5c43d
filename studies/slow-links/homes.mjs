// The second map: 64 peers, homes and clouds, stragglers and churn.
//
//   node studies/slow-links/homes.mjs RESULTS.jsonl
//
// Each method is tuned with the first seed and without churn; with stragglers, only among the three settings that are
// fastest without. The best settings without and with stragglers are run with two more seeds, also with churn. What
// these choose is measured with eight fresh seeds, see choice.mjs. The mean model of the present peers is evaluated.
// homes-report.mjs makes the tables.
import { cells, setup } from './homes-cells.mjs'
import { chosenInHomes, tunedIn } from './homes-choice.mjs'
import { methods } from './homes-methods.mjs'
import { bestOf, choosing, fresh } from './cells.mjs'
import { computeIn } from './engine.mjs'
import { openResults, targetsOf } from './results.mjs'

const [file] = process.argv.slice(2)
if (file === undefined) throw new Error('expected the path of a file for the results')
const { known, once } = openResults(file)
const targetOf = targetsOf(once, setup)

async function run({ name, configs }, place, seed, cell) {
  const target = await targetOf(seed)
  return once(`${name} | ${place} | ${seed} | ${cell.name}`, async () => {
    const { ms, ...rest } = await computeIn({ method: configs[place], seed, setup, target, cell })
    return { method: name, place, seed, ...rest, ms: ms === undefined ? {} : { [cell.name]: ms } }
  })
}

/**
 * The time of merging all models in int8, without the step before: through one peer in a cloud, like a server, and by a
 * direct all-reduce.
 */
for (const name of ['parameter server, int8', 'all-reduce, int8'])
  await once(`merge | ${name}`, async () => {
    const [method] = methods.find((one) => one.name === name).configs
    const { ms, bytes } = await computeIn({ method, seed: 1, setup: { ...setup, rounds: 1, every: 1 }, target: 0, cell: cells[0] }) // oxfmt-ignore
    return { merge: ms - cells[0].perStep, bytes }
  })

const [first] = choosing
for (const method of methods) for (const place of method.configs.keys()) await run(method, place, first, cells[0])
/** With stragglers, the three settings that were fastest without are tried. */
for (const method of methods)
  for (const place of bestOf(known, method.name, 'plain', first).slice(0, 3)) await run(method, place, first, cells[1])
for (const seed of choosing)
  for (const cell of cells)
    for (const method of methods)
      for (const place of bestOf(known, method.name, tunedIn(cell), first).slice(0, 1))
        await run(method, place, seed, cell)
for (const seed of fresh)
  for (const cell of cells) {
    const { gossip, central, serverless } = chosenInHomes(known, cell)
    for (const { method, place } of new Set([...gossip, ...central, ...serverless]))
      await run(method, place, seed, cell)
  }
