import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { InputError, peerName } from '@murmuration/core'
import { buildTaskHere } from '@murmuration/tasks'
import { contraction, createTopology } from '@murmuration/topology'
import test from 'ava'
import { optionsOn } from '@murmuration/algorithms'
import { uniformLinks } from '@murmuration/simulator'
import { recordNamed } from './algorithm-choice.js'
import { makePlan } from '../make-plan.js'
import { epochSettings } from './epoch-settings.js'
import { lossTexts, sampleTexts, taskOf } from './plan.js'

test('local data need weights that favour nobody', async (t) => {
  const topology = join(await mkdtemp(join(tmpdir(), 'murmur-plan-')), 'star.yaml')
  await writeFile(topology, 'graph: star\nweights: uniform\npeers: [a, b, c]\n')
  const message = /does not preserve the mean.*"weights: metropolis".*partition "local"/s
  for (const partition of ['local', 'local:per-peer']) {
    await t.throwsAsync(makePlan({ topology, partition }), { instanceOf: InputError, message })
  }
  await t.notThrowsAsync(makePlan({ topology, partition: 'equal' }))
  await writeFile(topology, 'graph: star\npeers: [a, b, c]\n')
  await t.notThrowsAsync(makePlan({ topology, partition: 'local' }))
})

test('a quorum of more peers than there are is told with its place, in membership and in an algorithm', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'murmur-plan-'))
  const topology = join(folder, 'two.yaml')
  const train = join(folder, 'train.yaml')
  await writeFile(topology, 'graph: complete\npeers: [a, b, { name: s, role: server }]\n')
  await writeFile(train, 'membership: { quorum: 3 }\n')
  const message = /train\.yaml:1:23: membership\.quorum: found 3, expected at most 2, the number of peers$/
  await t.throwsAsync(makePlan({ topology, train }), { instanceOf: InputError, message })
  await writeFile(train, 'algorithm: { name: decoupled-diloco, quorum: 3 }\n')
  const ofWorkers = /Decoupled DiLoCo needs 3 workers with these options, and found 2; lower the quorum$/
  await t.throwsAsync(makePlan({ topology, train }), { instanceOf: InputError, message: ofWorkers })
})

test('a rule for the end is refused where peers count their own rounds, and reaches all peers otherwise', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'murmur-plan-'))
  const topology = join(folder, 'ring.yaml')
  const train = join(folder, 'train.yaml')
  const planWith = async (algorithm: string, peers = 'peers: [a, b, c, d, e]', rest = '', stop = 'loss: 0.1') => {
    await writeFile(topology, `graph: ring\n${peers}\n`)
    await writeFile(train, `stop: { ${stop} }\nalgorithm: ${algorithm}\n${rest}`)
    return makePlan({ topology, train })
  }
  const served = 'peers: [a, b, { name: s, role: server }]'
  t.deepEqual((await planWith('dpsgd')).options.stop, { loss: 0.1, every: 20, hops: 2 })
  t.is((await planWith('all-reduce')).options.stop?.hops, 1)
  t.is((await planWith('parameter-server', served)).options.stop?.hops, 2)
  t.is((await planWith('dpsgd', undefined, 'rounds: 10000')).options.stop?.every, 100)
  const { options, file, training } = await planWith('cola', undefined, 'task: svm', 'gap: 0.01')
  t.like(options.stop, { gap: 0.01, every: 20, hops: 2, contraction: contraction(file.topology).perRound })
  const other = createTopology({ peers: file.topology.peers, graph: { kind: 'complete' } })
  const { stop } = epochSettings(training, file).on?.(other) ?? {}
  t.like(
    stop,
    { gap: 0.01, every: 20, hops: 1, contraction: contraction(other).perRound },
    'of an epoch with this graph'
  )
  await t.throwsAsync(planWith('dpsgd', undefined, undefined, 'gap: 0.01'), {
    instanceOf: InputError,
    message: /ring\.yaml: stop: D-PSGD has no duality gap; omit gap, or choose an algorithm that has one: cola$/
  })
  for (const [name, peers, reason] of [
    ['ad-psgd', undefined, /ring\.yaml: stop: AD-PSGD is asynchronous: each peer counts its own rounds/],
    ['async-parameter-server', served, /ring\.yaml: stop: .* is asynchronous/],
    ['lapse', undefined, /ring\.yaml: stop: Lapse has keyed rows, whose workers train all rounds; omit stop/]
  ] as const) {
    const rest = name === 'lapse' ? 'task: matrix-factorisation\noptimiser: sgd\nweightDecay: 0' : ''
    await t.throwsAsync(planWith(name, peers, rest), { instanceOf: InputError, message: reason }, name)
  }
})

