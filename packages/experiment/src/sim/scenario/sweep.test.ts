import { peerName } from '@murmuration/core'
import test from 'ava'
import { TaskSets } from '../run/task-sets.js'
import { simulateRun } from '../run/run.js'
import { scenarioOf } from './scenario.test.support.js'
import { runCount, runsOf, settingsOf, topologyOf } from './sweep.js'

const [a, b] = ['a', 'b'].map(peerName)

test('every combination comes, in the order of the file, the last axis fastest', async (t) => {
  const scenario = await scenarioOf({
    vary: '{ latency: [1 ms, 20 ms], heterogeneity: [0, 2], bandwidth: [1 Mbit/s, 1 Gbit/s] }'
  })
  t.deepEqual(
    scenario.axes.map(({ name }) => name),
    ['latency', 'heterogeneity', 'bandwidth']
  )
  const settings = settingsOf(scenario)
  t.is(settings.length, 8)
  t.deepEqual(
    settings.slice(0, 3).map(({ values }) => values),
    [
      { latency: 1, heterogeneity: 0, bandwidth: 1e6 },
      { latency: 1, heterogeneity: 0, bandwidth: 1e9 },
      { latency: 1, heterogeneity: 2, bandwidth: 1e6 }
    ]
  )
  t.deepEqual(Object.keys(settings[0].values), ['latency', 'heterogeneity', 'bandwidth'])
  t.like(settings[2].learning.task, { heterogeneity: 2 })
})

test('without anything that varies there is one setting', async (t) => {
  const scenario = await scenarioOf()
  t.deepEqual(settingsOf(scenario), [
    { values: {}, topology: scenario.topology, learning: scenario.training, computing: scenario.computing }
  ])
})

test('what varies of the links is put into their default, and what is said of peers still wins', async (t) => {
  const scenario = await scenarioOf({
    topology: `{ graph: ring, peers: [a, b, c], links: { default: { up: 5 Mbit/s, loss: 1 % }, peers: { b: { latency: 9 ms } } } }`,
    vary: '{ up: [2 Mbit/s], bandwidth: [7 Mbit/s], latency: [1 ms], jitter: [3 ms], window: [64 KiB] }'
  })
  const [run] = runsOf(scenario)
  const { links } = topologyOf(scenario, run)
  t.deepEqual(links.access(a), { up: 2e6, down: 7e6 })
  t.deepEqual(links.path(a, peerName('c')), {
    latency: 1,
    jitter: 3,
    loss: 0.01,
    window: 65_536,
    bandwidth: Infinity,
    pipes: []
  })
  t.is(links.path(a, b).latency, 9)
})

test('where the bandwidth varies it is that of both directions, also beside a preset', async (t) => {
  for (const links of ['{ default: { up: 5 Mbit/s } }', '{ preset: home }']) {
    const scenario = await scenarioOf({
      topology: `{ graph: ring, peers: [a, b, c], links: ${links} }`,
      vary: '{ bandwidth: [7 Mbit/s] }'
    })
    t.deepEqual(topologyOf(scenario, runsOf(scenario)[0]).links.access(a), { up: 7e6, down: 7e6 })
  }
})

test('links vary by name, as a whole; other axes change their values, also where these come first', async (t) => {
  const scenario = await scenarioOf({
    topology: '{ graph: ring, peers: [a, b, c], links: { default: { latency: 5 ms, loss: 1 % } } }',
    vary: '{ latency: [1 ms, 9 ms], links: { office: { preset: lan }, homes: { preset: home, peers: { b: { latency: 20 ms } } } } }'
  })
  const runs = runsOf(scenario)
  t.deepEqual(
    runs.map(({ setting }) => setting.values),
    [
      { latency: 1, links: 'office' },
      { latency: 1, links: 'homes' },
      { latency: 9, links: 'office' },
      { latency: 9, links: 'homes' }
    ]
  )
  t.deepEqual(Object.keys(runs[0].setting.values), ['latency', 'links'])
  const [office, homes] = runs.slice(2).map((run) => topologyOf(scenario, run).links)
  const c = peerName('c')
  t.deepEqual(
    [office, homes].map((links) => links.access(a).up),
    [1e9, 2e7]
  )
  t.deepEqual(
    [office, homes].map((links) => links.path(a, c).latency),
    [9, 9]
  )
  t.deepEqual(
    [office, homes].map((links) => links.path(a, b).latency),
    [9, 20]
  )
  t.is(office.path(a, c).loss, 0, 'those of the topology are replaced')
  const timeline = await scenarioOf({
    vary: '{ links: { x: {}, y: { preset: wan } } }',
    timeline: '{ to: 1 s, at: { links: y } }'
  })
  t.like(timeline.timeline, { settings: { links: 'y' } })
})

