import { InvariantError, type Task } from '@murmuration/core'
import { createRandom } from '@murmuration/random'
import test from 'ava'
import { Batches } from './batches.js'
import { sliceLength } from '../vectors/slices.js'
import { type GradientOptions, Gradients } from './gradients.js'
import { Arena } from '../vectors/vector.js'

/** The gradients of a task that computes them by `gradient`, at parameters of this length. */
function gradientsOf(
  gradient: (round: number) => ReturnType<Task['gradient']>,
  { length = 1, ...more }: Partial<GradientOptions> & { readonly length?: number } = {}
) {
  const task = { samples: 8, gradient: (_x: unknown, _batch: unknown, round = 0) => gradient(round) }
  const arena = new Arena({ allocate: (size) => new Float32Array(size), free: () => {} }, true)
  const options = { batchSize: 2, ...more }
  const random = createRandom(1, 'a')
  const owner = { diverged: (_round: number, found: string) => new Error(found) }
  const gradients = new Gradients(arena, task as unknown as Task, options, [], random, owner)
  const vectorOf = (values: readonly number[]) => arena.adopt(Float32Array.from(values))
  return { gradients, vectorOf, x: () => arena.adopt(new Float32Array(length)) }
}

/** The seeds of the draws of three rounds, in order. */
async function seedsOf(accumulate: number): Promise<readonly number[]> {
  const seeds: number[] = []
  const { gradients, x } = gradientsOf(
    (round) => {
      seeds.push(round)
      return { kind: 'gradient', samples: 2, run: () => ({ loss: 1, vector: Float32Array.of(1) }) }
    },
    { accumulate }
  )
  for (const round of [0, 1, 2]) await gradients.work(x(), round).run()
  return seeds
}

test('every batch of a gradient over several draws its own dropout, and no round that of another', async (t) => {
  t.deepEqual(await seedsOf(1), [0, 1, 2])
  t.deepEqual(await seedsOf(3), [0, 1, 2, 3, 4, 5, 6, 7, 8])
})

test('a gradient over several batches is the mean over all of their samples, its loss too, and each sample counts once', async (t) => {
  const samples = [3, -7, 20, 8, 1, 29]
  const task = {
    samples: samples.length,
    gradient: (x: Float32Array, batch: Uint32Array) => ({
      kind: 'gradient',
      samples: batch.length,
      run: () => {
        const mean = batch.reduce((sum, sample) => sum + samples[sample], 0) / batch.length
        return { loss: mean ** 2, vector: x.map((value) => value - mean) }
      }
    })
  }
  const arena = new Arena({ allocate: (size) => new Float32Array(size), free: () => {} }, true)
  const owner = { diverged: (_round: number, found: string) => new Error(found) }
  const given = [
    arena,
    task as unknown as Task,
    { batchSize: 2, accumulate: 3 },
    [],
    createRandom(1, 'a'),
    owner
  ] as const
  const gradients = new Gradients(...given)
  const work = gradients.work(arena.adopt(Float32Array.of(1, 4)), 0)
  t.is(work.samples, 6)
  const { values } = await work.run()
  // All six samples have the mean 9, whatever their order.
  t.true(Math.abs(values[0] - (1 - 9)) < 1e-5 && Math.abs(values[1] - (4 - 9)) < 1e-5, `${values}`)
  const draws = new Batches(createRandom(1, 'a'), samples.length, 2)
  const losses = [0, 1, 2].map(() => draws.next().reduce((sum, sample) => sum + samples[sample] / 2, 0) ** 2)
  t.true(Math.abs((gradients.loss ?? NaN) - (losses[0] + losses[1] + losses[2]) / 3) < 1e-9)
})

test('a gradient is g + λ x, and is cut to the norm c where it is longer (Pascanu 2013, Algorithm 1)', async (t) => {
  const g = [3, -1, 0.5]
  const x = [2, 4, -1]
  const λ = 0.5
  const whole = g.map((value, i) => value + λ * x[i])
  const norm = Math.hypot(...whole)
  for (const [clip, expected] of [
    [undefined, whole],
    [norm + 0.1, whole],
    [norm / 3, whole.map((value) => value / 3)]
  ] as const) {
    const run = () => ({ loss: 1, vector: Float32Array.from(g) })
    const given = { length: 3, weightDecay: λ, ...(clip !== undefined && { clip }) }
    const { gradients, vectorOf } = gradientsOf(() => ({ kind: 'gradient', samples: 2, run }), given)
    const { values } = await gradients.work(vectorOf(x), 0).run()
    t.true(Math.hypot(...expected.map((value, i) => value - values[i])) < 1e-6, `${values} with ${clip}`)
  }
})

test('a gradient keeps its numbers when the task computes the next one in the same memory, and two at once are refused', async (t) => {
  // Long enough to be copied range by range, after the task has returned.
  const vector = new Float32Array(2 * sliceLength)
  const { gradients, x } = gradientsOf((round) => {
    const run = async () => {
      vector.fill(round)
      await Promise.resolve()
      return { loss: 1, vector }
    }
    return { kind: 'gradient', samples: 2, run }
  }, vector)
  const first = await gradients.work(x(), 1).run()
  const second = gradients.work(x(), 2).run()
  t.throws(() => gradients.work(x(), 3), { instanceOf: InvariantError, message: /await one after the other/ })
  t.deepEqual([first.values[0], (await second).values[0]], [1, 2])
})

test('a loss is found to have diverged where it is not finite, or the first one is below its rounding in float32', async (t) => {
  const after = async (first: number, loss: number) => {
    const { gradients, x } = gradientsOf((round) => ({
      kind: 'gradient',
      samples: 2,
      run: () => ({ loss: round === 0 ? first : loss, vector: Float32Array.of(1) })
    }))
    await gradients.work(x(), 0).run()
    return gradients.work(x(), 1).run()
  }
  await t.throwsAsync(after(2, NaN), { message: 'the loss is NaN' })
  await t.throwsAsync(after(2, 4e7), { message: 'the loss rose from 2.00 to 4.00e+7' })
  await t.throwsAsync(after(0, 2e7), { message: / to 2.00e\+7$/ })
  await t.notThrowsAsync(after(0, 1e7))
  await t.notThrowsAsync(after(1e6, 1e13))
  await t.notThrowsAsync(after(2, -1e30))
})