test("a scenario's method on real peers says what it does not obey", async (t) => {
  const path = join(await mkdtemp(join(tmpdir(), 'murmur-plan-')), 'scenario.yaml')
  const text = 'title: x\ntopology: { graph: ring, peers: 3 }\ntask: quadratic\nrounds: 7\nmethods: [dpsgd]\n'
  await writeFile(path, text)
  t.is((await makePlan({ topology: path, method: 'D-PSGD' })).remark, undefined)
  const faults = 'faults: { events: [{ at: 1 s, do: freeze, peer: p1 }] }'
  await writeFile(path, `${text}stop: { loss: 0.1 }\n${faults}\n`)
  const { remark } = await makePlan({ topology: path, method: 'D-PSGD' })
  t.is(remark, "real peers train all 7 rounds; they do not obey the scenario's stop and faults")
})

test('keyed rows need a task that has some, and plain steps; the file is told what to write', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'murmur-plan-'))
  const topology = join(folder, 'two.yaml')
  const train = join(folder, 'train.yaml')
  await writeFile(topology, 'graph: complete\npeers: [a, b]\n')
  await writeFile(train, 'algorithm: lapse\n')
  const message =
    /Lapse needs a task whose parameters are keyed rows, found mlp.*\n.*plain steps of SGD: expected optimiser: sgd, weightDecay: 0$/
  await t.throwsAsync(makePlan({ topology, train }), { instanceOf: InputError, message })
  await writeFile(train, 'algorithm: lapse\ntask: matrix-factorisation\noptimiser: sgd\nweightDecay: 0\n')
  const { options } = await makePlan({ topology, train })
  t.is(options.finalRounds, 1, 'in which all rows are gathered')
})

test('a kernel and svm-blocks go together, on common data, with blocks that fit; a run says that samples travel', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'murmuration-'))
  const topology = join(folder, 'topology.yaml')
  const train = join(folder, 'train.yaml')
  await writeFile(topology, 'graph: complete\npeers: 4\n')
  const planFor = async (training: string) => {
    await writeFile(train, training)
    return makePlan({ topology, train })
  }
  const kernel = 'task: { kind: svm, kernel: { rbf: { gamma: 2 } } }\ndata: gaussians\n'
  const local = 'partition: local\ntest: { path: a.csv, sha256: { a.csv: "' + '0'.repeat(64) + '" } }\n'
  for (const [training, message] of [
    [kernel, /D-PSGD needs gradients, and the task svm with a kernel has none; choose algorithm: svm-blocks/],
    ['algorithm: svm-blocks\n', /SVM blocks needs a task with a kernel, found none; choose task: \{ kind: svm, kernel/],
    [
      `${kernel}algorithm: { name: svm-blocks, block: 200 }\n`,
      /800 samples of 4 peers, expected at most 512.*choose 64/
    ],
    [`${kernel}algorithm: { name: svm-blocks, tau: 0 }\n`, /algorithm\.tau: found 0, expected more than 0/],
    [
      kernel.replace('gaussians', '{ path: a.csv }') + local + 'algorithm: svm-blocks\n',
      /no machine has the samples of all/
    ]
  ] as const)
    await t.throwsAsync(planFor(training), { instanceOf: InputError, message })
  t.deepEqual(sampleTexts(await planFor(`${kernel}algorithm: svm-blocks\n`)), [
    'training samples are sent to all peers: SVM blocks compares them there'
  ])
  t.deepEqual(sampleTexts(await planFor('algorithm: all-reduce\n')), [])
  const { algorithm } = await planFor(`${kernel}algorithm: { name: svm-blocks, tau: 0.01 }\nrounds: 50\n`)
  t.is(algorithm, 'SVM blocks, tau 0.01, at most 50 rounds')
  const init = { topology, train, init: 'model.safetensors' }
  await t.throwsAsync(makePlan(init), {
    instanceOf: InputError,
    message: /^--init model.safetensors: SVM blocks begins at 0/
  })
})

