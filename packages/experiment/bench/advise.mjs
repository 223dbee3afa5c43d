// Whether `murmur advise` finds what a sweep of all plans finds: for each example of examples/advise the time of the best plan that it names over that of the best of all, and the processor time of
// both. The sweep takes each plan to the end, or until it has taken 1.25 times as long as the best so far; and those that come so close to the best with all seeds.
//
//   node packages/experiment/bench/advise.mjs [EXAMPLE …]
import { readFileSync } from 'node:fs'
import { advise, computingOf, totalOf } from '../dist/sim/index.js'
import { sweepOfPlans } from '../dist/advise/advise.js'
import Table from 'cli-table3'

const folder = new URL('../../../examples/advise/', import.meta.url).pathname
const computings = {
  mixed: '{ perSample: 0.2 ms, slow: { home-2: 4, mobile: 4 }, stragglers: { kind: log-normal, sigma: 0.3 } }'
}
const names = process.argv.slice(2)
const { signal } = new AbortController()
const table = new Table({ head: ['example', 'advised plan', 'together', 'best of the sweep', 'together', 'ratio', 'files’ plan', 'advise, CPU s', 'sweep, CPU s'], style: { head: [] } }) // prettier-ignore

async function measured(work) {
  const before = process.cpuUsage()
  const result = await work()
  const { user, system } = process.cpuUsage(before)
  return { result, seconds: (user + system) / 1e6 }
}

for (const name of names.length > 0 ? names : ['lan', 'two-homes', 'three-clouds', 'mixed']) {
  const request = { topology: `${folder}${name}.yaml`, train: `${folder}train.yaml` }
  readFileSync(request.topology)
  const options = { computing: computingOf(computings[name] ?? '{ perSample: 0.2 ms }'), budget: 3600, signal }
  const advice = await measured(() => advise(request, options))
  const sweep = await measured(() => sweepOfPlans(request, options))
  const [best] = sweep.result.plans
  const keyOf = ({ algorithm, graph, choice: { codec, rate } }) => JSON.stringify([algorithm, graph, codec, rate])
  const advised = advice.result.plans[0]
  const inSweep = sweep.result.plans.find((plan) => keyOf(plan) === keyOf(advised)) ?? advised
  const given = sweep.result.plans.find(({ isGiven }) => isGiven)
  const shown = (plan) =>
    `${plan.algorithm}, ${plan.graph}, ${plan.choice.codec}, rate ${plan.choice.rate.toPrecision(2)}`
  table.push([name, shown(advised), totalOf(inSweep).toFixed(2), shown(best), totalOf(best).toFixed(2), (totalOf(inSweep) / totalOf(best)).toFixed(2), totalOf(given).toFixed(2), advice.seconds.toFixed(0), sweep.seconds.toFixed(0)]) // prettier-ignore
  console.log(table.toString())
}
