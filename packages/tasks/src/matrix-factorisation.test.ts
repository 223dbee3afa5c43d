import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { InputError } from '@murmuration/core'
import { drawRatings } from '@murmuration/data'
import test from 'ava'
import { MatrixFactorisation } from './matrix-factorisation.js'
import { RowsModel } from './rows-model.js'
import { createMatrixFactorisationTask, createMatrixFactorisationTaskSet } from './matrix-factorisation-task.js'

const drawn = {
  users: 30,
  items: 20,
  ratings: 500,
  rank: 3,
  noise: 0.2,
  zipf: 1,
  l2: 0.05,
  peers: ['a', 'b', 'c'],
  seed: 3
}

test('every number of the gradient is the slope of the loss along it, by finite differences', (t) => {
  const ratings = drawRatings(drawn)
  const model = new RowsModel(new MatrixFactorisation(ratings, ratings, 3, 0.05))
  const x = model.initialise(1).map((value) => 4 * value + 0.1)
  const batch = Uint32Array.of(0, 3, 4, 9, 11, 200)
  const gradient = new Float32Array(x.length)
  const scratch = new Float32Array(x.length)
  model.gradient(x, 7, batch, gradient, 0)
  const lossAt = (at: number, by: number) => {
    const moved = x.slice()
    moved[at] += by
    return { loss: model.gradient(moved, 7, batch, scratch, 0), at: moved[at] }
  }
  let slopes = 0
  for (let at = 0; at < x.length; at++) {
    const up = lossAt(at, 0.01)
    const down = lossAt(at, -0.01)
    const measured = (up.loss - down.loss) / (up.at - down.at)
    t.true(
      Math.abs(measured - gradient[at]) < 1e-5 + 1e-3 * Math.abs(measured),
      `${at}: ${measured}, and ${gradient[at]} by the gradient`
    )
    if (gradient[at] !== 0) slopes++
  }
  t.true(slopes > 20 && slopes <= 2 * batch.length * 4)
})

test('the loss of one rating is its square error and the penalty of its two rows', (t) => {
  const one = { users: 1, items: 1, user: Uint32Array.of(0), item: Uint32Array.of(0), value: Float32Array.of(4) }
  const model = new RowsModel(new MatrixFactorisation(one, one, 1, 0.5))
  // μ = 4; the prediction is 4 + 2 · 3 + 0.5 − 0.25.
  const loss = model.gradient(Float32Array.of(2, 0.5, 3, -0.25), 0, Uint32Array.of(0), new Float32Array(4), 0)
  t.is(loss, 6.25 ** 2 + 0.5 * (4 + 0.25 + 9 + 0.0625))
})

test("the peers' ratings are those of different users, and together all", async (t) => {
  const set = await createMatrixFactorisationTaskSet(drawn)
  const tasks = drawn.peers.map((peer) => set.of(peer))
  const users = tasks.map(({ rows, samples }) =>
    [...(rows?.keysOf(Uint32Array.from({ length: samples }, (_, n) => n)) ?? [])].filter((key) => key < drawn.users)
  )
  t.is(users.flat().length, new Set(users.flat()).size)
  t.is(
    tasks.reduce((sum, { samples }) => sum + samples, 0),
    set.union.samples
  )
  const own = await createMatrixFactorisationTask({ ...drawn, self: 'b' })
  const batch = Uint32Array.of(1, 5)
  t.deepEqual(own.rows?.keysOf(batch), tasks[1].rows?.keysOf(batch))
})

test('items of different blocks are apart, and every block has some', async (t) => {
  const { rows, samples } = (await createMatrixFactorisationTaskSet(drawn)).union
  const items = new Map<number, Set<number>>()
  for (let n = 0; n < samples; n++) {
    const block = rows?.blockOf?.(n, 3) ?? -1
    const [, item] = rows?.keysOf(Uint32Array.of(n)) ?? []
    items.set(block, (items.get(block) ?? new Set()).add(item))
  }
  t.deepEqual([...items.keys()].sort(), [0, 1, 2])
  const all = [...items.values()].flatMap((of) => [...of])
  t.is(all.length, new Set(all).size)
})

test("items are rated by Zipf's law", (t) => {
  const { item } = drawRatings({ ...drawn, items: 100, ratings: 50_000 })
  const counts = new Array<number>(100).fill(0)
  for (const each of item) counts[each]++
  const harmonic = counts.reduce((sum, _, k) => sum + 1 / (k + 1), 0)
  for (const k of [0, 1, 3, 9]) t.true(Math.abs((counts[k] / 50_000) * harmonic * (k + 1) - 1) < 0.06, `item ${k}`)
})

test('a file of ratings is a task, and what is wrong in one is named with its line', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'murmuration-test-'))
  t.teardown(() => rm(folder, { recursive: true }))
  const file = join(folder, 'ratings.csv')
  const lines = Array.from({ length: 60 }, (_, n) => `${7 * (1 + (n % 6))},${100 + (n % 5)},${(n % 10) / 2},964982703`)
  await writeFile(file, ['userId,movieId,rating,timestamp', ...lines, ''].join('\n'))
  const task = await createMatrixFactorisationTask({ ...drawn, file, self: 'a' })
  t.deepEqual(
    task.schema.map(({ shape }) => shape),
    [
      [6, 4],
      [5, 4]
    ]
  )
  await writeFile(file, 'userId,movieId,rating,timestamp\n1,2,3.5,4\n1,two,3,4\n')
  await t.throwsAsync(createMatrixFactorisationTask({ ...drawn, file }), {
    message: `${file}: line 3 has "two" as movieId, expected a whole number of at least 0`
  })
  await writeFile(file, '1,2,3\n')
  await t.throwsAsync(createMatrixFactorisationTask({ ...drawn, file }), {
    message: /line 1 is "1,2,3", expected userId,movieId,rating,timestamp/
  })
  await t.throwsAsync(createMatrixFactorisationTask({ ...drawn, file: `${file}.gone` }), {
    message: /cannot be read .*expected a file of ratings/
  })
})

test('a model of more numbers than a vector may have is refused before memory is taken', (t) => {
  const ratings = drawRatings(drawn)
  t.throws(() => new RowsModel(new MatrixFactorisation({ ...ratings, users: 2 ** 30 }, ratings, 3, 0.05)), {
    instanceOf: InputError,
    message: 'found 1073741844 rows of 4 numbers, expected fewer than 2^32 numbers in all; lower the rank'
  })
})
