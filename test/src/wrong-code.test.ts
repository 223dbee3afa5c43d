/** Code of users that no compiler has checked: each fault is reported in the first round at the latest. */
import { addFlow, algorithm, dpsgd, mix, train, type Algorithm } from '@murmuration/algorithms'
import { quadratics } from '@murmuration/contract'
import { InputError, type Task, messageOf } from '@murmuration/core'
import { createTopology } from '@murmuration/topology'
import test from 'ava'
import * as z from 'zod'
import { peersOf } from './recursion.js'
import { inSimulator } from './worlds.js'

const topology = createTopology({ peers: peersOf(3), graph: { kind: 'ring' } })
const length = 4

/** Trains two rounds of an algorithm, with a task of which some parts are others. */
async function trained(record: Algorithm, parts: Partial<Task> = {}, more = {}): Promise<void> {
  const { taskOf } = quadratics(topology)
  const settings = { seed: 1, batchSize: 2, rounds: 2, timeout: 50, rate: () => 0.1, workers: topology.peers, ...more }
  await inSimulator({ topology, seed: 1, length }, async (fabric) => {
    for await (const _ of train(fabric, { ...taskOf(fabric.self), ...parts }, { ...settings, algorithm: record }));
  })
}

const right = {
  name: 'mine',
  title: 'Mine',
  source: 'here',
  options: z.strictObject({}),
  needs: { weights: 'rows' },
  keeps: 'mean',
  channels: { model: { x: 'vector' } },
  edges: { model: addFlow },
  start: ({ x }: { readonly x: unknown }) => ({ x }),
  round: async (node: never, state: never, k: number) => roundOf(node, state, k)
}

/** A round of D-PSGD; `other` makes what it returns another thing. */
async function roundOf(node: never, state: never, k: number, other = (next: object): unknown => next) {
  return other((await dpsgd.round?.(node, state, k)) as object)
}

/** As a module in JavaScript makes it. */
function made(parts: object, options = dpsgd.options): Algorithm {
  return algorithm({ ...right, options, ...parts } as never)
}

const work = (numbers: number) => ({ vector: new Float32Array(numbers), loss: 1 })
const gradientOf = (numbers: number) => ({
  gradient: () => ({ kind: 'gradient', samples: 1, run: () => work(numbers) }) as never
})
const returning = (other: (next: object) => unknown) => ({
  round: (node: never, state: never, k: number) => roundOf(node, state, k, other)
})

const faults: readonly (readonly [string, () => Promise<void>, RegExp])[] = [
  [
    'a short gradient',
    () => trained(dpsgd, gradientOf(3)),
    /^the task's gradient gives 3 numbers, expected 4, as many/
  ],
  ['a long gradient', () => trained(dpsgd, gradientOf(5)), /^the task's gradient gives 5 numbers, expected 4/],
  [
    'a short gradient of several batches',
    () => trained(dpsgd, gradientOf(3), { accumulate: 2 }),
    /^the task's gradient gives 3 numbers/
  ],
  [
    'start parameters of another length',
    () => trained(dpsgd, { initialise: () => ({ kind: 'initialise', samples: 0, run: () => new Float32Array(5) }) }),
    /^the task's initialise gives 5 numbers, expected 4/
  ],
  [
    'a round that returns nothing',
    () => trained(made(returning(() => undefined))),
    /^round of the algorithm mine returns nothing, expected a state like the one before, \{ x: a vector of 4 \}$/
  ],
  [
    'another key',
    () => trained(made(returning(({ x }: { x?: unknown }) => ({ y: x })))),
    /returns \{ y: a vector of 4 \}/
  ],
  [
    'one key more',
    () => trained(made(returning((next) => ({ ...next, w: 1 })))),
    /returns \{ w: a number, x: a vector/
  ],
  ['a number for a vector', () => trained(made(returning(() => ({ x: 1 })))), /returns \{ x: a number \}, expected/],
  [
    'an array for a vector',
    () => trained(made({ start: () => ({ x: new Float32Array(4) }) })),
    /x of the state .* gives|returns/
  ],
  [
    'a start that returns nothing',
    () => trained(made({ start: () => undefined })),
    /^start of the algorithm mine returns nothing/
  ],
  [
    'a state without a model',
    () => trained(made({ start: () => ({}), round: async () => ({}) })),
    /^the vector x of the state of the algorithm mine gives nothing, expected 4/
  ],
  [
    'a model that is none',
    () => trained(made({ model: () => 1 })),
    /^model of the algorithm mine gives a number, expected 4/
  ]
]

for (const [title, run, message] of faults)
  test(`${title} is reported in the first round`, async (t) => {
    await t.throwsAsync(run(), { instanceOf: InputError, message })
  })

test('the same algorithm without a fault trains', async (t) => {
  await t.notThrowsAsync(trained(made({})))
})

/** Collects before it sends. */
async function lateSender(node: never, { x }: { x: unknown }, k: number) {
  const { mixing, model } = node as {
    mixing: (k: number) => never
    model: { collect: typeof Promise.resolve; send: (...given: unknown[]) => void }
  }
  const W = mixing.call(node, k)
  const theirs = await model.collect(W)
  model.send(W, { x })
  return mix(W, { x } as never, theirs)
}

for (const edges of [right.edges, undefined])
  test(`collecting before sending is reported, ${edges === undefined ? 'after one timeout' : 'at once where messages are exchanged'}`, async (t) => {
    const error = await t.throwsAsync(trained(made({ round: lateSender, edges })), { any: true })
    t.regex(messageOf(error), /"model" are collected before this peer sends its own: .*; send first$/)
  })

test('a peer that collects, and forwards what it has collected, is right', async (t) => {
  const [hub] = topology.peers
  const round = async (node: never, { x }: { x: unknown }, k: number) => {
    const { self, mixing, model } = node as {
      self: string
      mixing: (k: number) => never
      model: { collect: typeof Promise.resolve; send: (...given: unknown[]) => void }
    }
    const W = mixing.call(node, k)
    if (self !== hub) model.send(W, { x })
    await model.collect(W)
    if (self === hub) model.send(W, { x })
    return { x }
  }
  await t.notThrowsAsync(trained(made({ round, edges: undefined })))
})
