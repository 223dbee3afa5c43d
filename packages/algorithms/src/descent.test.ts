import test from 'ava'
import { Descent } from './descent.js'

const options = { momentum: 0.5, nesterov: false, weightDecay: 0 }

test('a step goes to the vector that is given, which may be the parameters themselves', (t) => {
  const x = Float32Array.of(10, 20)
  const out = new Float32Array(2)
  const descent = new Descent(2, options)
  t.is(descent.step(x, x, { vector: Float32Array.of(2, 4) }, 0.5, 0, out), out)
  t.deepEqual([...out], [9, 18])
  t.deepEqual([...x], [10, 20])
  t.is(descent.step(x, x, { vector: Float32Array.of(2, 4) }, 1, 1, x), x)
  t.deepEqual([...x], [7, 14])
})

test('the velocity lies where it is told to', (t) => {
  const velocity = new Float32Array(1)
  const x = Float32Array.of(1)
  new Descent(1, options, [], velocity).step(x, x, { vector: Float32Array.of(3) }, 1, 0)
  t.deepEqual([...velocity], [3])
})

test('a long step that overflows in one element is told from others', (t) => {
  const x = new Float32Array(5000)
  const vector = new Float32Array(5000)
  t.notThrows(() => new Descent(5000, options).step(x, x, { vector }, 10, 0))
  vector[4321] = 3e38
  t.throws(() => new Descent(5000, options).step(x, x, { vector }, 10, 7), {
    name: 'DivergedError',
    message: /round 7: the parameters are not finite/
  })
})
