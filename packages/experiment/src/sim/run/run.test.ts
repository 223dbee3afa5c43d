import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { InputError, type Task } from '@murmuration/core'
import type { TaskSet } from '@murmuration/tasks'
import test from 'ava'
import { TaskSets } from './task-sets.js'
import { type RunResult, simulateRun } from './run.js'
import { differenceOf, runAll } from '../sweep/run-all.js'
import type { Scenario } from '../scenario/scenario.js'
import { scenarioOf } from '../scenario/scenario.test.support.js'
import { runsOf, topologyOf } from '../scenario/sweep.js'

const methods = `[
  { algorithm: dpsgd }, { algorithm: { name: dpsgd, order: adapt-then-combine }, fusion: per-tensor },
  { algorithm: parameter-server }, { algorithm: { name: parameter-server, calls: blocking, fusion: per-tensor }, on: workers },
  { algorithm: async-parameter-server, rate: { initial: 0.01 } }, { algorithm: { name: stale-synchronous, staleness: 2 } },
  { algorithm: all-reduce }, { algorithm: { name: all-reduce, collective: halving-doubling, fusion: per-tensor, calls: blocking } },
  { algorithm: { name: all-reduce, collective: direct } }, { algorithm: { name: local-sgd, period: 4 } }, { algorithm: sgd }
]`

const lines = {
  task: '{ kind: quadratic, noise: 0.1 }',
  traffic: '{ tensors: [500, 1000, 2500] }',
  batch: '8',
  optimiser: 'sgd',
  weightDecay: '0',
  rate: '{ initial: 0.1, decay: constant }',
  topology:
    '{ graph: ring, peers: [a, b, c], links: { default: { bandwidth: 10 Mbit/s, latency: 5 ms, jitter: 1 ms } } }',
  computing: '{ perStep: 3 ms, stragglers: { kind: log-normal, sigma: 0.5 } }',
  rounds: '30',
  methods
}

async function everyRun(scenario: Scenario, change: (taskSet: TaskSet) => TaskSet = (taskSet) => taskSet) {
  const taskSets = new TaskSets(4)
  const results: RunResult[] = []
  for (const run of runsOf(scenario)) {
    const taskSet = await taskSets.of(run.setting.learning, topologyOf(scenario, run).topology.peers, run.seed)
    results.push(await simulateRun(scenario, run, change(taskSet), () => 0))
  }
  return results
}

test('a kernel machine ends its runs, pair by pair or by blocks', async (t) => {
  const scenario = await scenarioOf({
    topology: '{ graph: ring, peers: 3, links: { default: { bandwidth: 20 Mbit/s, latency: 10 ms } } }',
    task: '{ kind: svm, kernel: { rbf: { gamma: 0.02 } } }',
    data: '{ gaussians: 200 }',
    computing: '{ perStep: 0 ms, perSample: 0.01 ms }',
    rounds: '2000',
    methods: '[{ algorithm: svm-blocks }, { algorithm: { name: svm-blocks, block: 2, eliminate: { first: 0.05 } } }]'
  })
  const [blocks, pairs] = (await everyRun(scenario)).map(({ record }) => record)
  for (const { findings, ended, curve } of [blocks, pairs]) {
    t.deepEqual(findings, [])
    t.is(ended, 'SVM blocks is done')
    t.true(Math.abs((curve.at(-1)?.loss ?? 0) / (blocks.curve.at(-1)?.loss ?? 1) - 1) < 0.01)
  }
  t.true(pairs.seconds > 10 * blocks.seconds, `${pairs.seconds} and ${blocks.seconds}`)
})

test('every method trains, keeps its promises, and does the same again, event by event', async (t) => {
  const scenario = await scenarioOf(lines)
  const once = await everyRun(scenario)
  const again = await everyRun(scenario)
  for (const [index, { record }] of once.entries()) {
    t.deepEqual(record.findings, [], record.method)
    t.is(record.outcome, 'limit', record.reason)
    t.is(record.rounds, 30)
    const first = record.curve[0]
    const last = record.curve[record.curve.length - 1]
    t.true(last.loss < first.loss / 3, `${record.method}: ${first.loss} to ${last.loss}`)
    const { working, sending, waiting } = record.time
    t.true(Math.abs(working + sending + waiting - 1) < 1e-9)
    t.true(record.payloadSent <= record.bytesSent && record.busiest.bytes <= 2 * record.bytesSent)
    t.not(record, again[index].record)
    t.deepEqual(differenceOf(once[index], again[index]), [])
    t.deepEqual(again[index].record, record)
  }
})

