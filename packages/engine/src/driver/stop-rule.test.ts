import test from 'ava'
import { gapOf } from './gap.js'
import { figuresIn, StopFigures } from './stop-figures.js'
import { figureNames, foundIn, StopHistory, stopText } from './stop-rule.js'

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
  t.like(foundIn([at(1, 0.5), at(-1e300, 1), at(2, 0.6)], 3), at(1, 0.6))
  t.like(foundIn([at(1, 0.5), at(3, 0.7)], 2), at(2, 0.6))
})

test('the gap is of the parts of all workers, added in the same order by all, and is not known without one of them', (t) => {
  const rule = { gap: 1 }
  const names = figureNames(rule)
  const parts = [1e16, 1, -1e16, 1].map((value) => ({ value, slope: 2, curvature: 1, spread: 0 }))
  const gapOfOrder = (places: readonly number[]) => {
    const figures = new StopFigures(names)
    for (const place of places) figures.take(9, place, parts[place])
    const [[, all]] = figures.end(() => true)
    return foundIn(all, 4, 0.5).gap
  }
  t.is(gapOfOrder([0, 1, 2, 3]), gapOf(parts, 0.5))
  t.not(gapOf(parts.toReversed(), 0.5), gapOf(parts, 0.5))
  t.is(gapOfOrder([3, 1, 0, 2]), gapOf(parts, 0.5))
  t.is(gapOfOrder([0, 1, 3]), undefined)
  const history = new StopHistory()
  history.conclude(rule, 9, { loss: 0 })
  history.conclude(rule, 19, { gap: Number.NaN })
  t.is(history.stop, undefined)
  history.conclude(rule, 29, { gap: 1 })
  t.deepEqual(history.stop, { evaluated: 29, condition: 3, value: 1 })
  t.is(stopText({ evaluated: 29, condition: 3, value: 1 }, rule), 'the duality gap is 1, and 1 is small enough')
})

test('parts of the gap are told in groups of three, and beside other figures of two; wrong ones are refused', (t) => {
  const part = { value: -0.5, slope: 2, curvature: 1, spread: 0 }
  for (const [rule, size] of [
    [{ gap: 1 }, 3],
    [{ gap: 1, loss: 1 }, 2]
  ] as const) {
    const names = figureNames(rule)
    const each = { ...(size === 2 && { loss: 0.1, accuracy: 0 }), ...part }
    const told: (readonly [number, readonly number[]])[] = []
    const figures = new StopFigures(names)
    for (let place = 0; place < 4; place++) figures.take(9, place, each)
    figures.tell((group, numbers) => told.push([group, numbers]) > 0)
    t.deepEqual(
      told.flatMap(([group, numbers]) => [...(figuresIn(group, numbers, 4, names) ?? [])]),
      Array.from({ length: 4 }, (_, place) => [place, each])
    )
    // A message has room for 15.
    t.deepEqual(
      told.map(([group, { length }]) => [group, length]),
      [
        [0, 14],
        [1, size === 3 ? 6 : 14]
      ]
    )
    const [[, numbers]] = told
    for (const wrong of [-1, Number.NaN, Number.POSITIVE_INFINITY])
      for (const last of [1, 2, 3]) t.is(figuresIn(0, numbers.with(-last, wrong), 4, names), undefined, `${wrong}`)
    const resumed = new StopFigures(names)
    resumed.restore(figures.saved())
    t.deepEqual(
      resumed.end(() => true),
      figures.end(() => true)
    )
  }
})

test('figures are told in groups of six, once; what no peer sends is refused', (t) => {
  const names = figureNames({ patience: 2 })
  const figures = new StopFigures(names)
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
  t.deepEqual([...(figuresIn(0, numbers, 2, names) ?? [])], [[1, at(0.1, 0.2)]])
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
  for (const each of wrong) t.is(figuresIn(0, each, 2, names), undefined, each.join())
  const resumed = new StopFigures(names)
  resumed.restore(figures.saved())
  t.deepEqual(
    resumed.end(() => true).map(([evaluated, all]) => [evaluated, [...all]]),
    [[9, [at(0.1, 0.2), at(0.3)]]]
  )
})
