/**
 * node studies/scaling.mjs: the speed-ups of synchronous SGD that Das et al. 2016 published, beside those of a
 * layer-wise model, and of the simulator where it can run the same; then for 2 to 128 nodes. Takes half a minute of
 * processor time.
 */
import Table from 'cli-table3'
import { runs, speedUp, stepTime } from './scaling/model.mjs'
import { simulatedStepTime } from './scaling/simulated.mjs'

const style = { style: { head: [], border: [] } }
const data = { overlap: true, hybrid: false }
const apart = { overlap: false, hybrid: false }

async function simulated(run, nodes, options) {
  return (await simulatedStepTime(run, 1, options)) / (await simulatedStepTime(run, nodes, options))
}

const head = ['network, batch, nodes', 'published', 'both', 'hybrid', 'overlap', 'simulated', 'neither', 'simulated']
const table = new Table({ head, ...style })
for (const run of runs) {
  const { network, batch, nodes, published } = run
  const modelled = (options) => speedUp(run, nodes, options).toFixed(1)
  table.push([
    `${network}, ${batch}, ${nodes}`,
    published,
    modelled({ overlap: true, hybrid: true }),
    modelled({ overlap: false, hybrid: true }),
    modelled(data),
    (await simulated(run, nodes, data)).toFixed(1),
    modelled(apart),
    (await simulated(run, nodes, apart)).toFixed(1)
  ])
}
console.log(table.toString())

const sizes = [2, 4, 8, 16, 32, 64, 128]
const more = new Table({ head: ['simulated', ...sizes.map(String)], ...style })
let furthest = 0
for (const run of runs) {
  for (const options of [data, apart]) {
    const times = []
    for (const nodes of sizes) {
      const time = await simulatedStepTime(run, nodes, options)
      furthest = Math.max(furthest, Math.abs(time / stepTime(run, nodes, options) - 1))
      times.push((stepTime(run, 1, options) / time).toFixed(1))
    }
    more.push([`${run.network}, ${run.batch}, ${options.overlap ? 'overlap' : 'neither'}`, ...times])
  }
}
console.log(more.toString())
console.log(`simulated and modelled steps differ by at most ${(100 * furthest).toFixed(2)} %`)
