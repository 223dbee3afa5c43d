import { InputError } from '@murmuration/core'
import test from 'ava'
import { peersNeeded } from './min-finished.js'

test('a percentage of the peers is the least whole number that is as many', (t) => {
  const of = (amount: number, peers: number) => peersNeeded({ amount, unit: '%' }, peers)
  t.deepEqual([of(28, 25), of(14, 50), of(55, 100), of(50, 3), of(0, 4), of(100, 7)], [7, 7, 55, 2, 0, 7])
  t.throws(() => peersNeeded({ amount: 5, unit: 'peers' }, 4), { instanceOf: InputError })
})
