import { peerName } from '@murmuration/core'
import test from 'ava'
import { Strikes } from './strikes.js'

const a = peerName('a')
const timeout = 1000

test('a peer that has cost a timeout stays out for four times as long, and never for more than 16 timeouts', (t) => {
  const strikes = new Strikes()
  strikes.add(a, timeout, timeout, false, 0)
  t.deepEqual(strikes.struck(3999), [a])
  t.deepEqual(strikes.struck(4000), [])
  for (let k = 0; k < 20; k++) strikes.add(a, timeout, timeout, false, 4000)
  t.deepEqual(strikes.struck(19_999), [a])
  t.deepEqual(strikes.struck(20_000), [])
})