test('a codec has a label, sends fewer bytes and is over sooner, and the model still comes near its optimum', async (t) => {
  const { traffic: _, ...rest } = lines
  const codecs = '[{ algorithm: dpsgd }, { algorithm: dpsgd, codec: delta-int8 }]'
  const task = '{ kind: quadratic, dimension: 200 }'
  const [plain, coded] = (await everyRun(await scenarioOf({ ...rest, task, methods: codecs }))).map(
    ({ record }) => record
  )
  t.is(coded.method, 'D-PSGD (delta-int8)')
  // The first vector of each link is sent raw.
  t.true(coded.payloadSent < 0.35 * plain.payloadSent, `${coded.payloadSent} of ${plain.payloadSent} bytes`)
  const [end, own] = [plain, coded].map(({ curve }) => curve[curve.length - 1])
  t.true(own.seconds < end.seconds, `${own.seconds} s, ${end.seconds} s`)
  t.true(Math.abs(own.loss - end.loss) < 0.01 * end.loss, `${own.loss}, ${end.loss}`)
})

test('the layers of named traffic are summed while the rest of a gradient is computed, with the same bits', async (t) => {
  const of = (fusion: string) =>
    `{ algorithm: { name: all-reduce, collective: direct, fusion: ${fusion}, calls: blocking } }`
  const scenario = await scenarioOf({
    task: '{ kind: quadratic, dimension: 60 }',
    traffic: 'vgg-a',
    topology: '{ graph: ring, peers: [a, b, c], links: { default: { bandwidth: 10 Gbit/s } } }',
    network: '{ efficiency: 100 %, acknowledgements: 0 % }',
    computing: '{ perSample: 0 ms, perStep: 900 ms }',
    rounds: '3',
    methods: `[${of('per-tensor')}, ${of('fused')}]`
  })
  const [layered, fused] = (await everyRun(scenario)).map(({ record }) => record)
  t.deepEqual([layered.findings, fused.findings], [[], []])
  t.is(layered.curve.at(-1)?.loss, fused.curve.at(-1)?.loss)
  // Sums take about 567 ms; the layers that have nearly all numbers are ready first.
  t.true(fused.secondsPerRound > 1.4 && layered.secondsPerRound < 1, `${layered.secondsPerRound} s`)
})

test('another seed is another run', async (t) => {
  const [first, second] = await everyRun(await scenarioOf({ ...lines, methods: '[{ algorithm: dpsgd }]', seeds: '2' }))
  t.not(first.record.logHash, second.record.logHash)
})

test('threads change nothing: the same scenario on one and on three gives the same records', async (t) => {
  const scenario = await scenarioOf({ ...lines, seeds: '2' })
  const options = { onRun: () => {}, keep: () => {}, signal: new AbortController().signal }
  const one = await runAll(scenario, { ...options, threads: 1 })
  const three = await runAll(scenario, { ...options, threads: 3 })
  const plain = ({ results }: typeof one) => results.map(({ record }) => ({ ...record, realSeconds: 0 }))
  t.is(one.results.length, 22)
  t.deepEqual(plain(one), plain(three))
  t.deepEqual([one.repeated, one.results.flatMap(({ record }) => record.findings)], [2, []])
})

