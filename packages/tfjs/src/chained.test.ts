import test from 'ava'
import { chooseBackend } from './backend.js'
import { tensorflow as tf } from './tensorflow.js'

test('an operation as a method gives what the operation gives', async (t) => {
  await chooseBackend('wasm')
  const call = (x: object, name: string, ...given: readonly unknown[]): number[] => {
    const method: unknown = Reflect.get(x, name)
    const output: unknown = typeof method === 'function' ? Reflect.apply(method, x, given) : undefined
    return output instanceof tf.Tensor ? Array.from(output.dataSync<'float32'>()) : []
  }
  const x = tf.tensor2d([1, -2, 3, 4], [2, 2])
  const y = tf.tensor2d([5, 6, 7, 8], [2, 2])
  t.deepEqual(call(x, 'flatten'), [1, -2, 3, 4])
  t.deepEqual(call(x, 'matMul', y, false, true), [-7, -9, 39, 53])
  t.deepEqual(call(x, 'concat', [y], 1), [1, -2, 5, 6, 3, 4, 7, 8])
  t.deepEqual(call(x, 'stack', y), [1, -2, 3, 4, 5, 6, 7, 8])
  t.deepEqual(call(x, 'where', tf.less(x, 2), y), [1, -2, 7, 8])
  t.deepEqual(call(x, 'sum', 0), [4, 2])
})
