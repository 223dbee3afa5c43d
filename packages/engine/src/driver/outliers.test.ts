import { peerName } from '@murmuration/core'
import { createRandom } from '@murmuration/random'
import test from 'ava'
import { OutlierWatch, outlierText, windowRounds } from './outliers.js'

const [a, b, c] = ['a', 'b', 'c'].map(peerName)

/**
 * Feeds rounds of distances of `a`, `b` and so on to a watch, for parameters of norm 10. Returns the named neighbours
 * as 'round: name'.
 */
function namedIn(rounds: readonly (readonly number[])[], watch = new OutlierWatch()): string[] {
  return rounds.flatMap((distances, round) => {
    const from = distances.map((distance, place) => ({ from: [a, b, c][place], distance }))
    return watch.take(round, from, () => 10).map(({ neighbour }) => `${round}: ${neighbour}`)
  })
}

const times = (count: number, ...distances: readonly number[]) => Array.from({ length: count }, () => distances)
const calm = times(20, 1, 1.5)

test('who is a thousand times as far away as is typical is named at once, and once', (t) => {
  t.deepEqual(namedIn([...calm, ...times(10, 1, 2000)]), ['20: b'])
})

test('who is ten times as far away is named in the third round running, and not if it comes back before', (t) => {
  t.deepEqual(namedIn([...calm, ...times(10, 1, 12)]), ['22: b'])
  t.deepEqual(namedIn([...calm, ...times(2, 1, 12), ...calm, ...times(2, 1, 12), ...calm]), [])
})

test('a distance that is not a finite number is named in any round', (t) => {
  for (const distance of [Number.NaN, Number.POSITIVE_INFINITY]) {
    t.deepEqual(namedIn([[1, distance]]), ['0: b'])
    t.deepEqual(namedIn([[distance, 1]]), ['0: a'])
    t.deepEqual(namedIn([...calm, [1, distance]]), ['20: b'])
  }
})

test('where all grow alike, or all are far away, nobody is named', (t) => {
  const growing = Array.from({ length: 200 }, (_, k) => [2 ** k, 1.7 * 2 ** k])
  t.deepEqual(namedIn(growing), [])
  t.deepEqual(namedIn([...calm, [1e6, 1e6], ...times(20, 5e5, 9e5)]), [])
})

test('after somebody was named nobody else is until distances are typical again, or have been others for a whole window', (t) => {
  const watch = new OutlierWatch()
  t.deepEqual(namedIn([...calm, [1, 5000], [3000, 5000], [100, 3000]], watch), ['20: b'])
  t.deepEqual(
    watch.suspects.map(({ neighbour }) => neighbour),
    [b]
  )
  t.deepEqual(namedIn([[1, 1.5]], watch), [])
  t.deepEqual(watch.suspects, [], 'one round with typical distances is enough')
  t.deepEqual(namedIn([[4000, 1]], watch), ['0: a'])
  t.deepEqual(namedIn([...times(2 * windowRounds, 500, 700), [500, 1e6]], watch), [`${2 * windowRounds}: b`])
})

test('a neighbour that has always been farther away than the other is no outlier', (t) => {
  t.deepEqual(namedIn(times(100, 0.5, 50)), [])
})

test('a single neighbour is held against the rounds before', (t) => {
  t.deepEqual(namedIn([...times(20, 1), ...times(5, 30)]), ['22: a'])
  t.deepEqual(namedIn([...times(20, 1), ...times(5, 5000)]), ['20: a'])
})

test('where all start alike, who is farther away in the first round than the parameters are long is an outlier', (t) => {
  t.deepEqual(namedIn([[0, 11]], new OutlierWatch(true)), ['0: b'])
  t.deepEqual(namedIn([[0, 9]], new OutlierWatch(true)), [])
  t.deepEqual(namedIn([[0, 11]]), [])
})

test('what rounding leaves when all have agreed is no outlier', (t) => {
  const random = createRandom(1)
  const rounds = Array.from({ length: 300 }, () => [0, 0, 0].map(() => 1e-5 * 10 ** (-8 * random.uniform())))
  t.deepEqual(namedIn([...calm, ...times(40, 0, 0), ...rounds]), [])
})

test('log-normal distances with a deviation of half a factor e raise no alarm', (t) => {
  for (let seed = 1; seed <= 20; seed++) {
    const random = createRandom(seed)
    const rounds = Array.from({ length: 500 }, () => [0, 0].map(() => Math.exp(0.5 * random.normal())))
    t.deepEqual(namedIn(rounds), [], `seed ${seed}`)
  }
})

test('the text says who, how far, when, and what is typical', (t) => {
  const outlier = { neighbour: b, round: 7, distance: 1e38, typical: 2.345 }
  t.is(outlierText(outlier), 'b sent parameters at a distance of 1e+38 in round 7 (typical: 2.3)')
})
