import test from 'ava'
import { mismatchOf, startOfTensors } from './run-settings.js'

const schema = [
  { name: 'W', shape: [2] },
  { name: 'b', shape: [1] }
]
const settings = { run: 'r' }
const startOf = (own: typeof schema, ...numbers: number[]) => startOfTensors(schema, own, Float32Array.from(numbers))

test('peers of different stages agree where no tensor that both have begins differently', (t) => {
  const run = (start: string) => ({ settings, schema, start, longest: 2 })
  const first = run(startOf([schema[0]], 1, 2))
  t.is(mismatchOf(first, run(startOf([schema[1]], 3))), undefined)
  t.is(mismatchOf(first, run(startOf(schema, 1, 2, 3))), undefined)
  const other = mismatchOf(first, run(startOf(schema, 1, 2.5, 3)))
  t.is(other?.code, 'start')
  t.regex(other?.reason ?? '', /^the start parameters of W have the hash "[0-9a-f]{16}" here and "[0-9a-f]{16}" there/)
})

test('a whole model is compared as one', (t) => {
  const run = (start: string) => ({ settings, schema, start })
  t.is(mismatchOf(run('aa'), run('aa')), undefined)
  t.regex(
    mismatchOf(run('aa'), run('bb'))?.reason ?? '',
    /^the start parameters have the hash "aa" here and "bb" there/
  )
})

test('peers agree on the longest vector', (t) => {
  const run = (longest?: number) => ({ settings, schema, start: 'aa', ...(longest === undefined ? {} : { longest }) })
  t.is(mismatchOf(run(3), run()), undefined)
  t.is(mismatchOf(run(4), run())?.reason, 'the longest vector has 4 numbers here and 3 there')
})
