import test from 'ava'
import { WeightDecay } from './decay.js'

const untrained = [{ offset: 1, length: 2, momentum: 1 }]
const x = Float32Array.of(10, 20, 30, 40)
const g = () => Float32Array.of(1, 2, 3, 4)

test('decay is added where parameters are trained, in other memory or in place', (t) => {
  const decay = new WeightDecay(untrained, 0.5)
  const expected = [6, 2, 3, 24]
  t.deepEqual([...decay.write(new Float32Array(4), g(), x)], expected)
  t.deepEqual([...decay.add(g(), x)], expected)
  t.deepEqual([...decay.write(new Float32Array(4), g(), x, 2, 4)], [0, 0, 3, 24])
  t.is(decay.squaresOf(g(), x), 6 ** 2 + 24 ** 2)
  t.deepEqual(
    decay.trainedOf(x).map((part) => [...part]),
    [[10], [40]]
  )
})

test('without decay nothing is added', (t) => {
  const none = new WeightDecay(untrained)
  t.deepEqual([...none.write(new Float32Array(4), g(), x)], [1, 2, 3, 4])
  t.deepEqual([...none.add(g(), x)], [1, 2, 3, 4])
  t.is(none.squaresOf(g(), x), 1 + 16)
})
