import test from 'ava'
import { youngGenerationMegabytes } from './run-pool.js'

test('few peers get little memory for short-lived objects, many get more, up to a limit', (t) => {
  t.is(youngGenerationMegabytes(1), 96)
  t.is(youngGenerationMegabytes(100), 96)
  t.is(youngGenerationMegabytes(500), 192)
  t.is(youngGenerationMegabytes(1000), 384)
  t.is(youngGenerationMegabytes(10_000), 384)
})
