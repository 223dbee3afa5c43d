import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import test from 'ava'
import { median } from 'simple-statistics'
import { Families } from './families.js'
import { type RunResult, simulateRun } from './run.js'
import type { Scenario } from './scenario.js'
import { readScenario } from './scenario-file.js'
import { runsOf, type SimRun, topologyOf } from './sweep.js'

const folder = fileURLToPath(new URL('../../../../sim/', import.meta.url))

async function results(scenario: Scenario, isWanted: (run: SimRun) => boolean): Promise<RunResult[]> {
  const families = new Families(2)
  const all: RunResult[] = []
  for (const run of runsOf(scenario).filter(isWanted)) {
    const family = await families.of(run.setting.task, topologyOf(scenario, run).topology.peers, run.seed)
    all.push(await simulateRun(scenario, run, family, () => 0))
  }
  return all
}

for (const file of readdirSync(folder).filter((name) => name.endsWith('.yaml'))) {
  test(`sim/${file} runs: every contender takes a few steps in its first setting, and keeps its promises`, async (t) => {
    const whole = await readScenario(folder + file)
    const scenario: Scenario = { ...whole, stop: { rounds: 4 }, seeds: whole.seeds.slice(0, 1) }
    const [{ setting: first }] = runsOf(scenario)
    const runs = await results(
      scenario,
      ({ setting }) => JSON.stringify(setting.values) === JSON.stringify(first.values)
    )
    t.is(runs.length, scenario.contenders.length)
    for (const { record } of runs) {
      t.is(record.outcome, 'limit', `${record.contender}: ${record.why ?? ''}`)
      t.deepEqual(record.findings, [])
    }
  })
}

test('n peers of D-PSGD reach the same loss in about 1/n of the time on fast links (Lian 2017, figure 3c)', async (t) => {
  const whole = await readScenario(`${folder}speed-up.yaml`)
  const scenario: Scenario = { ...whole, seeds: [1, 2, 3] }
  const runs = await results(scenario, ({ contender }) => contender.algorithm === 'dpsgd')
  const seconds = (peers: number) =>
    median(runs.flatMap(({ record }) => (record.peers === peers ? (record.toTarget?.seconds ?? Infinity) : [])))
  for (const peers of [2, 4, 8, 16]) {
    const speedUp = seconds(1) / seconds(peers)
    t.true(Math.abs(speedUp / peers - 1) < 0.2, `${peers} peers are ${speedUp.toFixed(2)} times as fast`)
  }
})
