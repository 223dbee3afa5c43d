import { peerName } from '@murmuration/core'
import test from 'ava'
import type { Summary } from './events.js'
import { summaryLines } from './output/texts.js'
import { faultsBySender, faultsSeenBy } from './sender-faults.js'

const [a, b, c, d] = ['a', 'b', 'c', 'd'].map(peerName)

test('a peer tells the faults of those neighbours that have any', (t) => {
  const neighbours = [
    { name: b, faults: { kinds: {}, cutOff: 0 } },
    { name: c, faults: { kinds: { range: 2 }, cutOff: 1 } }
  ]
  t.deepEqual(faultsSeenBy(a, neighbours), [{ sender: c, to: [a], kinds: { range: 2 }, cutOff: 1 }])
})

test('a swarm tells the faults of each sender over all who counted them', (t) => {
  const seen = [
    { sender: d, to: [b], kinds: { flood: 1 }, cutOff: 1 },
    { sender: c, to: [b], kinds: { range: 2, gap: 1 }, cutOff: 1 },
    { sender: c, to: [a], kinds: { range: 3, flood: 4 }, cutOff: 5 }
  ]
  t.deepEqual(faultsBySender(seen), [
    { sender: c, to: [a, b], kinds: { range: 5, gap: 1, flood: 4 }, cutOff: 6 },
    { sender: d, to: [b], kinds: { flood: 1 }, cutOff: 1 }
  ])
  t.deepEqual(faultsBySender([]), [])
})

test('the lines of the summary name the sender, the kinds, and how often it was cut off', (t) => {
  const quiet = {
    kind: 'summary',
    outliers: [],
    faults: [],
    bytesSent: 0,
    bytesReceived: 0,
    bytesOfBusiest: 0,
    lost: []
  }
  const faulty = (faults: Summary['faults']) =>
    summaryLines({ ...quiet, faults } as unknown as Summary).filter((line) => line.includes('at fault'))
  t.deepEqual(faulty([]), [])
  const small = { sender: c, to: [a], kinds: { message: 2 }, cutOff: 0 }
  const grave = { sender: d, to: [a, b], kinds: { range: 3, flood: 1200 }, cutOff: 4 }
  t.deepEqual(faulty([small, grave, { ...small, cutOff: 1 }]), [
    '  at fault: c                  message 2; not cut off   (sent to a)',
    '  at fault: d                  range 3, flood 1,200; cut off 4 times   (sent to a, b)',
    '  at fault: c                  message 2; cut off once   (sent to a)'
  ])
})
