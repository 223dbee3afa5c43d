// Whether `murmur advise` finds what a full sweep finds. For each example of examples/advise, or each one given, also
// of the folder `advise` beside this file: the time of the advised plan, divided by that of the best of all plans, and
// the processor time of both, on one thread. The sweep simulates all plans with all seeds up to the loss, or to the end
// of the training file's rounds. With --stop it gives up each plan that has taken 1.25 times as long as the best so
// far, and uses further seeds only for plans that close to the best: for less time the same best plan, or one that
// takes about as long. Prints a line after each example, and a table.
//
//   node studies/advise.mjs [--stop] [--no-sweep] [EXAMPLE …]
import { existsSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { advise, sweepOfPlans, totalOf } from '@murmuration/experiment/advise'
import { computingOf } from '@murmuration/experiment/sim'
import Table from 'cli-table3'

const { values: given, positionals: names } = parseArgs({
  options: { 'stop': { type: 'boolean' }, 'no-sweep': { type: 'boolean' } },
  allowPositionals: true
})
const [examples, others] = ['../examples/advise/', 'advise/'].map((each) => new URL(each, import.meta.url).pathname)
const computings = {
  'mixed': '{ perSample: 0.2 ms, slow: { home-2: 4, mobile: 4 }, stragglers: { kind: log-normal, sigma: 0.3 } }',
  'six-with-stragglers': '{ perSample: 0.5 ms, slow: { p1: 5 }, stragglers: { kind: log-normal, sigma: 0.5 } }',
  'ten-homes': '{ perSample: 0.2 ms, slow: { b1: 3 } }'
}
const { signal } = new AbortController()
const head = ['example', 'advised plan', 'together', 'best of the sweep', 'together', 'ratio', 'files’ plan', 'advise, CPU s', 'sweep, CPU s', 'of it'] // oxfmt-ignore
const table = new Table({ head, style: { head: [] } })

async function measured(work) {
  const before = process.cpuUsage()
  const result = await work()
  const { user, system } = process.cpuUsage(before)
  return { result, seconds: (user + system) / 1e6 }
}

const keyOf = ({ algorithm, graph, choice: { codec, rate } }) => JSON.stringify([algorithm, graph, codec, rate])
const shown = (plan) => `${plan.algorithm}, ${plan.graph}, ${plan.choice.codec}, rate ${plan.choice.rate.toPrecision(2)}` // oxfmt-ignore

for (const name of names.length > 0 ? names : ['lan', 'two-homes', 'three-clouds', 'mixed']) {
  const topology = [examples, others].map((folder) => `${folder}${name}.yaml`).find((path) => existsSync(path))
  if (topology === undefined) throw new Error(`no example ${name}: neither in ${examples} nor in ${others}`)
  const request = { topology, train: `${examples}train.yaml` }
  const computing = computingOf(computings[name] ?? '{ perSample: 0.2 ms }')
  const options = { computing, budget: 86_400, threads: 1, signal }
  const emit = ({ plans, rounds, seeds }) => console.log(`${name}: ${process.cpuUsage().user / 1e6} s, ${plans} plans for ${rounds} rounds, ${seeds} seeds`) // oxfmt-ignore
  const advice = await measured(() => advise(request, { ...options, emit }))
  const [advised] = advice.result.plans
  console.log(`${name}: advise takes ${advice.seconds.toFixed(1)} s: ${shown(advised)}, ${totalOf(advised)} s`)
  if (given['no-sweep']) continue
  const sweep = await measured(() => sweepOfPlans(request, options, given.stop))
  const { plans } = sweep.result
  const inSweep = plans.find((plan) => keyOf(plan) === keyOf(advised)) ?? advised
  const ofFiles = plans.find(({ isGiven }) => isGiven)
  table.push([name, shown(advised), totalOf(inSweep).toFixed(2), shown(plans[0]), totalOf(plans[0]).toFixed(2), (totalOf(inSweep) / totalOf(plans[0])).toFixed(2), totalOf(ofFiles).toFixed(2), advice.seconds.toFixed(0), sweep.seconds.toFixed(0), (advice.seconds / sweep.seconds).toFixed(3)]) // oxfmt-ignore
  for (const plan of plans.slice(0, 12)) console.log(`${name}: ${shown(plan)}: ${totalOf(plan).toFixed(3)} s`)
  console.log(table.toString())
}