test('a run that the loss of a peer ends says so at the start, and why; not one of a single peer', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'murmuration-'))
  const topology = join(folder, 'topology.yaml')
  const train = join(folder, 'train.yaml')
  const textsFor = async (training: string, peers = 3) => {
    await writeFile(topology, `graph: ring\npeers: ${peers}\n`)
    await writeFile(train, training)
    return lossTexts(await makePlan({ topology, train }))
  }
  const rows = 'algorithm: lapse\ntask: matrix-factorisation\noptimiser: sgd\nweightDecay: 0\n'
  const stop = 'algorithm: all-reduce\nmembership: { onLoss: stop }\n'
  const [ofRows] = await textsFor(rows)
  t.regex(ofRows, /^the loss of a peer ends this run: the rows that a peer holds are complete nowhere else/)
  t.deepEqual(await textsFor(stop), [
    'the loss of a peer ends this run: membership has "onLoss: stop", so nobody opens a new epoch'
  ])
  t.deepEqual(await textsFor(stop, 1), [])
  for (const continues of ['algorithm: all-reduce\n', 'membership: { onLoss: stop }\n'])
    t.deepEqual(await textsFor(continues), [])
})

test('options that follow from the graph are those of the topology, unless the file gives others', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'murmur-plan-'))
  const topology = join(folder, 'ring.yaml')
  const train = join(folder, 'train.yaml')
  await writeFile(topology, 'graph: ring\npeers: [a, b, c, d, e, f, g, h]\n')
  await writeFile(train, 'algorithm: { name: a2cid2, mixing: graph }\n')
  const given = (await makePlan({ topology, train })).options.options as { mixing: number; pull: number }
  // χ₁ = 1 / (2 − 2 cos 45°), and twice χ₂ = 1 − 1/8.
  t.true(Math.abs(given.mixing - 0.5 / Math.sqrt(0.875 / (2 - Math.SQRT2))) < 1e-5)
  t.true(Math.abs(given.pull - 0.5 / Math.sqrt(0.875 * (2 - Math.SQRT2))) < 1e-5)
  await writeFile(train, 'algorithm: { name: a2cid2, mixing: 0.25, pull: 2 }\n')
  t.deepEqual((await makePlan({ topology, train })).options.options, { mixing: 0.25, pull: 2 })
})

test('a rule whose sums keep every rounding error needs exact links', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'murmur-plan-'))
  const topology = join(folder, 'ring.yaml')
  const train = join(folder, 'train.yaml')
  await writeFile(topology, 'graph: ring\npeers: [a, b, c, d, e]\n')
  for (const codec of ['int8', 'auto']) {
    await writeFile(train, `algorithm: d2\ncodec: ${codec}\n`)
    const message = new RegExp(`ring.yaml: D² needs codec float32, and found ${codec}: `)
    await t.throwsAsync(makePlan({ topology, train }), { instanceOf: InputError, message })
  }
  await writeFile(train, 'algorithm: d2\n')
  await t.notThrowsAsync(makePlan({ topology, train }))
})

test('dataSeed fixes the division of the data, the test split and generated data, whatever the seed; without it they follow the seed', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'murmur-plan-'))
  const topology = join(folder, 'ring.yaml')
  const train = join(folder, 'train.yaml')
  await writeFile(topology, 'graph: ring\npeers: [a, b]\n')
  const numbersOf = async (more: string) => {
    await writeFile(train, `task: softmax\ndata: { digits: 100, size: 8 }\npartition: { dirichlet: 1 }\n${more}`)
    const plan = await makePlan({ topology, train })
    const task = await buildTaskHere(taskOf(plan, peerName('a')))
    const x = Float32Array.from({ length: 650 }, (_, place) => Math.sin(place))
    const { vector } = await task.gradient(x, Uint32Array.of(0, 1, 2)).run()
    const { loss } = await task.evaluate(x).run()
    return { samples: task.samples, gradient: vector.slice(), loss }
  }
  const one = await numbersOf('seed: 1\n')
  const two = await numbersOf('seed: 2\n')
  t.notDeepEqual(one, two)
  t.deepEqual(await numbersOf('seed: 1\ndataSeed: 1\n'), one)
  t.deepEqual(await numbersOf('seed: 2\ndataSeed: 1\n'), one)
})

test('dual ascent needs a task with a dual, and begins at 0', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'murmur-plan-'))
  const topology = join(folder, 'two.yaml')
  const train = join(folder, 'train.yaml')
  await writeFile(topology, 'graph: complete\npeers: [a, b]\n')
  const refused: readonly (readonly [task: string, message: RegExp])[] = [
    ['softmax', /CoLA needs a task whose loss has a dual, found softmax; choose task: svm$/],
    ['{ kind: svm, l2: 0 }\nweightDecay: 0', /has a dual, found l2: 0; choose one above 0, such as 0.001$/],
    ['svm\nclip: 1\naccumulate: 2', /CoLA takes steps without gradients: expected no clip, no accumulate$/],
    ['svm\ncodec: int8', /CoLA needs codec float32, and found int8/]
  ]
  for (const [task, message] of refused) {
    await writeFile(train, `algorithm: cola\ntask: ${task}\n`)
    await t.throwsAsync(makePlan({ topology, train }), { instanceOf: InputError, message }, task)
  }
  await writeFile(train, 'algorithm: cola\ntask: { kind: svm, l2: 0 }\n')
  t.is((await makePlan({ topology, train })).algorithm, 'CoLA, 400 rounds, weight decay 0.0001')
  const message = /--init m\.safetensors: CoLA begins at 0, .*; omit --init$/
  await t.throwsAsync(makePlan({ topology, train, init: 'm.safetensors' }), { instanceOf: InputError, message })
})

