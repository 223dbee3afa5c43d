import { type PeerName, RefusedError } from '@murmuration/core'
import { createIdentity, createPeer } from '@murmuration/libp2p'
import { parseTopologyFile } from '@murmuration/files'
import { mlpRecord } from '@murmuration/tfjs'
import test, { type ExecutionContext } from 'ava'
import * as z from 'zod'
import { machineLocal, runSettings } from './run-settings.js'
import { completeTraining } from './training-file.js'
import { trainingSchema } from './training-schema.js'

type Input = Readonly<Record<string, unknown>>

/** For each field of the training file, two files that differ only in it. A new field needs a new line. */
const pairs: Readonly<Record<string, readonly [Input, Input]>> = {
  'task.kind': [{ task: 'mlp' }, { task: 'cnn' }],
  'task.hidden': [{ task: { kind: 'mlp', hidden: [10] } }, { task: { kind: 'mlp', hidden: [10, 10] } }],
  'task.options': [
    { task: { module: 'm.js', options: { depth: 1 } } },
    { task: { module: 'm.js', options: { depth: 2 } } }
  ],
  'task.context': [{ task: 'gpt' }, { task: { kind: 'gpt', context: 32 } }],
  'task.noise': [{ task: 'quadratic' }, { task: { kind: 'quadratic', noise: 1 } }],
  'data': [{ data: 'digits' }, { data: { path: 'here' } }],
  'data.digits': [{ data: { digits: 200 } }, { data: { digits: 201 } }],
  'data.size': [{ data: { digits: 200 } }, { data: { digits: 200, size: 8 } }],
  'data.gaussians': [{ data: { gaussians: 200 } }, { data: { gaussians: 201 } }],
  'data.features': [{ data: { gaussians: 200 } }, { data: { gaussians: 200, features: 3 } }],
  'data.sentences': [{ data: { sentences: 200 } }, { data: { sentences: 201 } }],
  'data.sha256': [{ data: { path: 'x', sha256: { a: '00' } } }, { data: { path: 'x', sha256: { a: '01' } } }],
  'data.target': [{ data: { path: 'x' } }, { data: { path: 'x', target: 'first' } }],
  'data.scale': [{ data: { path: 'x' } }, { data: { path: 'x', scale: 'standard' } }],
  'data.ignore': [{ data: { path: 'x', ignore: ['a'] } }, { data: { path: 'x', ignore: ['b'] } }],
  'loss': [{}, { loss: 'mean-squared-error' }],
  'test': [{ test: '20 %' }, { test: '10 %' }],
  'test.sha256': [{ test: { path: 'x', sha256: { a: '00' } } }, { test: { path: 'x', sha256: { a: '01' } } }],
  'test.size': [{ test: { path: 'x', sha256: {} } }, { test: { path: 'x', sha256: {}, size: 8 } }],
  'test.target': [{ test: { path: 'x', sha256: {} } }, { test: { path: 'x', sha256: {}, target: 'first' } }],
  'test.ignore': [{ test: { path: 'x', sha256: {} } }, { test: { path: 'x', sha256: {}, ignore: ['a'] } }],
  'partition': [{ partition: 'equal' }, { partition: 'label' }],
  'partition.local': [{ partition: { local: 'per-peer' } }, { partition: { local: 'per-sample' } }],
  'partition.dirichlet': [{ partition: { dirichlet: 1 } }, { partition: { dirichlet: 2 } }],
  'algorithm.name': [{ algorithm: 'dpsgd' }, { algorithm: 'sgp' }],
  'algorithm.order': [{}, { algorithm: { name: 'dpsgd', order: 'adapt-then-combine' } }],
  'dataSeed': [{ dataSeed: 1 }, { dataSeed: 2 }],
  'batch': [{}, { batch: 33 }],
  'accumulate': [{}, { accumulate: 2 }],
  'optimiser.name': [{}, { optimiser: 'adam' }],
  'optimiser.momentum': [{}, { optimiser: { name: 'sgd', momentum: 0.8 } }],
  'weightDecay': [{}, { weightDecay: 0 }],
  'clip': [{ clip: 1 }, { clip: 2 }],
  'rate.initial': [{}, { rate: { initial: 0.11 } }],
  'rate.warmup': [{}, { rate: { warmup: 1 } }],
  'rate.decay': [{}, { rate: { decay: 'constant' } }],
  'rate.scale': [{}, { rate: { scale: 'peers' } }],
  'rate.decay.at': [{ rate: { decay: { at: [1], factor: 0.5 } } }, { rate: { decay: { at: [2], factor: 0.5 } } }],
  'rate.decay.factor': [{ rate: { decay: { at: [1], factor: 0.5 } } }, { rate: { decay: { at: [1], factor: 0.1 } } }],
  'rounds': [{}, { rounds: 401 }],
  'consensusTolerance': [{}, { consensusTolerance: 1e-2 }],
  'store': [{ store: 'memory' }, { store: 'redis://localhost' }],
  'timeout': [{}, { timeout: '31 s' }],
  'membership.quorum': [{}, { membership: { quorum: 3 } }],
  'membership.startWithin': [{}, { membership: { startWithin: '1 min' } }],
  'membership.partitioned': [{}, { membership: { partitioned: 'stop' } }],
  'membership.isolated': [{}, { membership: { isolated: 'continue' } }],
  'membership.onLoss': [{}, { membership: { onLoss: 'stop' } }],
  'membership.forgetAfter': [{}, { membership: { forgetAfter: '30 s' } }],
  'stop.loss': [{}, { stop: { loss: 1 } }],
  'stop.accuracy': [{ stop: { accuracy: 0.9 } }, { stop: { accuracy: 0.8 } }],
  'stop.patience': [{ stop: { patience: 3 } }, { stop: { patience: 4 } }],
  'stop.gap': [{ stop: { gap: 0.1 } }, { stop: { gap: 0.2 } }],
  'pipeline.cuts': [{ pipeline: {} }, { pipeline: { cuts: [3] } }],
  'pipeline.splitSize': [{ pipeline: {} }, { pipeline: { splitSize: 4 } }],
  'pipeline.schedule': [{ pipeline: {} }, { pipeline: { schedule: 'gpipe' } }],
  'seed': [{}, { seed: 2 }]
}

