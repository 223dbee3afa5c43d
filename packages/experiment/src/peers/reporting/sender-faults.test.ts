import { peerName } from '@murmuration/core'
import test from 'ava'
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
