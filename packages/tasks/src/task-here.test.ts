import { InputError } from '@murmuration/core'
import test from 'ava'
import { buildTaskHere, matrixFactorisationModule } from './index.js'

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
  let [wasLetIn, gradients] = [false, 0]
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

test('a module that is not there is named', async (t) => {
  const message = /module data:text\/nothing cannot be loaded/
  await t.throwsAsync(buildTaskHere({ module: 'data:text/nothing', options }), { instanceOf: InputError, message })
})
