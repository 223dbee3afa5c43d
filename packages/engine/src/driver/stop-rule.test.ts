import test from 'ava'
import { figuresIn, StopFigures } from './stop-figures.js'
import { medianFigures, StopHistory, stopText } from './stop-rule.js'

const at = (loss: number, accuracy = 0) => ({ loss, accuracy })

test('training ends with the first figures that meet a condition, and the earlier of two decisions counts', (t) => {
  const rule = { loss: 0.5, accuracy: 0.9, patience: 2 }
  const after = (...all: readonly { readonly loss: number; readonly accuracy: number }[]) => {
    const history = new StopHistory()
    all.forEach((figures, index) => history.conclude(rule, 10 * index, figures))
    return history.stop
  }
  t.is(after(at(0.7), at(0.51), at(0.6)), undefined)
  t.deepEqual(after(at(0.7), at(0.5), at(0.4)), { evaluated: 10, condition: 0, value: 0.5 })
  t.deepEqual(after(at(0.7, 0.89), at(0.8, 0.9)), { evaluated: 10, condition: 1, value: 0.9 })
  t.deepEqual(after(at(0.7), at(0.7), at(0.7)), { evaluated: 20, condition: 2, value: 0.7 })
  t.is(after(at(0.7), at(0.8), at(0.69), at(0.7)), undefined)
  const history = new StopHistory()
  for (const evaluated of [30, 20, 40]) history.take({ evaluated, condition: 0, value: 0 })
  t.is(history.stop?.evaluated, 20)
  t.is(
    stopText({ evaluated: 9, condition: 1, value: 0.91234 }, rule),
    "the peers' median accuracy is 0.912, and 0.9 is high enough"
  )
})

test('a round counts once, also where it is repeated in a new epoch, and after a checkpoint', (t) => {
  const rule = { patience: 2 }
  const history = new StopHistory()
  for (const evaluated of [0, 10, 10]) history.conclude(rule, evaluated, at(1))
  t.is(history.stop, undefined)
  const resumed = new StopHistory()
  resumed.restore(history.saved() as Record<string, number>)
  resumed.conclude(rule, 10, at(1))
  t.is(resumed.stop, undefined)
  resumed.conclude(rule, 20, at(1))
  t.is(resumed.stop?.evaluated, 20)
})

test('one liar among three does not move the median beyond what others say', (t) => {
  t.deepEqual(medianFigures([at(1, 0.5), at(-1e300, 1), at(2, 0.6)]), at(1, 0.6))
  t.deepEqual(medianFigures([at(1, 0.5), at(3, 0.7)]), at(2, 0.6))
})

test('figures are told in groups of six, once; what no peer sends is refused', (t) => {
  const figures = new StopFigures()
  const told: (readonly [number, readonly number[]])[] = []
  const tell = () => figures.tell((group, numbers) => told.push([group, numbers]) > 0)
  figures.take(9, 1, at(0.1, 0.2))
  figures.take(9, 7, at(0.3))
  figures.take(9, 1, at(5))
  tell()
  tell()
  t.deepEqual(told, [
    [0, [9, 2, 0.1, 0.2]],
    [1, [9, 2, 0.3, 0]]
  ])
  const [[, numbers]] = told
  t.deepEqual([...(figuresIn(0, numbers, 2) ?? [])], [[1, at(0.1, 0.2)]])
  const wrong: readonly (readonly number[])[] = [
    [9],
    [9, 0],
    [9, 64, 1, 0],
    [9, 1.5, 1, 0],
    [9, 1],
    [9, 3, 1, 0],
    [9, 1, Number.NaN, 0],
    [9, 1, 1, 1.5],
    [9, 1, 1, -1],
    [9, 4, 1, 0]
  ]
  for (const each of wrong) t.is(figuresIn(0, each, 2), undefined, each.join())
  const resumed = new StopFigures()
  resumed.restore(figures.saved())
  t.deepEqual(
    resumed.end(() => true).map(([evaluated, all]) => [evaluated, [...all]]),
    [[9, [at(0.1, 0.2), at(0.3)]]]
  )
})
