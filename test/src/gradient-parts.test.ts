/** An all-reduce per tensor takes the mean of each part of a gradient while the rest is computed. */
import { InputError, type Task, type WorkPart } from '@murmuration/core'
import test from 'ava'
import { countingTask, historyOf, type MethodSettings, namesOf } from './central-worlds.js'

const tensors = [7, 1, 40, 16, 3]
const layers: readonly WorkPart[] = [
  { offset: 64, length: 3, done: 0.4 },
  { offset: 48, length: 16, done: 0.5 },
  { offset: 8, length: 40, done: 0.75 },
  { offset: 0, length: 8, done: 1 }
]
const workers = namesOf(5)

interface Given extends Partial<MethodSettings> {
  readonly parts?: readonly WorkPart[]
}

/** Three rounds; a gradient takes 100 ms, and differs by worker. */
function trained({ parts, ...settings }: Given) {
  const taskOf = (self?: string): Task => {
    const own = workers.findIndex((name) => name === self)
    const task = countingTask(tensors, (x, count) => x.map((value, k) => value / 3 + (own + 1) / (k + count + 2)))
    const gradient: Task['gradient'] = (...at) => ({ ...task.gradient(...at), parts })
    return { ...task, gradient }
  }
  const method = { algorithm: 'all-reduce', seed: 1, batchSize: 2, rounds: 3, rate: () => 0.1, timeout: 60_000 }
  // A number takes 1 ms on a line.
  const world = { workers, taskOf, latency: 1, bandwidth: 32_000, cost: () => 100 }
  return historyOf(world, { ...method, ...settings })
}

const perTensor = { fusion: 'per-tensor', calls: 'blocking', chunks: 2 }

for (const collective of ['ring', 'halving-doubling', 'direct']) {
  test(`with and without parts, ${collective} gives the same bits; with parts in less time`, async (t) => {
    const options = { ...perTensor, collective }
    const whole = await trained({ options })
    const byPart = await trained({ options, parts: layers })
    t.deepEqual(byPart.ends, whole.ends)
    t.is(new Set(byPart.ends.map(String)).size, 1)
    t.true(byPart.elapsed < whole.elapsed - 3 * 30, `${byPart.elapsed} ms, ${whole.elapsed} ms`)
  })
}

test('streamed, the tensors of a part are sent at once, with the same bits', async (t) => {
  const options = { ...perTensor, calls: 'streamed' }
  const parts = [
    { offset: 48, length: 19, done: 0.5 },
    { offset: 0, length: 48, done: 1 }
  ]
  const whole = await trained({ options })
  const byPart = await trained({ options, parts })
  t.deepEqual(byPart.ends, whole.ends)
  t.true(byPart.elapsed < whole.elapsed)
})

test('fused, or with clipping or accumulated gradients, all parts are awaited', async (t) => {
  const cases: readonly Given[] = [
    { options: { fusion: 'fused' } },
    { options: perTensor, clip: 0.5 },
    { options: perTensor, accumulate: 2 }
  ]
  for (const given of cases) {
    const [whole, byPart] = [await trained(given), await trained({ ...given, parts: layers })]
    t.is(byPart.elapsed, whole.elapsed)
    t.deepEqual(byPart.ends, whole.ends)
  }
})

test('parts that are not the tensors, each once, in the order of time, are refused', async (t) => {
  const [first, second, third, last] = layers
  const wrong: readonly (readonly [readonly WorkPart[], string])[] = [
    [[first, second, third], 'found one at 8, expected whole tensors, each once, the next at 0'],
    [[second, third, last], 'found parts up to 64, expected all tensors, up to 67'],
    [[first, second, second, third, last], 'found one at 48, expected whole tensors, each once, the next at 64'],
    [
      [first, second, third, { offset: 0, length: 5, done: 1 }],
      'found one at 8, expected whole tensors, each once, the next at 5'
    ],
    [[second, first, third, last], 'found 0.4 after 0.5, expected fractions that do not fall, 0 to 1'],
    [
      [first, second, third, { ...last, done: Number.NaN }],
      'found NaN after 0.75, expected fractions that do not fall, 0 to 1'
    ]
  ]
  for (const [parts, message] of wrong) {
    const options = perTensor
    await t.throwsAsync(trained({ options, parts }), { instanceOf: InputError, message: new RegExp(message) })
  }
})
