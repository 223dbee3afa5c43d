import { InputError, NeighboursMissingError, peerName } from '@murmuration/core'
import test from 'ava'
import { connectAll, testCluster, graph } from '../cluster.test.support.js'
import { SampleCounts } from './sample-counts.js'

const ring = graph(['a', 'b'], ['b', 'c'], ['c', 'd'], ['d', 'e'], ['e', 'a'])

test('each peer of a ring learns the sample counts of all, also of peers that are not neighbours', async (t) => {
  const nodes = await testCluster(t, ring)
  await connectAll(nodes)
  const all = await Promise.all(nodes.map(({ peer }, place) => peer.exchangeSampleCounts(100 * (place + 1), 60_000)))
  for (const counts of all) {
    t.deepEqual(
      [...counts].map(([name, samples]) => [String(name), samples]),
      [
        ['a', 100],
        ['b', 200],
        ['c', 300],
        ['d', 400],
        ['e', 500]
      ]
    )
  }
})

test('a peer that does not answer is named', async (t) => {
  const [left, right] = await testCluster(t, graph(['a', 'b']))
  await connectAll([left, right])
  const { message } = await t.throwsAsync(left.peer.exchangeSampleCounts(1, 500), {
    instanceOf: NeighboursMissingError
  })
  t.regex(message, /the sample counts of b have not arrived/)
})

const counts = () => {
  const [a, b, c] = ['a', 'b', 'c'].map(peerName)
  const own = new SampleCounts(a, [a, b, c])
  own.setOwn(7)
  return { own, b, c }
}

test('reports about this peer, and about unknown peers, are ignored', (t) => {
  const { own, b } = counts()
  own.merge(b, [
    ['a', 9],
    ['b', 2],
    ['x', 3],
    ['c', 4]
  ])
  t.deepEqual([...own.counts().values()], [7, 2, 4])
})

test('contradicting neighbours are an error that names both', (t) => {
  const { own, b, c } = counts()
  own.merge(b, [['c', 4]])
  t.throws(() => own.merge(c, [['c', 5]]), {
    instanceOf: InputError,
    message: /"b" reports 4 samples for "c", "c" reports 5/
  })
})

for (const wrong of [[['b', 0]], [['b', 1.5]], [['b', '3']], { b: 3 }, [['b', 1, 2]]]) {
  test(`${JSON.stringify(wrong)} is not an answer`, (t) => {
    const { own, b } = counts()
    t.throws(() => own.merge(b, wrong))
    t.deepEqual(own.missing, ['b', 'c'].map(peerName))
  })
}
