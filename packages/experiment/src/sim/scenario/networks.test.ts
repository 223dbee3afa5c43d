import test from 'ava'
import { networks, readyAt, stepOperations } from './networks.js'

const sum = (numbers: readonly number[]) => numbers.reduce((total, each) => total + each, 0)

test('the networks have as many numbers as published', (t) => {
  const sizes = Object.values(networks).map((layers) => sum(layers.map(({ numbers }) => numbers)))
  // torchvision's vgg11 has 132,863,336; Sermanet et al. 2014 give OverFeat's fast network 145 million.
  t.deepEqual(sizes.slice(0, 2), [132_863_336, 145_920_872])
  t.is(sizes[2], 429 * 2048 + 6 * 2048 ** 2 + 2048 * 9304 + 7 * 2048 + 9304)
})

test('a step takes three passes, except for the inputs of the first layer; layers are ready from the last on', (t) => {
  const layers = [10, 1, 4].map((multiplyAdds) => ({ numbers: 1, multiplyAdds }))
  t.is(stepOperations(layers), 2 * (3 * 15 - 10))
  // Forward 15; the last layer's weights 4, inputs 4; the second's 1 and 1; the first's weights 10.
  t.deepEqual(readyAt(layers), [1, 24 / 35, 19 / 35])
  for (const network of Object.values(networks)) {
    const ready = readyAt(network)
    t.is(ready[0], 1)
    t.deepEqual(
      ready,
      ready.toSorted((left, right) => right - left)
    )
    t.true((ready.at(-1) ?? 0) > 1 / 3)
  }
})
