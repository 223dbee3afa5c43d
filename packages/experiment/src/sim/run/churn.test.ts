/** Swarms with peers that crash and return all the time. */
import test from 'ava'
import { differenceOf } from '../sweep/run-all.js'
import { simulateRun } from './run.js'
import { scenarioOf } from '../scenario/scenario.test.support.js'
import { runsOf, topologyOf } from '../scenario/sweep.js'
import { TaskSets } from './task-sets.js'

const lines = {
  topology:
    '{ graph: { kind: random-regular, degree: 4, seed: 1 }, peers: 24, links: { default: { latency: 10 ms } } }',
  task: '{ kind: quadratic, noise: 0.1 }',
  methods: '[dpsgd]',
  batch: '4',
  rate: '{ initial: 0.1, decay: constant }',
  optimiser: 'sgd',
  weightDecay: '0',
  timeout: '2 s',
  membership: '{ forgetAfter: 5 s }',
  computing: '{ perStep: 500 ms, perSample: 0 ms, stragglers: { kind: log-normal, sigma: 0.3 } }',
  stop: '{ time: 25 s }'
}
const churn = 'churn: { perMinute: 100 %, back: 4 s, after: 4 s, until: 16 s }'

async function run(faults: string, given: Readonly<Record<string, string>> = lines) {
  const scenario = await scenarioOf({ ...given, faults: `{ ${faults} }` })
  const [only] = runsOf(scenario)
  const taskSet = await new TaskSets(1).of(only.setting.learning, topologyOf(scenario, only).topology.peers, only.seed)
  return simulateRun(scenario, only, taskSet, () => 0)
}

test('peers crash and come back: the loss falls all the same, what is promised is kept, and it is the same again', async (t) => {
  const once = await run(churn)
  const again = await run(churn)
  const { curve, findings, outcome, lost, rounds } = once.record
  t.is(outcome, 'limit')
  t.deepEqual(findings, [])
  t.is(lost, undefined)
  t.true(rounds > 20, String(rounds))
  const first = curve[0]
  const last = curve[curve.length - 1]
  t.true(last.loss < first.loss / 2, `${first.loss} to ${last.loss}`)
  t.deepEqual(differenceOf(once, again), [])
})

test('a peer that is restarted where it reaches no other joins once it does, however short the timeout', async (t) => {
  const events = [
    '{ at: 5 s, do: crash, peer: p24 }',
    `{ at: 6 s, do: partition, groups: [[p24], [${Array.from({ length: 23 }, (_, k) => `p${String(k + 1).padStart(2, '0')}`).join(', ')}]] }`,
    '{ at: 7 s, do: restart, peer: p24 }',
    '{ at: 12 s, do: heal }'
  ]
  const { record } = await run(`events: [${events.join(', ')}]`)
  t.is(record.lost, undefined)
  t.deepEqual(record.findings, [])
})

test('a peer whose neighbours were all too late waits until they are back in its rows', async (t) => {
  const ring = {
    ...lines,
    topology: '{ graph: ring, peers: 7 }',
    timeout: '1 s',
    computing: '{ perStep: 50 ms, perSample: 0 ms }'
  }
  const { record } = await run('rules: [{ fraction: 2 %, do: drop, until: 8 s }]', ring)
  t.is(record.lost, undefined)
  t.is(record.outcome, 'limit')
})
