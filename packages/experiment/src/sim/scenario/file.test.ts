import { writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { InputError, peerName } from '@murmuration/core'
import { measuredNetwork } from '@murmuration/simulator'
import test from 'ava'
import { fileOf, scenarioOf, textOf } from './scenario.test.support.js'
import { readScenario } from './file.js'

const [a, b, c] = ['a', 'b', 'c'].map(peerName)

test('four lines are a scenario; the network is the measured one', async (t) => {
  const path = await fileOf(textOf())
  const scenario = await readScenario(path)
  t.like(scenario, { path, text: textOf(), title: 'Three', description: '', seeds: [1], evaluate: 1, axes: [] })
  t.deepEqual(scenario.network, measuredNetwork)
  t.deepEqual(scenario.stop, {})
  t.is(scenario.training.rounds, 400)
  t.deepEqual(scenario.computing, { perSample: 1, perStep: 0, slow: {}, stragglers: { kind: 'none' } })
  t.deepEqual(scenario.training.rate, { initial: 0.1, warmup: 20, decay: 'cosine', scale: 'none' })
  t.is(scenario.training.timeout, 3_600_000)
  t.is(scenario.timeline, undefined)
  t.is(scenario.traffic, undefined)
  t.deepEqual(structuredClone(scenario), scenario, 'it can be sent to a thread')
})

test('a topology file is found from where the scenario is, and data too', async (t) => {
  const path = await fileOf(textOf({ topology: 't.yaml', task: 'softmax', data: '{ path: data/x.csv }' }))
  await writeFile(join(dirname(path), 't.yaml'), 'graph: ring\npeers: [x, y]\n')
  const { topology, training } = await readScenario(path)
  t.deepEqual<unknown, unknown>(topology.peers, ['x', 'y'])
  t.like(training, { task: { kind: 'softmax' }, data: { path: join(dirname(path), 'data/x.csv') } })
})

test('what is wrong in a topology file is told by its own lines', async (t) => {
  const path = await fileOf(textOf({ topology: 't.yaml' }))
  const topology = join(dirname(path), 't.yaml')
  await writeFile(topology, 'graph: hypercube\npeers: 3\n')
  const message = new RegExp(`^${topology}:1:8: graph\\.kind: found 3 peers, expected a power of two`)
  await t.throwsAsync(readScenario(path), { instanceOf: InputError, message })
})

test('a method has the training of all, but for what it says otherwise', async (t) => {
  const { methods } = await scenarioOf({
    batch: '8',
    rate: '{ initial: 0.2, warmup: 3, decay: constant }',
    methods: '[{ algorithm: sgd }, { algorithm: dpsgd, batch: 64, rate: { initial: 0.4, decay: cosine } }]'
  })
  t.like(methods[0].training, { batch: 8, rate: { initial: 0.2, warmup: 3, decay: 'constant' } })
  t.like(methods[1].training, { batch: 64, rate: { initial: 0.4, warmup: 3, decay: 'cosine' } })
})

test('rounds are without end where there is a time and nothing else', async (t) => {
  const endless = await scenarioOf({ stop: '{ time: 10 s }', rate: '{ decay: constant }' })
  t.deepEqual(endless.stop, { time: 10_000 })
  t.is(endless.training.rounds, 1e9)
  const bounded = await scenarioOf({ rounds: '7', stop: '{ time: 10 s, loss: 0.5 }' })
  t.deepEqual(bounded.stop, { loss: 0.5, time: 10_000 })
  t.is(bounded.training.rounds, 7)
})

test('seeds are as many as a number says, or those of a list', async (t) => {
  t.deepEqual((await scenarioOf({ seeds: '3' })).seeds, [1, 2, 3])
  t.deepEqual((await scenarioOf({ seeds: '[7, 0]' })).seeds, [7, 0])
})

test('faults come out as the simulator takes them', async (t) => {
  const { faults } = await scenarioOf({
    faults: `
  rules:
    - { from: a, to: b, after: 1 s, until: 2 s, fraction: 10 %, do: delay, by: 50 ms }
    - { do: pass }
  events:
    - { at: 10 s, do: freeze, peer: c }
    - { at: 11 s, do: thaw, peer: c }
    - { at: 12 s, do: partition, groups: [[a, b], [c]] }
    - { at: 13 s, do: heal }
    - { at: 14 s, do: skew, peer: a, factor: 1.5 }
  random: { crashes: 2, within: 60 s }`
  })
  t.deepEqual(faults, {
    rules: [{ from: a, to: b, after: 1000, until: 2000, fraction: 0.1, verdict: { delay: 50 } }, { verdict: 'pass' }],
    events: [
      { at: 10_000, kind: 'freeze', peer: c },
      { at: 11_000, kind: 'thaw', peer: c },
      { at: 12_000, kind: 'partition', groups: [[a, b], [c]] },
      { at: 13_000, kind: 'heal' },
      { at: 14_000, kind: 'skew', peer: a, factor: 1.5 }
    ],
    random: { crashes: 2, freezes: 0, partitions: 0, clogs: 0, within: 60_000 }
  })
})

test('a timeline is of the first setting and seed unless it says which', async (t) => {
  const lines = { vary: '{ latency: [1 ms, 2 ms], graph: [ring, complete] }', seeds: '[4, 5]' }
  const first = await scenarioOf({ ...lines, timeline: '{ to: 2 s }' })
  t.deepEqual(first.timeline, {
    methods: ['D-PSGD'],
    from: 0,
    to: 2000,
    settings: { latency: 1, graph: 'ring' },
    seed: 4
  })
  const other = await scenarioOf({ ...lines, timeline: '{ to: 2 s, at: { graph: complete, seed: 5 } }' })
  t.like(other.timeline, { settings: { latency: 1, graph: 'complete' }, seed: 5 })
})

test('a codec of the scenario is refused where a method needs exact links, unless the method has its own', async (t) => {
  const codec = 'delta-int4'
  const message = /methods\[1\]: Gradient tracking needs codec float32, and found delta-int4: /
  await t.throwsAsync(scenarioOf({ codec, methods: '[{ algorithm: dpsgd }, { algorithm: gradient-tracking }]' }), {
    message
  })
  const methods = '[{ algorithm: dpsgd }, { algorithm: gradient-tracking, codec: float32 }]'
  await t.notThrowsAsync(scenarioOf({ codec, methods }))
})
