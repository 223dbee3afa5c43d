import { InputError, peerName, type TaskPart } from '@murmuration/core'
import { parseTopologyFile } from '@murmuration/files'
import test from 'ava'
import { planOf } from './plan.js'
import { endsOf, longestVector, placeInLines, settingsOfStage, stageText } from './pipeline.js'
import { parseTrainingFile } from './training-file.js'

const part = (layer: number, operations: number, more: Partial<TaskPart> = {}): TaskPart => {
  return { layer, parameters: 10 * operations, operations, outputs: 4, mixesSamples: false, ...more }
}
const lines = [['a', 'b', 'c'].map(peerName)]
const settings = { schedule: '1f1b', splitSize: 2, lines } as const

const plan = async (topology: string, training: string) =>
  planOf('t.yaml', parseTopologyFile(topology, 't.yaml'), await parseTrainingFile(training, 'train.yaml'))

test('peers are dealt out in turn, or by their stages', (t) => {
  const linesOf = (peers: string) => parseTopologyFile(`graph: ring\n${peers}`, 't.yaml').pipeline?.lines
  t.deepEqual<unknown, unknown>(linesOf('stages: 2\npeers: 4'), [
    ['p1', 'p2'],
    ['p3', 'p4']
  ])
  const each = '[{ name: a, stage: 1 }, { name: b, stage: 0 }, { name: c, stage: 0 }, { name: d, stage: 1 }]'
  t.deepEqual<unknown, unknown>(linesOf(`peers: ${each}`), [
    ['b', 'a'],
    ['c', 'd']
  ])
  t.is(linesOf('peers: 4'), undefined)
})

test('each stage has a graph of its own', async (t) => {
  const { topology, pipeline } = parseTopologyFile('graph: ring\nstages: 2\npeers: 6', 't.yaml')
  t.deepEqual<unknown, unknown>(pipeline?.stages[0].peers, ['p1', 'p3', 'p5'])
  const neighbours = topology.mixing(peerName('p4'), 0).receiveFrom.map(({ name }) => name)
  t.deepEqual<unknown, unknown>(neighbours, ['p2', 'p6'])
  const { options, file, training } = await plan('graph: ring\nstages: 2\npeers: 6', 'batch: 8')
  const settingsOf = (stage: number) => settingsOfStage(options, file, training.algorithm, stage)
  t.deepEqual<unknown, unknown>(settingsOf(1).workers, ['p2', 'p4', 'p6'])
  t.is(settingsOf(1), settingsOf(1))
})

test('orders follow from the links between the peers of each stage, and are compared by all', async (t) => {
  const file = `graph: complete
stages: 2
peers: 8
links:
  default: { bandwidth: 10 Mbit/s }
  pairs: [{ between: [p1, p3], bandwidth: 1 Mbit/s }, { between: [p4, p6], bandwidth: 1 Mbit/s }]`
  const { options, file: read, training, settings } = await plan(file, 'algorithm: all-reduce')
  const slow = [['p1', 'p3'] as const, ['p4', 'p6'] as const]
  for (const [stage, [from, to]] of slow.entries()) {
    const { order } = settingsOfStage(options, read, training.algorithm, stage).options as { order: readonly string[] }
    t.deepEqual<unknown, unknown>([...order].sort(), read.pipeline?.stages[stage].peers)
    t.is(Math.abs(order.indexOf(from) - order.indexOf(to)), 2)
    t.is(settings[`topology.links.order[${stage}]`], JSON.stringify(order.join(', ')))
  }
})

const wrongTopologies: Readonly<Record<string, RegExp>> = {
  'stages: 4\npeers: 6': /t\.yaml:2:9: stages: found 4 stages and 6 peers, expected a multiple of 4/,
  'stages: 1\npeers: 6': /stages: found 1, expected at least 2, or none for a model that is not cut/,
  'peers: [{ name: a, stage: 0 }, b]':
    /peers\[1\]: found no stage, or one that is not below 1, expected a stage of each peer/,
  'peers: [{ name: a, stage: 0 }, { name: b, stage: 1 }, { name: c, stage: 1 }]':
    /peers: found stages of 1, 2 peers, expected as many of each: a line has one of each/,
  'stages: 2\npeers: [a, b, { name: s, role: server }]':
    /found s, a server or invited, expected none where there are stages/
}

