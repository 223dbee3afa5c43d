import { fileURLToPath } from 'node:url'
import test, { type ExecutionContext } from 'ava'
import { Families } from './families.js'
import { simulateRun } from './run.js'
import type { Scenario } from './scenario.js'
import { readScenario } from './scenario-file.js'
import { runsOf, topologyOf } from './sweep.js'

const slowLinks = fileURLToPath(new URL('../../../../sim/slow-links.yaml', import.meta.url))

/** Virtual seconds per round of every contender of sim/slow-links.yaml in one setting. Ten rounds: they are all alike. */
async function secondsPerRound(up: number, latency: number): Promise<Map<string, number>> {
  const whole = await readScenario(slowLinks)
  const scenario: Scenario = { ...whole, seeds: [1], stop: { rounds: 10 } }
  const families = new Families(1)
  const seconds = new Map<string, number>()
  for (const run of runsOf(scenario)) {
    const { values, task } = run.setting
    if (values.up !== up || values.latency !== latency) continue
    const family = await families.of(task, topologyOf(scenario, run).topology.peers, run.seed)
    const { record } = await simulateRun(scenario, run, family, () => 0)
    seconds.set(record.contender, record.secondsPerRound)
  }
  return seconds
}

function checkRatio(t: ExecutionContext, times: Map<string, number>, other: string, published: number, off: number) {
  const ratio = (times.get(other) as number) / (times.get('D-PSGD') as number)
  t.true(
    Math.abs(ratio / published - 1) <= off,
    `${other} takes ${ratio.toFixed(2)} times as long, published ${published}`
  )
}

test('at 10 ms, exchanging tensor by tensor, the server takes 12 times and all-reduce 7 times as long (Lian 2017, fig. 2d)', async (t) => {
  const times = await secondsPerRound(1e9, 10)
  checkRatio(t, times, 'parameter server, tensor by tensor', 12, 0.25)
  checkRatio(t, times, 'direct all-reduce, tensor by tensor', 7, 0.25)
})

test('where only the bandwidth is low, the server takes 3.6 times and all-reduce 0.9 times as long (Lian 2017, fig. 2c)', async (t) => {
  const times = await secondsPerRound(1e6, 0.1)
  checkRatio(t, times, 'parameter server, tensor by tensor', 3.6, 0.15)
  checkRatio(t, times, 'direct all-reduce, tensor by tensor', 0.9, 0.15)
})

test('an epoch of D-PSGD at 10 ms takes the 10 ± 2 s that figure 2d shows, by which the window was chosen', async (t) => {
  const epoch = 56 * ((await secondsPerRound(1e9, 10)).get('D-PSGD') as number)
  t.true(Math.abs(epoch - 10) <= 2, `${epoch} s`)
})

test('fused, the central ways lose most of what they lost: at 10 ms the direct all-reduce is faster than D-PSGD', async (t) => {
  const times = await secondsPerRound(1e9, 10)
  const gossip = times.get('D-PSGD') as number
  t.true((times.get('parameter server, fused') as number) < 2 * gossip)
  t.true((times.get('direct all-reduce, fused') as number) < gossip)
})
