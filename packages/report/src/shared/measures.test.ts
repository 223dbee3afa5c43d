import test from 'ava'
import { valueText } from './measures.js'

test('a measure without a number: the target was never reached, or the runs failed where there is none', (t) => {
  t.is(valueText('secondsToTarget', null), 'never')
  t.is(valueText('secondsPerRound', null), 'failed')
  t.is(valueText('secondsPerRound', 0.25), '250 ms')
})
