import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import test from 'ava'
import type { Scenario } from './scenario/scenario.js'
import { readScenario } from './scenario/file.js'
import { results } from './run/results.test.support.js'
import { runsOf } from './scenario/sweep.js'

const folder = fileURLToPath(new URL('../../../../sim/', import.meta.url))

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