test('peers, graphs and stragglers vary; results call them by name; a method may have a graph of its own', async (t) => {
  const scenario = await scenarioOf({
    topology: '{ graph: ring, peers: 3 }',
    vary: `
  peers: [4, 16]
  graph: [complete, { kind: random-regular, degree: 3, seed: 1 }]
  stragglers: [none, { kind: log-normal, sigma: 0.5 }, { kind: slow-now-and-then, fraction: 5 %, factor: 10 }]`,
    methods: '[{ algorithm: dpsgd }, { algorithm: dpsgd, graph: star }]'
  })
  const runs = runsOf(scenario)
  t.is(runs.length, 24)
  t.is(runCount(scenario), 24)
  t.deepEqual(runs[4].setting.values, { peers: 4, graph: 'complete', stragglers: '5 % of steps × 10' })
  t.deepEqual(runs.at(-1)?.setting.computing.stragglers, { kind: 'slow-now-and-then', fraction: 0.05, factor: 10 })
  const degrees = runs.slice(18, 20).map((run) => {
    const { topology } = topologyOf(scenario, run)
    return topology.peers.map((peer) => topology.mixing(peer, 0).sendTo.length)
  })
  t.is(runs[18].setting.values.graph, 'random-regular (degree 3, seed 1)')
  t.deepEqual(degrees, [Array.from({ length: 16 }, () => 3), [15, ...Array.from({ length: 15 }, () => 1)]])
})

test('graphs that look the same in tables are numbered', async (t) => {
  const edges = (list: string) => `{ kind: edges, edges: ${list} }`
  const scenario = await scenarioOf({
    vary: `{ graph: [${edges('[[a, b], [b, c]]')}, ${edges('[[a, c], [b, c]]')}] }`
  })
  t.deepEqual(
    settingsOf(scenario).map(({ values }) => values.graph),
    ['edges (2)', 'edges (2) (2)']
  )
})

test('for every setting every method, for each every seed; one interval is kept of those that were asked for', async (t) => {
  const scenario = await scenarioOf({
    vary: '{ latency: [1 ms, 2 ms] }',
    methods: '[{ algorithm: dpsgd }, { algorithm: sgd }]',
    seeds: '2',
    timeline: '{ methods: [SGD on one machine], from: 1 s, to: 2 s, at: { latency: 2 ms } }'
  })
  const runs = runsOf(scenario)
  t.deepEqual(
    runs.map(({ setting, method, seed }) => [setting.values.latency, method.label, seed]),
    [
      [1, 'D-PSGD', 1],
      [1, 'D-PSGD', 2],
      [1, 'SGD on one machine', 1],
      [1, 'SGD on one machine', 2],
      [2, 'D-PSGD', 1],
      [2, 'D-PSGD', 2],
      [2, 'SGD on one machine', 1],
      [2, 'SGD on one machine', 2]
    ]
  )
  t.deepEqual(
    runs.map(({ timeline }) => timeline),
    runs.map((_, index) => (index === 6 ? { from: 1000, to: 2000 } : undefined))
  )
})

test('links may speak of a server', async (t) => {
  const scenario = await scenarioOf({
    topology: '{ graph: ring, peers: [a, b, c], links: { preset: home, peers: { server: { bandwidth: 1 Gbit/s } } } }',
    methods: '[{ algorithm: dpsgd }, { algorithm: parameter-server }]'
  })
  for (const run of runsOf(scenario)) {
    t.deepEqual(topologyOf(scenario, run).links.access(peerName('server')), { up: 1e9, down: 1e9 })
  }
})

test('a rate that varies is that of all methods but those that have one of their own', async (t) => {
  const [first, own, second, same] = await lossesOf({
    vary: '{ rate: [0.001, 0.002] }',
    methods: '[{ algorithm: dpsgd }, { algorithm: dpsgd, rate: { initial: 0.003 } }]'
  })
  t.is(own, same)
  t.true(first > second && second > own)
})

test('a rate may be multiplied by the number of peers (Goyal et al. 2017), or divided by it', async (t) => {
  const rates = ['{ initial: 0.003 }', '{ initial: 0.001, scale: peers }', '{ initial: 0.009, scale: 1/peers }']
  const methods = `[${rates.map((rate) => `{ algorithm: dpsgd, rate: ${rate} }`).join(', ')}]`
  const [plain, multiplied, divided] = await lossesOf({ methods })
  t.true(Math.abs(multiplied / plain - 1) < 1e-6)
  t.true(Math.abs(divided / plain - 1) < 1e-6)
})

/** The losses after one round of every run of a scenario of three peers. */
async function lossesOf(lines: Readonly<Record<string, string>>): Promise<readonly number[]> {
  const scenario = await scenarioOf({ ...lines, rounds: '1' })
  const taskSets = new TaskSets(1)
  const losses: number[] = []
  for (const run of runsOf(scenario)) {
    const taskSet = await taskSets.of(run.setting.learning, topologyOf(scenario, run).topology.peers, run.seed)
    const { record } = await simulateRun(scenario, run, taskSet, () => 0)
    losses.push(record.curve[record.curve.length - 1].loss)
  }
  return losses
}
