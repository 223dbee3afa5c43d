/** yamux does not negotiate the initial window of a stream; only the largest window may differ between peers. */
import { peerName } from '@murmuration/core'
import test from 'ava'
import { testNode, connectAll, eventually, graph } from '../cluster.test.support.js'
import { barePair, MiB } from './bare.test.support.js'
import { large, receiveAll, sendAll, troubleOf, upTo } from './exchange.test.support.js'

const [a, b] = ['a', 'b'].map(peerName)

test('libp2p 3.3: a stream dies when its sender begins with a larger window than its receiver', async (t) => {
  const { near, far } = await barePair(t, {
    stream: { initialStreamWindowSize: 4 * MiB }
  })
  let received = 0
  far.addEventListener('message', ({ data }) => (received += data.byteLength))
  near.send(new Uint8Array(4 * MiB))
  await eventually('a dead stream', () => near.status !== 'open')
  t.is(received, 0)
})

test('peers with windows of 256 KiB and 16 MiB exchange both ways', async (t) => {
  const bytes = 8 * MiB
  const count = 6
  const edge = graph(['a', 'b'])
  const narrow = await testNode(t, edge, 'a', large(bytes, { streamWindow: MiB / 4 }))
  const wide = await testNode(t, edge, 'b', large(bytes, { streamWindow: 16 * MiB }))
  await connectAll([narrow, wide])
  const [, , there, here] = await Promise.all([
    sendAll(narrow, b, bytes, count),
    sendAll(wide, a, bytes, count),
    receiveAll(wide, count),
    receiveAll(narrow, count)
  ])
  t.deepEqual([here, there], [upTo(count), upTo(count)])
  t.deepEqual(
    [narrow, wide].flatMap((each) => troubleOf(each)),
    []
  )
})
