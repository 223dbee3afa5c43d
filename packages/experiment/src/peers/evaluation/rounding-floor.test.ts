import { InputError } from '@murmuration/core'
import test from 'ava'
import { roundingFloor } from './rounding-floor.js'

test('the floor is that of float32 where rounding is made up for, and otherwise that of what is rounded anew each round', (t) => {
  for (const codec of ['float32', 'delta-float16', 'delta-bfloat16', 'delta-int8', 'delta-int4'])
    t.is(roundingFloor(codec), 1e-5, codec)
  t.is(roundingFloor('float16'), 1e-3)
  t.is(roundingFloor('bfloat16'), 1e-2)
  t.is(roundingFloor('int8'), 0.1)
  t.is(roundingFloor('int4'), Number.POSITIVE_INFINITY)
  t.is(roundingFloor('top-k:0.01'), Number.POSITIVE_INFINITY)
})

test('auto promises what the coarsest of its codecs does', (t) => {
  t.is(roundingFloor('auto'), 1e-3)
})

test('nothing is promised of a codec that nobody knows', (t) => {
  t.throws(() => roundingFloor('flaot16'), { instanceOf: InputError })
})
