import { createRandom } from '@murmuration/random'
import test from 'ava'
import { dirichlet, logGamma } from './dirichlet.js'

const average = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length

for (const shape of [0.3, 1, 4.5]) {
  test(`gamma draws of shape ${shape} have mean and variance ${shape}`, (t) => {
    const random = createRandom(1, 'gamma')
    const draws = Array.from({ length: 50_000 }, () => Math.exp(logGamma(shape, random)))
    const mean = average(draws)
    const variance = average(draws.map((draw) => (draw - shape) ** 2))
    t.true(Math.abs(mean / shape - 1) < 0.03, `mean ${mean}`)
    t.true(Math.abs(variance / shape - 1) < 0.08, `variance ${variance}`)
  })
}

test('Dirichlet fractions sum to 1, with mean 1/n and variance (n − 1) / (n² (n alpha + 1))', (t) => {
  const random = createRandom(2, 'dirichlet')
  const alpha = 0.5
  const count = 4
  const draws = Array.from({ length: 20_000 }, () => dirichlet(alpha, count, random))
  t.true(draws.every((fractions) => Math.abs(fractions.reduce((sum, fraction) => sum + fraction, 0) - 1) < 1e-12))
  const firsts = draws.map(([fraction]) => fraction)
  const variance = (count - 1) / (count ** 2 * (count * alpha + 1))
  t.true(Math.abs(average(firsts) - 1 / count) < 0.01)
  t.true(Math.abs(average(firsts.map((fraction) => (fraction - 1 / count) ** 2)) / variance - 1) < 0.05)
})

test('a tiny alpha gives all to one, and no NaN', (t) => {
  const random = createRandom(3, 'dirichlet')
  for (let k = 0; k < 100; k++) {
    const fractions = dirichlet(1e-4, 8, random)
    t.true(Math.max(...fractions) > 0.99)
  }
})
