import { InputError, type TaskRows } from '@murmuration/core'
import test from 'ava'
import { buildTaskHere, createKnowledgeGraphTask, knowledgeGraphModule, matrixFactorisationModule } from './index.js'

const options = {
  peers: ['a', 'b'],
  self: 'b',
  seed: 1,
  users: 20,
  items: 10,
  ratings: 400,
  noise: 0.1,
  zipf: 1,
  rank: 2,
  l2: 0
}

test('a task in the thread of its caller has its rows, and lets others in between gradients', async (t) => {
  const task = await buildTaskHere({ module: matrixFactorisationModule, options })
  const { rows } = task
  if (rows === undefined) return t.fail('it has no rows')
  t.is(rows.blockOf?.(0, 1), 0)
  const x = await task.initialise(1).run()
  let wasLetIn = false
  let gradients = 0
  setImmediate(() => (wasLetIn = true))
  for (; !wasLetIn && gradients < 1e5; gradients++) {
    const batch = Uint32Array.of(gradients % task.samples)
    const keys = rows.keysOf(batch)
    const own = Float32Array.from(keys, (key) => x[key * rows.width])
    const values = new Float32Array(keys.length * rows.width).fill(own[0])
    t.true(Number.isFinite(await rows.gradient(values, keys, batch, new Float32Array(values.length)).run()))
  }
  t.true(wasLetIn, `not within ${gradients} gradients`)
})

test('in the thread of its caller each round draws as it does elsewhere', async (t) => {
  const given = {
    entities: 20,
    rules: 1,
    scoring: 'complex',
    rank: 2,
    negatives: 3,
    adversarial: 0,
    l2: 0,
    n3: 0
  } as const
  const graph = { ...given, peers: ['a'], seed: 1, clustered: true, ranked: 5 }
  const here = await buildTaskHere({ module: knowledgeGraphModule, options: graph })
  const there = await createKnowledgeGraphTask(graph)
  const batch = Uint32Array.of(3, 5)
  const of = async (rows: TaskRows | undefined, round: number) => {
    const keys = rows?.keysOf(batch, round) ?? batch
    const out = new Float32Array(keys.length * (rows?.width ?? 0))
    const loss = await rows?.gradient(out.slice().fill(0.5), keys, batch, out, round).run()
    return { keys, out, loss }
  }
  for (const round of [0, 1, 2]) t.deepEqual(await of(here.rows, round), await of(there.rows, round), `round ${round}`)
  t.notDeepEqual((await of(here.rows, 1)).keys, (await of(here.rows, 2)).keys)
})

test('a module that is not there is named', async (t) => {
  const message = /module data:text\/nothing cannot be loaded/
  await t.throwsAsync(buildTaskHere({ module: 'data:text/nothing', options }), { instanceOf: InputError, message })
})
