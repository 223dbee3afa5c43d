import { InputError, NeighboursMissingError, peerName } from '@murmuration/core'
import test from 'ava'
import { connectAll, graph, testCluster } from '../cluster.test.support.js'
import { SavedRounds } from './saved-rounds.js'

const ring = graph(['a', 'b'], ['b', 'c'], ['c', 'd'], ['d', 'e'], ['e', 'a'])
const [a, b, c] = ['a', 'b', 'c'].map(peerName)

test('each peer of a ring learns the checkpoints of all, also of peers that are not neighbours', async (t) => {
  const nodes = await testCluster(t, ring)
  await connectAll(nodes)
  const all = await Promise.all(nodes.map(({ peer }, place) => peer.exchangeCheckpoints([place, 10], 60_000)))
  for (const rounds of all)
    t.deepEqual(
      [...rounds.values()],
      [0, 1, 2, 3, 4].map((place) => [place, 10])
    )
})

test('a peer that does not answer is named, with a possible reason', async (t) => {
  const [left, right] = await testCluster(t, graph(['a', 'b']))
  await connectAll([left, right])
  const { message } = await t.throwsAsync(left.peer.exchangeCheckpoints([], 500), {
    instanceOf: NeighboursMissingError
  })
  t.regex(message, /the checkpoints of b have not arrived.*--resume/)
})

test('neighbours that ask learn what a peer has saved since', async (t) => {
  const [left, right] = await testCluster(t, graph(['a', 'b']))
  await connectAll([left, right])
  t.deepEqual(await left.peer.exchangeSaved(20), [-1])
  t.deepEqual(await right.peer.exchangeSaved(30), [20])
  t.deepEqual(await left.peer.exchangeSaved(40), [30])
})

test('a newest round never decreases, and no peer reports for this one', (t) => {
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

test('a peer that no longer counted is not waited for, and its rounds are ignored, whoever reports it', (t) => {
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

test('contradicting neighbours of saved rounds are an error that names both', (t) => {
  const own = new SavedRounds(a, [a, b, c])
  own.merge(b, [{ name: 'c', before: [4] }])
  t.throws(() => own.merge(c, [{ name: 'c', before: [5] }]), {
    instanceOf: InputError,
    message: /"b" reports the checkpoints 4 of "c", "c" reports 5/
  })
})

for (const wrong of [
  {},
  [['b', 1]],
  [{ name: 'b', newest: -1 }],
  [{ name: 'b', before: [0.5] }],
  [{ name: 'b', before: Array(65).fill(1) }]
]) {
  test(`${JSON.stringify(wrong).slice(0, 40)} is not an answer`, (t) => {
    const own = new SavedRounds(a, [a, b])
    t.throws(() => own.merge(b, wrong))
    t.deepEqual(own.missing, [a, b])
  })
}
