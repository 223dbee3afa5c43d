import { peerName } from '@murmuration/core'
import test from 'ava'
import { createTopology } from './create-topology.js'
import type { GraphDescription } from './graph-description.js'
import { roundsToReachAll } from './spreading.js'

const peers = Array.from({ length: 8 }, (_, index) => peerName(`p${index}`))
const reached = (graph: GraphDescription, count = 8) =>
  roundsToReachAll(createTopology({ peers: peers.slice(0, count), graph }))

test('what one tells has reached all after the diameter of a graph, or once one that changes by round has a path', (t) => {
  t.deepEqual([reached({ kind: 'ring' }), reached({ kind: 'complete' }), reached({ kind: 'star' })], [4, 1, 2])
  t.is(reached({ kind: 'one-peer-exponential' }), 3)
  t.is(reached({ kind: 'ring' }, 1), 0)
})