/** A folder with a training file of an all-reduce, and the plan for it and the links of a topology file. */
async function planOnLinks(algorithm: string) {
  const folder = await mkdtemp(join(tmpdir(), 'murmur-plan-'))
  const train = join(folder, 'train.yaml')
  await writeFile(train, `algorithm: ${algorithm}\n`)
  return async (links: string, ownLinks?: string) => {
    const topology = join(folder, 'links.yaml')
    await writeFile(topology, `graph: complete\npeers: [d, c, b, a]\n${links}`)
    if (ownLinks === undefined) return makePlan({ topology, train })
    await writeFile(join(folder, 'own.yaml'), ownLinks)
    return makePlan({ topology, train, links: join(folder, 'own.yaml') })
  }
}

/** Two sites whose names alternate. */
const sites = '{ default: { bandwidth: 1 Gbit/s }, pipes: [{ name: thin, bandwidth: 10 Mbit/s, peers: [a, c] }] }'

test('the order of a ring follows from the links of the topology file, or from a file of their own, where they are uneven', async (t) => {
  const plan = await planOnLinks('all-reduce')
  const bySites = await plan(`links: ${sites}\n`)
  const { order = [] } = bySites.options.options as { order?: readonly string[] }
  t.deepEqual([...order].sort(), ['a', 'b', 'c', 'd'])
  const isCrossing = (name: string, place: number) => 'ac'.includes(name) !== 'ac'.includes(order[(place + 1) % 4])
  t.is(order.filter(isCrossing).length, 2, 'the thin line is crossed once in each direction')
  t.is(bySites.settings['topology.links.order'], JSON.stringify(order.join(', ')))
  for (const even of [await plan(''), await plan('links: { default: { bandwidth: 10 Mbit/s, latency: 9 ms } }\n')])
    t.deepEqual([even.options.options?.order, even.settings['topology.links.order']], ['links', undefined])
  const own = await plan('', `${sites}\n`)
  t.deepEqual(own.settings, bySites.settings)
  t.is(own.links?.path(peerName('a'), peerName('b')).pipes.length, 1, 'the same links shape the connections')
})

test('peers whose files have other links are told which option differs, in few words', async (t) => {
  const plan = await planOnLinks('{ name: all-reduce, collective: trees }')
  const here = await plan(`links: ${sites}\n`)
  const there = await plan('links: { default: { bandwidth: 10 Mbit/s } }\n')
  const differences = Object.keys(here.settings).filter((name) => here.settings[name] !== there.settings[name])
  t.deepEqual(differences, ['topology.links.collective'])
  t.regex(here.settings['topology.links.collective'], /^"by links with the fingerprint [0-9a-f]{8}"$/)
})

test('trees need links with a bandwidth, and an order has each peer once', async (t) => {
  const trees = await planOnLinks('{ name: all-reduce, collective: trees }')
  const message = /links\.yaml: collective: found trees, expected links with a bandwidth/
  await t.throwsAsync(trees(''), { instanceOf: InputError, message })
  await t.throwsAsync(trees('links: { default: { latency: 5 ms } }\n'), { instanceOf: InputError, message })
  const order = await planOnLinks('{ name: local-sgd, order: [a, b, c, a] }')
  const told = /links\.yaml: order: found a, b, c, a, expected each peer once: a, b, c, d/
  await t.throwsAsync(order(''), { instanceOf: InputError, message: told })
  const survivors = createTopology({ peers: ['a', 'c'].map(peerName), graph: { kind: 'complete' } })
  const listed = { order: ['d', 'c', 'b', 'a'], collective: 'auto' }
  const left = optionsOn(recordNamed('local-sgd'), survivors, listed, uniformLinks({ latency: 1 }))
  t.deepEqual(left.order, listed.order, 'those that are left of a run keep the list')
  const quantised = await planOnLinks('{ name: quantised-diloco, collective: ring }')
  await t.throwsAsync(quantised(''), { instanceOf: InputError, message: /train\.yaml.*collective.*direct/ })
})
