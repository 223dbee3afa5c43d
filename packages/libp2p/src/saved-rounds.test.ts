import { InputError, NeighboursMissingError, peerName } from '@murmuration/core'
import test from 'ava'
import { connectAll, graph, testCluster } from './cluster.test.support.js'
import { SavedRounds } from './saved-rounds.js'

const ring = graph(['a', 'b'], ['b', 'c'], ['c', 'd'], ['d', 'e'], ['e', 'a'])
const [a, b, c] = ['a', 'b', 'c'].map(peerName)

test('each peer of a ring learns which checkpoints all have, also those that are no neighbours', async (t) => {
  const nodes = await testCluster(t, ring)
  await connectAll(nodes)
  const all = await Promise.all(nodes.map(({ peer }, place) => peer.exchangeCheckpoints([place, 10], 60_000)))
  for (const rounds of all)
    t.deepEqual(
      [...rounds.values()],
      [0, 1, 2, 3, 4].map((place) => [place, 10])
    )
})

test('who does not say is named, and what it may lack', async (t) => {
  const [left, right] = await testCluster(t, graph(['a', 'b']))
  await connectAll([left, right])
  const { message } = await t.throwsAsync(left.peer.exchangeCheckpoints([], 500), {
    instanceOf: NeighboursMissingError
  })
  t.regex(message, /the checkpoints of b have not arrived.*--resume/)
})

test('what a peer has saved since is known to its neighbours once they ask', async (t) => {
  const [left, right] = await testCluster(t, graph(['a', 'b']))
  await connectAll([left, right])
  t.deepEqual(await left.peer.exchangeSaved(20), [-1])
  t.deepEqual(await right.peer.exchangeSaved(30), [20])
  t.deepEqual(await left.peer.exchangeSaved(40), [30])
})

test('a newest round never becomes older, and nobody speaks for this peer', (t) => {
  const own = new SavedRounds(a, [a, b, c])
  own.setBefore([7])
  own.merge(b, [
    { name: 'b', before: [1], newest: 30 },
    { name: 'a', before: [9], newest: 99 },
    { name: 'x', newest: 3 }
  ])
  own.merge(c, [{ name: 'b', newest: 20 }])
  t.deepEqual(own.newestOfOthers(), [30, -1])
  t.deepEqual(
    [...own.before()],
    [
      [a, [7]],
      [b, [1]]
    ]
  )
  t.deepEqual(own.missing, [c])
})

test('who counted no more is not waited for, and what it has is of no account, whoever says so', (t) => {
  const own = new SavedRounds(a, [a, b, c])
  own.setBefore([200], [c])
  own.merge(b, [{ name: 'b', before: [200, 100] }])
  t.deepEqual(own.missing, [])
  const returned = new SavedRounds(c, [a, b, c])
  returned.setBefore([100])
  returned.merge(b, [{ name: 'b', before: [200, 100] }])
  returned.merge(a, own.answer())
  for (const rounds of [own, returned]) t.deepEqual([...rounds.before().keys()], [a, b])
  t.deepEqual(own.newestOfOthers(), [-1])
})

test('neighbours that contradict each other are an error that names both', (t) => {
  const own = new SavedRounds(a, [a, b, c])
  own.merge(b, [{ name: 'c', before: [4] }])
  t.throws(() => own.merge(c, [{ name: 'c', before: [5] }]), {
    instanceOf: InputError,
    message: /"b" says that "c" had the checkpoints 4, "c" says 5/
  })
})

for (const wrong of [
  {},
  [['b', 1]],
  [{ name: 'b', newest: -1 }],
  [{ name: 'b', before: [0.5] }],
  [{ name: 'b', before: Array(65).fill(1) }]
]) {
  test(`${JSON.stringify(wrong).slice(0, 40)} is no answer`, (t) => {
    const own = new SavedRounds(a, [a, b])
    t.throws(() => own.merge(b, wrong))
    t.deepEqual(own.missing, [a, b])
  })
}