for (const [content, message] of Object.entries(wrongTopologies))
  test(`stages that make no lines are refused: ${content.replace('\n', ', ')}`, (t) => {
    t.throws(() => parseTopologyFile(`graph: ring\n${content}`, 't.yaml'), { instanceOf: InputError, message })
  })

const wrongTrainings: Readonly<Record<string, RegExp>> = {
  'pipeline: { splitSize: 5 }': /splitSize: found 5, expected a divisor of batch, which is 32/,
  'pipeline: { cuts: [3] }': /cuts: found 3, expected 2 ascending layers for 3 stages/,
  'pipeline: { cuts: [5, 5] }': /cuts: found 5, 5, expected 2 ascending layers/,
  'algorithm: { name: all-reduce, order: [p1, p4] }': /order: found names, expected names or links as a word/,
  'stop: { loss: 0.1 }': /stop: found a rule and stages, expected one of them/,
  'algorithm: cola\ntask: { kind: svm, l2: 0.001 }\ndata: { gaussians: 64 }':
    /computes no gradients, of which each stage/,
  'algorithm: svm-blocks\ntask: { kind: svm, kernel: { rbf: { gamma: 1 } } }\ndata: { gaussians: 64 }':
    /computes no gradients, of which each stage/,
  'codec: delta-int8': /codec: found delta-int8, expected float32 or float16/
}

for (const [training, message] of Object.entries(wrongTrainings))
  test(`what a pipeline cannot do is refused: ${training.split('\n')[0]}`, async (t) => {
    await t.throwsAsync(plan('graph: ring\nstages: 3\npeers: 6', training), { instanceOf: InputError, message })
  })

test('a pipeline without stages in the topology file is refused', async (t) => {
  await t.throwsAsync(plan('graph: ring\npeers: 6', 'pipeline: {}'), {
    instanceOf: InputError,
    message: /expected stages/
  })
})

test('stages have about as much to compute, or are cut where the file says', (t) => {
  const parts = [part(0, 8), part(2, 1), part(3, 1), part(5, 8), part(6, 2)]
  t.deepEqual(endsOf(parts, settings, { batch: 8 }), [0, 2, 4, 5])
  t.deepEqual(endsOf(parts, settings, { cuts: [2, 6], batch: 8 }), [0, 1, 4, 5])
  const large = [part(0, 8, { parameters: 10 }), part(2, 1, { parameters: 100 }), part(3, 8, { parameters: 100 })]
  const two = { ...settings, lines: [lines[0].slice(0, 2)] }
  t.deepEqual(endsOf(large, two, { batch: 8 }), [0, 1, 3])
  t.deepEqual(endsOf(large, two, { batch: 8, room: 500 }), [0, 2, 3])
  t.deepEqual(endsOf(large, two, { batch: 8, room: 100 }), [0, 1, 3])
  t.is(longestVector(parts, [0, 1, 4, 5], 2, 3), 100)
  t.is(longestVector(parts, [0, 1, 4, 5], 100, 3), 700)
  t.is(stageText(parts, [0, 1, 4, 5], 1), '1 of 0 to 2, layers from 2 to 5, 100 parameters')
  t.is(stageText(parts, [0, 1, 4, 5], 2), '2 of 0 to 2, layers from 6 on, 20 parameters')
  t.deepEqual(placeInLines({ lines }, peerName('b')), { line: 0, stage: 1 })
})

test('cuts that a model does not have are refused, with those that it has', (t) => {
  const parts = [part(0, 8), part(2, 1), part(3, 1)]
  const refused = (message: RegExp, act: () => unknown) => t.throws(act, { instanceOf: InputError, message })
  refused(/found 1, expected some of layer 2, 3/, () => endsOf(parts, settings, { cuts: [1, 3], batch: 8 }))
  refused(/is to have 3 stages, but has 2 parts/, () => endsOf(parts.slice(0, 2), settings, { batch: 8 }))
  refused(/has no layers/, () => endsOf(undefined, settings, { batch: 8 }))
  const normal = [part(0, 8), part(2, 1, { mixesSamples: true }), part(3, 1)]
  refused(/batch normalisation.*splitSize: 8/, () => endsOf(normal, settings, { batch: 8 }))
  t.deepEqual(endsOf(normal, { ...settings, splitSize: 8 }, { batch: 8 }), [0, 1, 2, 3])
})
