import { peerName } from '@murmuration/core'
import test from 'ava'
import { intervalFor, Leases, question } from './leases.js'

const [a, b] = ['a', 'b'].map(peerName)

test('a watcher gets one report per interval, for ten intervals after its last question', (t) => {
  const leases = new Leases()
  t.deepEqual(leases.due(0), [])
  t.is(leases.take(a, question(1000), 0), undefined)
  t.deepEqual(leases.due(0), [a])
  t.deepEqual(leases.due(999), [])
  t.deepEqual(leases.due(1000), [a])
  t.is(leases.take(a, question(1000), 1500), undefined, 'more questions do not mean more reports')
  t.deepEqual(leases.due(1600), [])
  t.deepEqual(leases.due(11_400), [a])
  t.deepEqual(leases.due(12_400), [])
})

test('there are at most eight watchers; a malformed question is a fault', (t) => {
  const leases = new Leases()
  for (let i = 0; i < 20; i++) t.is(leases.take(peerName(`p${i}`), question(1000), 0), undefined)
  t.is(leases.due(0).length, 8)
  for (const note of ['watch 999', 'watch 60001', 'watch', 'watch 1e3', 'watch 01000', 'watch 1000 '])
    t.is(leases.take(b, note, 0), 'a malformed request for reports', note)
  t.is(leases.take(b, question(1000), 20_000), undefined)
  t.deepEqual(leases.due(20_000), [b], 'leases that have ended make room')
})

test('a watcher asks many peers for few reports each', (t) => {
  t.deepEqual([2, 64, 65, 640, 1_000_000].map(intervalFor), [1000, 1000, 2000, 10_000, 60_000])
})
