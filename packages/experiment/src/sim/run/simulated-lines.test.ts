import { stepTime } from '@murmuration/algorithms'
import { InputError } from '@murmuration/core'
import test from 'ava'
import { scenarioOf } from '../scenario/scenario.test.support.js'
import { results } from './results.test.support.js'

const model = {
  task: '{ kind: mlp, hidden: [12, 9] }',
  data: '{ digits: 150 }',
  batch: '8',
  rounds: '6',
  pipeline: '{ splitSize: 2 }',
  computing: '{ perSample: 4 ms, perStep: 1 ms }'
}
const threeStages = (peers: number) => `{ graph: complete, stages: 3, peers: ${peers} }`

test('lines learn what peers with the whole model learn, keep what their algorithm keeps, and are reported as one', async (t) => {
  const { pipeline: _, ...unsplit } = model
  const whole = await scenarioOf({ ...unsplit, topology: '{ graph: complete, peers: [p1, p4] }' })
  const stages = await scenarioOf({
    ...model,
    topology: threeStages(6),
    methods: '[{ algorithm: dpsgd }, { algorithm: all-reduce }]'
  })
  const [peers] = await results(whole, () => true)
  const [lines, reduced] = await results(stages, () => true)
  for (const { record } of [lines, reduced]) {
    t.is(record.outcome, 'limit', record.reason)
    t.deepEqual(record.findings, [])
    t.is(record.rounds, 6)
    t.is(record.samples, peers.record.samples)
  }
  t.is(lines.record.curve.length, peers.record.curve.length)
  for (const [k, { loss }] of peers.record.curve.entries())
    t.true(Math.abs((lines.record.curve[k].loss ?? 0) - (loss ?? 0)) < 1e-5)
})

test('a round takes as long as the schedule says', async (t) => {
  for (const schedule of ['gpipe', '1f1b'] as const) {
    const links = '{ default: { latency: 3 ms } }'
    const topology = `{ graph: complete, stages: 3, peers: 3, links: ${links} }`
    const pipeline = `{ splitSize: 2, schedule: ${schedule} }`
    const [{ record }] = await results(await scenarioOf({ ...model, topology, pipeline }), () => true)
    const operations = [784 * 12 + 12, 12 * 9 + 9, 9 * 10 + 10]
    const sum = operations.reduce((left, right) => left + right)
    const times = operations.map((each, stage) => {
      const gradient = (8 * each) / sum
      return { forward: stage === 2 ? 0 : 1 + gradient / 3, backward: 1 + gradient }
    })
    const hop = { latency: 3, transfer: 0 }
    const { time } = stepTime({ schedule, stages: 3, microBatches: 4 }, times, [hop, hop])
    t.true(Math.abs(record.secondsPerRound * 1000 - time) < 1e-6, `${record.secondsPerRound * 1000}, expected ${time}`)
  }
})

test('means among the peers of a stage follow the links between them', async (t) => {
  const slow = '[{ between: [p1, p3], bandwidth: 2 Mbit/s }, { between: [p4, p6], bandwidth: 2 Mbit/s }]'
  const links = `{ default: { bandwidth: 100 Mbit/s }, pairs: ${slow} }`
  const scenario = await scenarioOf({
    ...model,
    topology: `{ graph: complete, stages: 2, peers: 8, links: ${links} }`,
    methods: '[{ algorithm: { name: all-reduce, collective: trees } }, { algorithm: all-reduce }]'
  })
  const [trees, ring] = await results(scenario, () => true)
  for (const { record } of [trees, ring]) {
    t.is(record.outcome, 'limit', record.reason)
    t.deepEqual(record.findings, [])
    t.is(record.rounds, 6)
  }
})

test('what a scenario with stages cannot do is refused', async (t) => {
  const refused = (lines: Readonly<Record<string, string>>, message: RegExp) =>
    t.throwsAsync(scenarioOf({ ...model, topology: threeStages(6), ...lines }), { instanceOf: InputError, message })
  await refused(
    { traffic: '{ size: 1 MB, tensors: 1 }' },
    /traffic: found traffic, expected none where the topology has stages/
  )
  await refused({ membership: '{}' }, /membership: found membership, expected none where the topology has stages/)
  await refused({ pipeline: '{ splitSize: 3 }' }, /splitSize: found 3, expected a divisor of batch, which is 8/)
  await refused({ topology: '{ graph: complete, peers: 6 }' }, /expected stages: here too/)
  await refused({ topology: threeStages(5) }, /found 3 stages and 5 peers, expected a multiple of 3/)
})
