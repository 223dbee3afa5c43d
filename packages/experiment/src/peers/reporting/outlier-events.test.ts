import { peerName } from '@murmuration/core'
import test from 'ava'
import { FirstOutliers, OutlierEvents } from './outlier-events.js'

const [a, b, c] = ['a', 'b', 'c'].map(peerName)
const outlier = (neighbour: typeof a, round: number) => ({ neighbour, round, distance: 8.9e7, typical: 0.482 })

test('a neighbour is named in an event once in a hundred rounds, each for itself', (t) => {
  const events = new OutlierEvents(a)
  const rounds = [[b, 7] as const, [b, 30] as const, [c, 40] as const, [b, 106] as const, [b, 107] as const]
  const told = rounds.flatMap(([neighbour, round]) => events.of({ outliers: [outlier(neighbour, round)] }))
  t.deepEqual(
    told.map(({ neighbour, round }) => `${neighbour} ${round}`),
    ['b 7', 'c 40', 'b 107']
  )
  t.like(told[0], { kind: 'outlier', peer: a, distance: 8.9e7, typical: 0.482 })
})

test('the summary is told who was named in the earliest round, whatever came first', (t) => {
  const first = new FirstOutliers()
  t.deepEqual(first.names, [])
  const named = [[a, b, 8] as const, [b, c, 7] as const, [a, c, 7] as const, [c, a, 7] as const, [b, b, 9] as const]
  for (const [peer, neighbour, round] of named) first.take({ kind: 'outlier', peer, ...outlier(neighbour, round) })
  t.deepEqual(first.names, [a, c])
})
