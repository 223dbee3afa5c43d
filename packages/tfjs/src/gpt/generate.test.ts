import { InputError } from '@murmuration/core'
import { createRandom } from '@murmuration/random'
import test from 'ava'
import { generated, type Generation } from './generate.js'

const how = (given: Partial<Generation>): Generation => ({
  length: 5,
  temperature: 0,
  random: createRandom(1, 'text'),
  ...given
})
const counting = (classes: number) => ({
  context: 3,
  /** After each number, the next one has probability 0.9. */
  probabilitiesOf: (window: Float32Array) =>
    Float32Array.from({ length: 3 * classes }, (_, k) => {
      const place = Math.floor(k / classes)
      const one = k % classes
      return one === (window[place] + 1) % classes ? 0.9 : 0.1 / (classes - 1)
    })
})

async function all(numbers: AsyncIterable<number>): Promise<number[]> {
  const found: number[] = []
  for await (const number of numbers) found.push(number)
  return found
}

test('each character follows from those before it, from a beginning shorter and longer than the context', async (t) => {
  t.deepEqual(await all(generated([4], counting(7), how({}))), [5, 6, 0, 1, 2])
  t.deepEqual(await all(generated([0, 1, 2, 3, 4], counting(7), how({}))), [5, 6, 0, 1, 2])
})

test('a window holds the last characters, and zeros after them', async (t) => {
  const seen: number[][] = []
  const { probabilitiesOf } = counting(7)
  const model = {
    context: 3,
    probabilitiesOf: (window: Float32Array) => (seen.push([...window]), probabilitiesOf(window))
  }
  t.deepEqual(await all(generated([1, 2], model, how({ length: 3 }))), [3, 4, 5])
  t.deepEqual(seen, [
    [1, 2, 0],
    [1, 2, 3],
    [2, 3, 4]
  ])
})

for (const temperature of [0.5, 1, 2])
  test(`characters are as frequent as p^(1/T) says at T = ${temperature}`, async (t) => {
    const probabilities = [0.6, 0.3, 0.1]
    const model = { context: 1, probabilitiesOf: () => Float32Array.from(probabilities) }
    const times = [0, 0, 0]
    for await (const one of generated([0], model, how({ length: 20_000, temperature }))) times[one]++
    const weights = probabilities.map((p) => p ** (1 / temperature))
    const total = weights.reduce((sum, weight) => sum + weight)
    for (const [k, weight] of weights.entries())
      t.true(Math.abs(times[k] / 20_000 - weight / total) < 0.015, `${times[k]} times ${k}`)
  })

test('the same seed gives the same text, another seed another one', async (t) => {
  const text = (seed: number) =>
    all(generated([0], counting(9), how({ length: 40, temperature: 3, random: createRandom(seed, 'text') })))
  t.deepEqual(await text(1), await text(1))
  t.notDeepEqual(await text(1), await text(2))
})

const refused: readonly (readonly [string, readonly number[], Partial<Generation>, RegExp])[] = [
  ['no beginning', [], {}, /^the beginning of the text is empty/],
  ['a length of 0', [1], { length: 0 }, /^the length is 0, expected a whole number/],
  ['a temperature below 0', [1], { temperature: -1 }, /^the temperature is -1, expected a number of at least 0/],
  ['a temperature that is no number', [1], { temperature: Number.NaN }, /^the temperature is NaN/]
]
for (const [what, beginning, given, message] of refused)
  test(`${what} is refused`, async (t) => {
    await t.throwsAsync(all(generated(beginning, counting(3), how(given))), { instanceOf: InputError, message })
  })