test('a canary that must fail: a task that does not do the same twice is found out, with the place', async (t) => {
  let calls = 0
  const unsteady = (task: Task): Task => ({
    ...task,
    schema: task.schema,
    samples: task.samples,
    initialise: (seed) => task.initialise(seed),
    evaluate: (parameters) => task.evaluate(parameters),
    gradient: (parameters, batch) => {
      const work = task.gradient(parameters, batch)
      return {
        ...work,
        samples: work.samples,
        kind: work.kind,
        run: async () => {
          const { loss, vector } = await work.run()
          return { loss, vector: vector.map((value) => value * (1 + 1e-6 * calls++)) }
        }
      }
    }
  })
  const scenario = await scenarioOf({ ...lines, methods: '[{ algorithm: dpsgd }]' })
  const change = (taskSet: TaskSet): TaskSet => ({ ...taskSet, of: (peer) => unsteady(taskSet.of(peer)) })
  const [first] = await everyRun(scenario, change)
  const [second] = await everyRun(scenario, change)
  t.regex(differenceOf(first, second)[0], /gave another result, first at evaluation 1: /)
})

test('a peer that is gone for good ends the central ways with its name, and gossip goes on', async (t) => {
  const scenario = await scenarioOf({
    ...lines,
    topology: '{ graph: complete, peers: [a, b, c] }',
    batch: '8',
    optimiser: 'sgd',
    weightDecay: '0',
    rate: '{ initial: 0.1, decay: constant }',
    timeout: '10 s',
    methods: '[{ algorithm: dpsgd }, { algorithm: all-reduce }, { algorithm: parameter-server }]',
    faults: '{ events: [{ at: 20 ms, do: crash, peer: c }] }'
  })
  const [gossip, allReduce, server] = (await everyRun(scenario)).map(({ record }) => record)
  t.is(gossip.outcome, 'limit', gossip.reason)
  for (const record of [allReduce, server]) {
    t.is(record.outcome, 'failed')
    t.regex(record.reason ?? '', /\bc\b/)
  }
})

test('a run that a crash ends says who has crashed, which rows are lost, and what would help', async (t) => {
  const { traffic: _, ...plain } = lines
  const reasonOf = async (method: string, more: Readonly<Record<string, string>> = {}) => {
    const faults = '{ events: [{ at: 300 ms, do: crash, peer: c }] }'
    const scenario = await scenarioOf({ ...plain, timeout: '1 s', methods: `[${method}]`, faults, ...more })
    const [{ record }] = await everyRun(scenario)
    t.is(record.outcome, 'failed')
    return record.reason ?? ''
  }
  t.regex(
    await reasonOf('parameter-server'),
    /; c has crashed; with "membership: \{\}" in the scenario the others would continue in a new epoch$/
  )
  const stop = { membership: '{ onLoss: stop }' }
  t.regex(await reasonOf('all-reduce', stop), /; c has crashed; the file says "onLoss: stop"$/)
  const rows = {
    task: '{ kind: matrix-factorisation, users: 60, items: 40, ratings: 2000, rank: 2 }',
    rate: '{ initial: 0.05, decay: constant }'
  }
  const reason = await reasonOf('petuum', { ...rows, membership: '{}' })
  t.regex(reason, /; c held, or was the home of, \d+ of 100 rows: [\d, to…]+; c has crashed; Petuum needs every peer$/)
  t.notRegex(reason, /[ab] held/)
  const moved = await reasonOf('lapse', rows)
  t.regex(moved, /; c held, or was the home of, \d+ of 100 rows: [\d, to…]+; c has crashed; Lapse needs every peer$/)
})

test('a run that continues after a crash records the epoch: when, in which round, without whom', async (t) => {
  const { traffic: _, ...plain } = lines
  const faults = '{ events: [{ at: 800 ms, do: crash, peer: c }] }'
  const membership = '{}'
  const all = { ...plain, rounds: '60', timeout: '1 s', methods: '[all-reduce, dpsgd]', faults, membership }
  const [allReduce, gossip] = (await everyRun(await scenarioOf(all))).map(({ record }) => record)
  t.is(allReduce.outcome, 'limit', allReduce.reason)
  const { epochs = [] } = allReduce
  t.is(epochs.length, 1)
  t.like(epochs[0], { epoch: 1, members: ['a', 'b'], lost: ['c'], joined: [] })
  const [{ seconds, round }] = epochs
  t.true(seconds > 0.8 && seconds < 3, `${seconds} s`)
  t.true(round > 0 && round < 60, `round ${round}`)
  t.false('epochs' in gossip)
})

