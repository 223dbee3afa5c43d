import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'ava'
import { calibrated } from './calibrate.js'
import { type OwnCosts, ownCostsOf, ownTime } from './own-time.js'
import { simulateRun } from '../run/run.js'
import type { Scenario } from '../scenario/scenario.js'
import { scenarioOf } from '../scenario/scenario.test.support.js'
import { runsOf, topologyOf } from '../scenario/sweep.js'
import { TaskSets } from '../run/task-sets.js'

/** A clock that was read every 6 ms. */
const clock = () => {
  let time = 0
  return () => (time += 6)
}

async function measured(methods: string, more: Readonly<Record<string, string>> = {}): Promise<OwnCosts> {
  const scenario = await scenarioOf({ methods, rounds: '60', ...more })
  const [run] = runsOf(scenario)
  return ownCostsOf(scenario, run, await tasksOf(scenario), clock())
}

async function tasksOf(scenario: Scenario) {
  const [run] = runsOf(scenario)
  return new TaskSets(1).of(run.setting.learning, topologyOf(scenario, run).topology.peers, run.seed)
}

test('what a method takes itself is the time between exchanges, divided among the gradients of all peers', async (t) => {
  t.deepEqual(await measured('[dpsgd]'), { step: 2, exchange: 0 })
  const svm = { task: 'svm', data: '{ gaussians: 60, features: 3 }' }
  t.deepEqual(await measured('[{ algorithm: cola }]', svm), { step: 2, exchange: 0 })
  // Both a period of 2 and one of 8 take 6 ms, so that a step takes nothing.
  const costs = await measured('[{ algorithm: { name: diloco, period: 4 } }]')
  t.deepEqual(costs, { step: 0, exchange: 2 })
  t.is(ownTime(costs, { algorithm: { name: 'diloco', period: 4 } }), 0.5)
  t.is(ownTime(costs, { algorithm: { name: 'diloco' } }), 2 / 500)
})

test('what a method takes itself is measured whatever would end its runs, and not where rows have keys', async (t) => {
  const scenario = await scenarioOf({
    stop: '{ loss: 1e9 }',
    faults: '{ events: [{ at: 1 ms, do: crash, peer: a }] }',
    rounds: '60'
  })
  const [run] = runsOf(scenario)
  t.is((await ownCostsOf(scenario, run, await tasksOf(scenario), clock())).step, 2)
})

test('what a method takes itself is measured on vectors as long as those of the traffic', async (t) => {
  const path = join(await mkdtemp(join(tmpdir(), 'murmur-own-time-')), 'noting.mjs')
  await writeFile(
    path,
    `import { dpsgd } from '${import.meta.resolve('@murmuration/algorithms')}'
    export const lengths = new Set()
    export const noting = { ...dpsgd, start: (origin, node) => (lengths.add(origin.x.length), dpsgd.start(origin, node)) }`
  )
  const scenario = await scenarioOf({
    methods: `[{ algorithm: { module: ${path} } }]`,
    traffic: '{ tensors: [700, 77] }',
    rounds: '60'
  })
  const [run] = runsOf(scenario)
  await ownCostsOf(scenario, run, await tasksOf(scenario), clock())
  const { lengths } = (await import(path)) as { readonly lengths: ReadonlySet<number> }
  t.deepEqual([...lengths], [777])
})

test('what a method takes itself is a part of each of its steps', async (t) => {
  const secondsOf = async (lines: Readonly<Record<string, string>>) => {
    const scenario = await scenarioOf({ rounds: '5', ...lines })
    const [run] = runsOf(scenario)
    const { record } = await simulateRun(scenario, run, await tasksOf(scenario), () => 0)
    return record.seconds
  }
  const methods = '[{ algorithm: dpsgd, ownTime: 5 ms }]'
  const shared = { computing: '{ perStep: 7 ms, perSample: 0 ms, slow: { a: 2 } }' }
  t.is(
    await secondsOf({ methods, computing: '{ perStep: 2 ms, perSample: 0 ms, slow: { a: 2 } }' }),
    await secondsOf(shared)
  )
})

test('calibrating gives each method its own time, and the same to those that differ in rates', async (t) => {
  const methods =
    '[{ algorithm: dpsgd, name: slow }, { algorithm: dpsgd, name: fast, rate: { initial: 1 } }, { algorithm: sgp, ownTime: 9 ms }]'
  let readings = 0
  const processorTime = () => (readings += 1)
  const scenario = await calibrated(await scenarioOf({ methods, rounds: '8' }), undefined, {
    now: () => (readings += 1000),
    processorTime
  })
  const [slow, fast, given] = scenario.methods.map(({ ownTime }) => ownTime)
  t.is(slow, 1 / 3)
  t.is(fast, slow)
  t.is(given, 9)
  t.true(scenario.computing.perStep > 0)
})
