import test from 'ava'
import { Incarnations } from './incarnations.js'

/** The answers to hellos of these processes, each at a place of its own. */
function answers(...hellos: readonly string[]) {
  const incarnations = new Incarnations()
  return hellos.map((name) => incarnations.meet(name, `place of ${name}`))
}

test('two processes that both come back are named, with their places', (t) => {
  t.deepEqual(answers(...'xyxyx').filter(Boolean), [])
  t.deepEqual(answers(...'xyxyxyx').slice(-2), [
    ['place of x', 'place of y'],
    ['place of y', 'place of x']
  ])
  t.deepEqual(answers(...'xyzxyzxyz').at(-1), ['place of y', 'place of z'])
})

test('a peer that restarts often, connects again, or whose last hello is read late, is one process', (t) => {
  const lives = Array.from({ length: 40 }, (_, k) => `life ${k >> 1}`)
  t.true(answers(...lives).every((each) => each === undefined))
  t.true(answers(...'xyxyyyyy').every((each) => each === undefined))
  t.true(answers(...'xyxyzyz').every((each) => each === undefined))
})

test('after two processes were found, another one counts as new', (t) => {
  t.is(answers(...'xyxyxyz').at(-1), undefined)
})