test('a run whose peers give up has failed, also if others have left before, and it ends', async (t) => {
  const alone = {
    ...lines,
    topology: '{ graph: ring, peers: [a, b, c, d, e] }',
    timeout: '1 s',
    stop: '{ time: 10 min }',
    faults: `{ events: [
      { at: 0 ms, do: crash, peer: c }, { at: 0 ms, do: crash, peer: e }, { at: 50 ms, do: leave, peer: b }, { at: 50 ms, do: leave, peer: d }
    ] }`
  }
  const [tracking] = await everyRun(await scenarioOf({ ...alone, methods: '[{ algorithm: gradient-tracking }]' }))
  t.is(tracking.record.outcome, 'failed')
  t.regex(tracking.record.reason ?? '', /^a waited 1000 ms for the pair of e in round 0/)
  const [gossip] = await everyRun(await scenarioOf({ ...alone, membership: '{}', methods: '[{ algorithm: dpsgd }]' }))
  t.is(gossip.record.outcome, 'failed')
  t.regex(gossip.record.reason ?? '', /^a has waited 300 s for the run to begin; missing: /)
  t.true(gossip.record.seconds < 302, `${gossip.record.seconds} s`)
})

test('copies that drift apart under a compressor that it cannot take end a run as diverged, and violate no invariant', async (t) => {
  const compressors = [
    '{ name: qsgd, levels: 1, unbiased: true }',
    '{ name: random-k, fraction: 0.000001, unbiased: true }'
  ]
  const texts = compressors.flatMap((compressor) =>
    ['choco', 'motef', 'dcd-psgd'].map((name) => `{ algorithm: { name: ${name}, compressor: ${compressor} } }`)
  )
  const { traffic: _, ...trained } = lines
  const changes = { topology: '{ graph: complete, peers: 6 }', rounds: '300', evaluate: '20' }
  const found = await everyRun(await scenarioOf({ ...trained, ...changes, methods: `[${texts.join(', ')}]` }))
  for (const { record } of found) {
    t.deepEqual(record.findings, [], record.method)
    t.is(record.outcome, 'failed', record.method)
    t.regex(record.reason ?? '', /^training diverged in round \d+: the loss rose from .*, or compress less$/)
  }
})

test('where large values of a table made training diverge, their column is named, and scaled it does not diverge', async (t) => {
  const rows = Array.from({ length: 60 }, (_, k) => `${1e12 + 1e10 * k},${k % 5},${k < 30 ? 0 : 1}`)
  const path = join(await mkdtemp(join(tmpdir(), 'murmur-large-')), 'large.csv')
  await writeFile(path, `when,size,label\n${rows.join('\n')}\n`)
  const { traffic: _, ...rest } = { ...lines, task: 'softmax', methods: '[dpsgd]' }
  const [plain, scaled] = await Promise.all(
    [`{ path: ${path} }`, `{ path: ${path}, scale: standard }`].map(async (data) => {
      const [{ record }] = await everyRun(await scenarioOf({ ...rest, data }))
      return record
    })
  )
  t.is(plain.outcome, 'failed')
  t.regex(plain.reason ?? '', /diverged .*; lower the rate; column "when" has values from .*scale: standard/)
  t.is(scaled.outcome, 'limit', scaled.reason)
  t.true(scaled.curve[scaled.curve.length - 1].loss < 0.5)
})

test('a run whose peers all crash or leave has failed', async (t) => {
  for (const action of ['crash', 'leave']) {
    const events = ['a', 'b', 'c'].map((peer) => `{ at: 20 ms, do: ${action}, peer: ${peer} }`)
    const faults = `{ events: [${events.join(', ')}] }`
    const [{ record }] = await everyRun(await scenarioOf({ ...lines, faults, methods: '[{ algorithm: dpsgd }]' }))
    t.is(record.outcome, 'failed')
    t.is(record.reason, 'no peer reached its last round: all have crashed or left')
  }
})

