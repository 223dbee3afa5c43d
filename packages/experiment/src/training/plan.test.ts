import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { InputError, peerName } from '@murmuration/core'
import { buildTaskHere } from '@murmuration/tasks'
import test from 'ava'
import { makePlan } from '../make-plan.js'
import { checkCheckpoints } from '../peers/checkpoints/checkpoints.js'
import { lossTexts, taskOf } from './plan.js'

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
  const planWith = async (algorithm: string, peers = 'peers: [a, b, c, d, e]', rest = '') => {
    await writeFile(topology, `graph: ring\n${peers}\n`)
    await writeFile(train, `stop: { loss: 0.1 }\nalgorithm: ${algorithm}\n${rest}`)
    return makePlan({ topology, train })
  }
  const served = 'peers: [a, b, { name: s, role: server }]'
  t.deepEqual((await planWith('dpsgd')).options.stop, { loss: 0.1, every: 20, hops: 2 })
  t.is((await planWith('all-reduce')).options.stop?.hops, 1)
  t.is((await planWith('parameter-server', served)).options.stop?.hops, 2)
  t.is((await planWith('dpsgd', undefined, 'rounds: 10000')).options.stop?.every, 100)
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
  const checkpoints = { folder: join(folder, 'checkpoints'), every: { rounds: 1 }, resume: false } as const
  await t.throwsAsync(checkCheckpoints(checkpoints, options.algorithm, []), { message: /Lapse has no checkpoints yet/ })
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
