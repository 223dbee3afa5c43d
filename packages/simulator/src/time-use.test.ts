import test from 'ava'
import { TimeUse } from './time-use.js'

test('time is working while something is computed, else sending while something is on a line, else waiting', (t) => {
  const use = new TimeUse()
  use.work(5, 1)
  use.work(7, 1)
  use.transfer(8, 1)
  use.work(10, -1)
  use.work(20, -1)
  t.deepEqual(use.totals(20), { working: 15, sending: 0, waiting: 5 })
  use.transfer(22, 1)
  use.transfer(40, -1)
  use.transfer(60, -1)
  t.deepEqual(use.totals(100), { working: 15, sending: 40, waiting: 45 })
  t.deepEqual(use.totals(100), { working: 15, sending: 40, waiting: 45 })
})

test('after a crash nothing is computed or sent any more', (t) => {
  const use = new TimeUse()
  use.work(0, 1)
  use.transfer(0, 1)
  use.clear(10)
  t.deepEqual(use.totals(30), { working: 10, sending: 0, waiting: 20 })
})
