import { InvariantError } from '@murmuration/core'
import test from 'ava'
import { type Model, ShardTask } from './shard-task.js'

/** A model whose loss is the sum of the numbers of the batch's samples. */
const model: Model = {
  schema: [{ name: 'x', shape: [2] }],
  about: 'a sum',
  length: 2,
  testSamples: 7,
  gradient: (parameters, first, batch, out) => {
    out.set(parameters)
    return batch.reduce((sum, place) => sum + first + place, 0)
  },
  evaluate: (parameters) => ({ loss: parameters[0] })
}

const task = new ShardTask(model, 10, 5, () => ({ model: model.about }))

test('works give their results at once, and say how large they are', (t) => {
  const x = Float32Array.of(1, 2)
  const gradient = task.gradient(x, Uint32Array.of(0, 4))
  t.is(gradient.samples, 2)
  t.deepEqual(gradient.run(), { loss: 24, vector: x })
  t.is(task.evaluate(x).samples, 7)
  t.deepEqual(task.evaluate(x).run(), { loss: 1 })
  t.deepEqual(task.initialise(1).run(), Float32Array.of(0, 0))
})

test('each task keeps its last gradient while others compute theirs', async (t) => {
  const other = new ShardTask(model, 0, 1, () => ({}))
  const { vector } = await task.gradient(Float32Array.of(3, 4), Uint32Array.of(0)).run()
  await other.gradient(Float32Array.of(5, 6), Uint32Array.of(0)).run()
  t.deepEqual(vector, Float32Array.of(3, 4))
  t.is((await task.gradient(Float32Array.of(7, 8), Uint32Array.of(0)).run()).vector, vector)
})

test('parameters of another length, samples that are not there and empty batches are refused', (t) => {
  const refused = (parameters: Float32Array, batch: number[], message: RegExp) =>
    t.throws(() => task.gradient(parameters, Uint32Array.from(batch)).run(), { instanceOf: InvariantError, message })
  refused(new Float32Array(3), [0], /3 parameters, expected 2/)
  refused(new Float32Array(2), [0, 5], /sample 5 in a batch, expected samples below 5/)
  refused(new Float32Array(2), [], /empty batch/)
  t.throws(() => task.evaluate(new Float32Array(1)).run(), { instanceOf: InvariantError, message: /1 parameters/ })
})