/** Fields that only contain others. */
const groups = ['algorithm', 'membership', 'optimiser', 'pipeline', 'rate', 'stop', 'task']

const ring = (text = 'graph: ring\npeers: [a, b]') => parseTopologyFile(text, 't.yaml')
const settingsWith = (input: Input, file = ring()) => runSettings(file, completeTraining(trainingSchema.parse(input)))

test('every field of the training file is among the cases, or may differ from machine to machine', (t) => {
  const ofChoices = [...Object.keys(pairs), ...machineLocal.keys()].filter(
    (name) => !/^(algorithm|optimiser|task)\./.test(name)
  )
  const expected = [...ofChoices, ...groups].sort()
  t.deepEqual([...new Set(fieldsOf(trainingSchema))].sort(), expected)
})

for (const [name, [left, right]] of Object.entries(pairs)) {
  test(`peers whose training files differ in ${name} refuse each other, and both name it with both values`, async (t) => {
    const messages = await refusals(t, settingsWith(left), settingsWith(right))
    for (const message of messages) {
      const [, told = ''] = message.split('the settings differ: ')
      t.true(
        told.split('; ').some((each) => each.startsWith(name) && / is .+ here and .+ there$/.test(each)),
        message
      )
    }
    t.is(messages.length, 2)
  })
}

const topologies: readonly (readonly [string, string, RegExp])[] = [
  ['graph', 'graph: complete\npeers: [a, b]', /topology.graph.kind is "ring" here and "complete" there/],
  [
    'weights',
    'graph: ring\nweights: uniform\npeers: [a, b]',
    /topology.weights is "metropolis" here and "uniform" there/
  ],
  ['stages', 'graph: ring\nstages: 2\npeers: [a, b]', /topology.lines\[0\] is missing here and "a b" there/],
  ['names', 'graph: ring\npeers: [a, b, c]', /topology.peers\[2\] is missing here and "c" there/],
  ['order', 'graph: ring\npeers: [b, a]', /topology.peers\[0\] is "a" here and "b" there; topology.peers\[1\]/]
]

