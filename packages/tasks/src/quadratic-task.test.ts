import { InputError } from '@murmuration/core'
import { createRandom } from '@murmuration/random'
import { axpy, norm } from '@murmuration/vectors'
import test from 'ava'
import fc from 'fast-check'
import type { QuadraticTaskOptions } from './quadratic-options.js'
import { createQuadraticTask } from './quadratic-task.js'

const peers = ['a', 'b', 'c', 'd']
const all = (count: number) => Uint32Array.from({ length: count }, (_, index) => index)

/** Loss and gradient over all samples of the task. */
async function full(options: QuadraticTaskOptions, x: Float32Array) {
  const task = createQuadraticTask(options)
  const { loss, vector } = await task.gradient(x, all(task.samples)).run()
  return { loss, vector: Float32Array.from(vector) }
}

const cases = fc.record({
  seed: fc.integer(),
  dimension: fc.integer({ min: 1, max: 12 }),
  heterogeneity: fc.constantFrom(0, 0.1, 1),
  noise: fc.constantFrom(0, 0.5),
  samples: fc.constant(8)
})

test('at the optimum the peers’ gradients sum to 0, and ζ² and the distance are as asked for', async (t) => {
  await fc.assert(
    fc.asyncProperty(cases, async (drawn) => {
      const options = { ...drawn, peers, distance: 3 }
      const { optimum, minimum } = createQuadraticTask(options)
      const x = Float32Array.from(optimum)
      const mean = await full(options, x)
      t.true(norm(mean.vector) < 1e-5)
      t.true(Math.abs(mean.loss - minimum) < 1e-5)
      t.true(Math.abs(Math.hypot(...optimum) - 3) < 1e-12)
      const own = await Promise.all(peers.map((self) => full({ ...options, self }, x)))
      // ζ² is defined by half the gradient 2 A_iᵀ (A_i x − b_i).
      const zetaSquare = own.reduce((sum, { vector }) => sum + (norm(vector) / 2) ** 2, 0) / peers.length
      t.true(Math.abs(zetaSquare - drawn.heterogeneity) < 1e-4)
    }),
    { numRuns: 30 }
  )
})

test('the gradient is that of the loss, by central differences, which are exact for quadratics', async (t) => {
  const options = { peers, self: 'b', seed: 5, heterogeneity: 1, noise: 1, samples: 4, distance: 1 }
  const task = createQuadraticTask(options)
  const random = createRandom(1)
  const x = Float32Array.from({ length: 10 }, () => Math.round(8 * random.normal()) / 8)
  const batch = Uint32Array.of(2, 0, 2)
  const gradient = Float32Array.from((await task.gradient(x, batch).run()).vector)
  for (const index of x.keys()) {
    const lossAt = async (step: number) => (await task.gradient(axpyUnit(x, index, step), batch).run()).loss
    t.true(Math.abs(((await lossAt(0.5)) - (await lossAt(-0.5))) / 1 - gradient[index]) < 1e-5)
  }
})

function axpyUnit(x: Float32Array, index: number, step: number): Float32Array {
  return x.map((value, place) => (place === index ? value + step : value))
}

test('the evaluation is f(x) − f(x*), with f the mean of the peers’ losses', async (t) => {
  const options = { peers, seed: 2, heterogeneity: 1, distance: 2 }
  const task = createQuadraticTask({ ...options, self: 'a' })
  const random = createRandom(3)
  const x = Float32Array.from({ length: 10 }, () => random.normal())
  const losses = await Promise.all(peers.map(async (self) => (await full({ ...options, self }, x)).loss))
  const mean = losses.reduce((sum, loss) => sum + loss, 0) / peers.length
  const { loss, accuracy } = await task.evaluate(x).run()
  t.true(Math.abs(loss - (mean - task.minimum)) < 1e-6)
  t.is(accuracy, undefined)
  t.true((await task.evaluate(Float32Array.from(task.optimum)).run()).loss < 1e-12)
})

test('the curvature in every direction is between the squares of the singular values', async (t) => {
  const options = { peers: ['a'], seed: 4, smallestSingular: 0.5, largestSingular: 2, distance: 0 }
  const task = createQuadraticTask(options)
  const random = createRandom(4)
  let seen = { least: Infinity, most: 0 }
  for (let k = 0; k < 200; k++) {
    const x = Float32Array.from({ length: 10 }, () => random.normal())
    const curvature = (await task.evaluate(x).run()).loss / norm(x) ** 2
    seen = { least: Math.min(seen.least, curvature), most: Math.max(seen.most, curvature) }
  }
  t.true(seen.least > 0.25 - 1e-6 && seen.most < 4 + 1e-6)
  t.true(seen.least < 1.2 && seen.most > 2.4, `only ${seen.least} to ${seen.most}`)
})

test('noise has the mean 0 and the mean square asked for over a peer’s samples', async (t) => {
  const task = createQuadraticTask({ peers, self: 'c', seed: 6, noise: 0.7, samples: 16 })
  const x = new Float32Array(10)
  const exact = Float32Array.from((await task.gradient(x, all(16)).run()).vector)
  let square = 0
  for (let k = 0; k < 16; k++) {
    const one = Float32Array.from((await task.gradient(x, Uint32Array.of(k)).run()).vector)
    square += norm(axpy(one, -1, exact)) ** 2 / 16
  }
  t.true(Math.abs(square - 0.49) < 1e-5)
  const noiseless = createQuadraticTask({ peers, self: 'c', seed: 6 })
  t.true(norm(axpy(exact, -1, (await noiseless.gradient(x, Uint32Array.of(0)).run()).vector)) < 1e-5)
})

test('the samples of the union are the peers’ samples one after the other', async (t) => {
  const options = { peers, seed: 7, heterogeneity: 1, noise: 1, samples: 5 }
  const x = new Float32Array(10)
  const union = createQuadraticTask(options)
  t.is(union.samples, 20)
  for (const [place, self] of peers.entries()) {
    const own = createQuadraticTask({ ...options, self })
    const { loss } = await own.gradient(x, Uint32Array.of(3)).run()
    t.is((await union.gradient(x, Uint32Array.of(5 * place + 3)).run()).loss, loss)
  }
})

const wrong: readonly (readonly [Partial<QuadraticTaskOptions>, RegExp])[] = [
  [{ peers: [] }, /peers is 0, expected at least one name/],
  [{ self: 'x' }, /self is x, expected one of the peers a, b, c, d/],
  [{ dimension: 0 }, /dimension is 0/],
  [{ smallestSingular: 0 }, /smallestSingular is 0/],
  [{ smallestSingular: 2 }, /largestSingular is 1, expected at least 2/],
  [{ heterogeneity: -1 }, /heterogeneity is -1/],
  [{ noise: Number.NaN }, /noise is NaN/],
  [{ noise: 1, samples: 1 }, /samples is 1, expected at least 2/]
]

for (const [part, message] of wrong) {
  test(`options with ${JSON.stringify(part)} are refused`, (t) => {
    t.throws(() => createQuadraticTask({ peers, seed: 1, ...part }), { instanceOf: InputError, message })
  })
}