test('DiLoCo and its kin take an outer step at the end of a run that is shorter than the period', async (t) => {
  const methods = `[
    { algorithm: diloco }, { algorithm: quantised-diloco }, { algorithm: noloco }, { algorithm: gasloc },
    { algorithm: { name: sparseloco, compressor: { name: top-k, fraction: 1 } } }, { algorithm: { name: async-diloco, period: 40 } }
  ]`
  const { traffic: _, ...trained } = lines
  for (const { record } of await everyRun(await scenarioOf({ ...trained, methods }))) {
    const first = record.curve[0]
    const last = record.curve[record.curve.length - 1]
    t.true(last.loss < first.loss / 3, `${record.method}: ${first.loss} to ${last.loss}`)
  }
})

test('a peer that froze for longer than the others wait gives up, and they go on without it', async (t) => {
  const scenario = await scenarioOf({
    ...lines,
    topology: '{ graph: complete, peers: [a, b, c] }',
    computing: '{ perStep: 10 ms }',
    timeout: '100 ms',
    methods: '[{ algorithm: dpsgd }, { algorithm: all-reduce }]',
    faults: '{ events: [{ at: 20 ms, do: freeze, peer: c }, { at: 1 s, do: thaw, peer: c }] }',
    rounds: '300'
  })
  const [gossip, allReduce] = (await everyRun(scenario)).map(({ record }) => record)
  t.is(gossip.outcome, 'limit', gossip.reason)
  t.is(gossip.lost?.length, 1)
  t.regex(gossip.lost?.[0] ?? '', /^c received nothing from a, b in round \d+/)
  t.deepEqual(Object.keys(gossip.models ?? {}).sort(), ['a', 'b', 'c'])
  t.is(allReduce.outcome, 'failed')
  t.is(allReduce.lost, undefined)
})

test('the target ends a run, and says what it took', async (t) => {
  const [{ record }] = await everyRun(
    await scenarioOf({ ...lines, methods: '[{ algorithm: dpsgd }]', rounds: '500', stop: '{ loss: 5 }' })
  )
  t.is(record.outcome, 'target')
  t.is(record.toTarget?.seconds, record.curve.at(-1)?.seconds)
  t.true((record.curve.at(-1)?.loss ?? Infinity) <= 5)
  t.true(record.curve.slice(0, -1).every(({ loss }) => loss > 5))
})

test('a timeline is kept of the runs that ask for it', async (t) => {
  const results = await everyRun(
    await scenarioOf({
      ...lines,
      methods: '[{ algorithm: dpsgd }, { algorithm: sgd }]',
      timeline: '{ to: 50 ms, methods: [D-PSGD] }'
    })
  )
  t.deepEqual(
    results.map(({ timeline }) => timeline?.method),
    ['D-PSGD', undefined]
  )
  const [{ timeline }] = results
  t.deepEqual(timeline?.peers, ['a', 'b', 'c'])
  t.true(timeline !== undefined && timeline.spans.length > 3 && timeline.messages.length > 6)
  t.true(timeline?.messages.every(({ sent, arrived }) => arrived > sent && sent <= 0.05))
})

test('what a crashed peer had is not in the mean of the others', async (t) => {
  const [{ record }] = await everyRun(
    await scenarioOf({
      ...lines,
      topology: '{ graph: complete, peers: [a, b, c] }',
      task: 'quadratic',
      batch: '8',
      optimiser: 'sgd',
      weightDecay: '0',
      rate: '{ initial: 0.1, decay: constant }',
      timeout: '10 s',
      rounds: '200',
      methods: '[{ algorithm: dpsgd }]',
      faults: '{ events: [{ at: 100 ms, do: crash, peer: c }] }'
    })
  )
  // Without noise and heterogeneity the remaining two reach the optimum; the parameters of the lost peer would stay far
  // from it.
  const last = record.curve.at(-1)
  t.true((last?.loss ?? Infinity) < 1e-6, `${last?.loss}`)
  t.true((last?.consensusDistance ?? Infinity) < 1e-3)
})

const ofSvm = {
  task: '{ kind: svm, loss: hinge, l2: 0.01 }',
  data: '{ gaussians: 400, features: 6 }',
  weightDecay: '0',
  optimiser: 'sgd',
  rounds: '20',
  evaluate: '5',
  computing: '{ perStep: 1 ms, perSample: 0.1 ms }',
  topology: '{ graph: ring, peers: [a, b, c, d, e] }',
  methods: '[{ algorithm: cola }]'
}