for (const [what, text, expected] of topologies) {
  test(`peers whose topology files differ in ${what} refuse each other and say so`, async (t) => {
    const [message] = await refusals(t, settingsWith({}), settingsWith({}, ring(text)))
    t.regex(message, expected)
  })
}

test('where data and modules lie, and in which form vectors travel, may differ; addresses may as well', (t) => {
  const here = { task: { module: '/home/ann/m.js' }, data: { path: '/home/ann/mnist' }, codec: 'int8' }
  const there = { task: { module: '/Users/bob/m.js' }, data: { path: 'D:\\mnist' }, codec: 'auto' }
  const moved = ring(
    'graph: ring\npeers: [{ name: a, addresses: [/ip4/192.0.2.7/tcp/1] }, b]\nlinks: { default: { latency: 1 ms } }'
  )
  t.deepEqual(settingsWith(here), settingsWith(there, moved))
})

test('local data may differ in everything, the test set in common only in its place', (t) => {
  const local = { partition: 'local', test: { path: ['one.csv', 'two.csv'], sha256: { 'one.csv': '00' } } }
  const here = { ...local, data: { path: ['a.csv', 'b.csv'], sha256: { 'a.csv': '01' } } }
  const there = { ...local, data: 'mnist', test: { ...local.test, path: '/elsewhere' } }
  t.deepEqual(settingsWith(here), settingsWith(there))
})

test('local data are scaled alike', (t) => {
  const local = { partition: 'local', test: { path: 'one.csv', sha256: { 'one.csv': '00' } } }
  const [plain, scaled] = [{}, { scale: 'standard' }].map((scale) =>
    settingsWith({ ...local, data: { path: 'a.csv', ...scale } })
  )
  t.notDeepEqual(plain, scaled)
})

test('a file with the defaults written out is the same as an empty one', (t) => {
  const written = {
    rounds: 400,
    timeout: '30 s',
    batch: 32,
    optimiser: { name: 'sgd', momentum: 0.9 },
    rate: { initial: mlpRecord.rateOfSmall, warmup: 20 }
  }
  t.deepEqual(settingsWith(written), settingsWith({}))
})

/** The messages with which two real peers refuse each other. */
async function refusals(t: ExecutionContext, ...both: readonly Readonly<Record<string, string>>[]): Promise<string[]> {
  const { topology } = ring()
  const peers = await Promise.all(
    topology.peers.map(async (self, index) => {
      const runSettings = { settings: both[index], schema: [{ name: 'x', shape: [1] }], start: '' }
      const identity = await createIdentity()
      const peer = await createPeer({
        self,
        identity,
        topology,
        seed: 1,
        listen: ['/ip4/127.0.0.1/tcp/0'],
        runSettings
      })
      t.teardown(() => peer.close())
      return { self, peer }
    })
  )
  const peerList = peers.map(({ self, peer: { id, addresses } }) => ({ name: self, id, addresses }))
  return Promise.all(
    peers.map(async ({ self, peer }) => {
      const error = await t.throwsAsync(peer.connect(peerList, 60_000), { instanceOf: RefusedError })
      t.like(error, { code: 'settings', peer: other(self) })
      return error.message
    })
  )
}

function other(self: PeerName): string {
  return self === 'a' ? 'b' : 'a'
}

/** The paths of all fields of a schema, through unions, defaults and options. */
function fieldsOf(schema: unknown, path = ''): string[] {
  if (schema instanceof z.ZodUnion) return schema.options.flatMap((option) => fieldsOf(option, path))
  if (schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault || schema instanceof z.ZodOptional) {
    return fieldsOf(schema.unwrap(), path)
  }
  if (schema instanceof z.ZodNever) return []
  const own = path === '' ? [] : [path]
  if (!(schema instanceof z.ZodObject)) return own
  const below = ([key, field]: [string, unknown]) => fieldsOf(field, path === '' ? key : `${path}.${key}`)
  return [...own, ...Object.entries(schema.shape).flatMap(below)]
}
