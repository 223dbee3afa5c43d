import test from 'ava'
import { inSlices } from './slices.js'

const clock = { now: () => 0, sleep: () => Promise.resolve() }

test('a vector of one slice is done at once, without a promise', (t) => {
  const slices: number[][] = []
  t.is(
    inSlices(clock, 57, (from, to) => slices.push([from, to])),
    undefined
  )
  t.deepEqual(slices, [[0, 57]])
})

test('a long vector is cut into slices without gaps, and the peer’s messages come and go between them', async (t) => {
  const slices: number[][] = []
  let sleeps = 0
  const counting = { ...clock, sleep: async () => void sleeps++ }
  await inSlices(counting, 600_000, (from, to) => slices.push([from, to]))
  t.is(slices[0][0], 0)
  t.is(slices.at(-1)?.[1], 600_000)
  t.true(slices.length > 1)
  for (let k = 1; k < slices.length; k++) t.is(slices[k][0], slices[k - 1][1])
  t.is(sleeps, slices.length - 1)
})