test('with dual ascent the curve has the duality gap, and every dual step takes time', async (t) => {
  const [{ record }] = await everyRun(
    await scenarioOf({ ...ofSvm, topology: '{ graph: complete, peers: [a, b, c, d, e] }' })
  )
  t.is(record.outcome, 'limit', record.reason)
  t.deepEqual(record.findings, [])
  const gaps = record.curve.map(({ gap }) => gap ?? Number.NaN)
  t.true(gaps[0] > gaps[3] && gaps[3] > 0 && gaps[3] < 0.01, `${gaps}`)
  // 320 samples on five peers, ten passes.
  t.is(record.samples, 20 * 10 * 320)
  t.true(record.seconds > 20 * (10 * 64 * 0.0001), `${record.seconds} s`)
})

test('after a crash the peers that are left begin the ascent again, and reach their own optimum', async (t) => {
  const faults = '{ events: [{ at: 500 ms, do: crash, peer: c }] }'
  const given = { ...ofSvm, membership: '{}', timeout: '2 s', rounds: '60', faults }
  const [{ record }] = await everyRun(await scenarioOf(given))
  t.is(record.outcome, 'limit', record.reason)
  t.deepEqual(record.findings, [])
  t.deepEqual(
    record.epochs?.map(({ lost }) => lost),
    [['c']]
  )
  const [whole] = await everyRun(await scenarioOf({ ...given, faults: '{ events: [] }' }))
  const [last, expected] = [record, whole.record].map(({ curve }) => curve.at(-1)?.loss ?? Number.NaN)
  t.true(Math.abs(last - expected) < 0.05 * expected, `${last}, with all peers ${expected}`)
  t.is(record.curve.at(-1)?.gap, undefined, 'a lost peer tells no part of the gap')
})

test('peers end training in a simulation once their duality gap is small, also those that a crash leaves', async (t) => {
  const given = { ...ofSvm, membership: '{}', timeout: '2 s', rounds: '400', stop: '{ peers: { gap: 0.02 } }' }
  const rounds: number[] = []
  for (const events of ['[]', '[{ at: 500 ms, do: crash, peer: c }]']) {
    const [{ record }] = await everyRun(await scenarioOf({ ...given, faults: `{ events: ${events} }` }))
    t.regex(record.ended ?? '', /^the duality gap is 0\.0\d+, and 0\.02 is small enough$/)
    t.deepEqual([record.outcome, record.findings], ['limit', []], record.reason)
    t.true((record.curve.at(-1)?.loss ?? 1) < 0.2, `${record.curve.at(-1)?.loss}`)
    rounds.push(record.rounds)
  }
  t.true(rounds[0] < 399 && rounds[1] < 399, `${rounds}`)
  const message =
    /stop\.peers: found a rule, expected none: D-PSGD has no duality gap; omit gap, or choose an algorithm that has one/
  await t.throwsAsync(scenarioOf({ ...given, methods: '[cola, dpsgd]' }), { instanceOf: InputError, message })
})

test('peers that agree to end training do so in a simulation too, and the record says after how many rounds', async (t) => {
  const stopping = {
    ...lines,
    rounds: '400',
    stop: '{ peers: { loss: 0.001 } }',
    methods: '[dpsgd, all-reduce, parameter-server, { algorithm: { name: local-sgd, period: 7 } }]'
  }
  const scenario = await scenarioOf(stopping)
  for (const { record } of await everyRun(scenario)) {
    t.true(record.rounds > 20 && record.rounds < 399 && Number.isInteger(record.rounds), `${record.rounds}`)
    t.regex(record.ended ?? '', /^the peers' median loss is 0\.000.*, and 0\.001 is low enough$/)
    t.deepEqual([record.outcome, record.findings], ['limit', []])
  }
  await t.throwsAsync(scenarioOf({ ...stopping, methods: '[ad-psgd]' }), {
    instanceOf: InputError,
    message: /stop\.peers: found a rule, expected none: AD-PSGD is asynchronous: each peer counts its own rounds/
  })
})
