import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import test from 'ava'
import { median } from 'simple-statistics'
import { TaskSets } from './task-sets.js'
import { type RunResult, simulateRun } from './run.js'
import type { Scenario } from './scenario.js'
import { readScenario } from './scenario-file.js'
import { runsOf, type SimRun, topologyOf } from './sweep.js'

const folder = fileURLToPath(new URL('../../../../sim/', import.meta.url))

async function results(scenario: Scenario, isWanted: (run: SimRun) => boolean): Promise<RunResult[]> {
  const taskSets = new TaskSets(2)
  const all: RunResult[] = []
  for (const run of runsOf(scenario).filter(isWanted)) {
    const taskSet = await taskSets.of(run.setting.learning, topologyOf(scenario, run).topology.peers, run.seed)
    all.push(await simulateRun(scenario, run, taskSet, () => 0))
  }
  return all
}

/** Limits of options on which the time of a round depends, such as the number of ratings. */
const most: Readonly<Record<string, number>> = { ratings: 10_000, entities: 100, length: 2_000 }

/** The task with no more than that. */
function smaller<Task extends object>(task: Task): Task {
  const fields = Object.entries(task).map(([name, value]) => [name, name in most ? Math.min(value, most[name]) : value])
  return Object.fromEntries(fields) as Task
}

for (const file of readdirSync(folder).filter((name) => name.endsWith('.yaml'))) {
  test.serial(
    `sim/${file} runs: every method takes a few steps in its first setting, and keeps its promises`,
    async (t) => {
      const whole = await readScenario(folder + file)
      const { peers } = whole.topology
      const scenario: Scenario = {
        ...whole,
        // A few of many peers are enough.
        topology: { ...whole.topology, peers: typeof peers === 'number' ? Math.min(peers, 40) : peers },
        training: { ...whole.training, task: smaller(whole.training.task), rounds: Math.min(4, whole.training.rounds) },
        stop: {},
        seeds: whole.seeds.slice(0, 1)
      }
      const [{ setting: first }] = runsOf(scenario)
      const runs = await results(
        scenario,
        ({ setting }) => JSON.stringify(setting.values) === JSON.stringify(first.values)
      )
      t.is(runs.length, scenario.methods.length)
      for (const { record } of runs) {
        t.is(record.outcome, 'limit', `${record.method}: ${record.reason ?? ''}`)
        t.deepEqual(record.findings, [])
      }
    }
  )
}

test.serial(
  'n peers of D-PSGD, each number with its best rate, are faster in proportion on fast links (Lian 2017, figure 3c)',
  async (t) => {
    const whole = await readScenario(`${folder}speed-up.yaml`)
    const numbers = [1, 4, 16]
    const isWanted = ({ method, setting }: SimRun) =>
      method.algorithm.name === 'dpsgd' && numbers.includes(Number(setting.values.peers))
    const runs = await results({ ...whole, seeds: [1, 2, 3] }, isWanted)
    const rates = [...new Set(runs.map(({ record }) => Number(record.settings.rate)))]
    const seconds = (peers: number, rate: number) => {
      const own = runs.filter(({ record }) => record.peers === peers && record.settings.rate === rate)
      return median(own.map(({ record }) => record.toTarget?.seconds ?? Infinity))
    }
    const best = (peers: number) =>
      rates.reduce((one, other) => (seconds(peers, other) < seconds(peers, one) ? other : one))
    const alone = seconds(1, best(1))
    for (const peers of numbers.slice(1)) {
      const speedUp = alone / seconds(peers, best(peers))
      t.true(speedUp > 0.6 * peers && speedUp < 1.4 * peers, `${peers} peers are ${speedUp.toFixed(2)} times as fast`)
    }
    t.true(
      best(1) > Math.min(...rates) && best(16) < Math.max(...rates),
      'no best rate is at an end of those that are tried'
    )
    t.true(seconds(16, best(1)) > (alone / 16) * 4, 'at the best rate of one peer, 16 gain little')
  }
)
