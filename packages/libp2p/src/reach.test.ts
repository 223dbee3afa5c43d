import { timeLimit } from '@murmuration/contract'
import { InputError, peerName, RefusedError } from '@murmuration/core'
import test from 'ava'
import {
  type TestNode,
  testNode,
  connectAll,
  eventually,
  testCluster,
  graph,
  peerListOf,
  schemaOf
} from './cluster.test.support.js'

const path = graph(['a', 'b'], ['b', 'c'])
const [a, c, s] = ['a', 'c', 's'].map(peerName)
const message = (round: number) => ({ kind: 1, round, vector: new Float32Array(8).fill(round) })

test('a link to a peer that is not a neighbour opens on sending, closes when idle, and opens again', async (t) => {
  const nodes = await testCluster(t, path, { limits: { idleAfter: 300 } })
  await connectAll(nodes)
  const [first, , far] = nodes
  const times = (node: TestNode, kind: string) =>
    node.events.filter((event) => event.kind === kind && 'peer' in event && event.peer !== peerName('b')).length
  t.is(times(first, 'connecting'), 0)
  for (let round = 0; round < 3; round++) {
    t.is(first.peer.fabric.send(c, message(round)), 'queued')
    const envelope = await far.peer.fabric.receive()
    t.like(envelope, { from: a, message: { round } })
    if (envelope !== undefined) far.peer.fabric.recycle(envelope.message)
    await eventually('an end of the link', () => [first, far].every((node) => times(node, 'idle') === round + 1))
    t.is(times(first, 'ready'), round + 1)
  }
  t.deepEqual(
    first.peer.neighbours().map(({ name, state }) => [name, state]),
    [[peerName('b'), 'ready']]
  )
  t.false(far.events.some(({ kind }) => kind === 'bad-frame' || kind === 'reconnecting'))
})

test('a vector to a peer that is not a neighbour arrives, also if the sender closes right after', async (t) => {
  const nodes = await testCluster(t, path, { limits: { closeTimeout: timeLimit(10_000) } })
  await connectAll(nodes)
  const [first, , far] = nodes
  for (let round = 0; round < 4; round++) first.peer.fabric.send(c, message(round))
  const closing = first.peer.close()
  for (let round = 0; round < 4; round++) t.is((await far.peer.fabric.receive())?.message.round, round)
  await closing
})

test('with reach "everyone", connecting waits for all peers, and all wait for servers', async (t) => {
  const options = { servers: [s], reach: 'everyone' } as const
  const nodes = [...(await testCluster(t, path, options)), await testNode(t, path, 's', options)]
  await connectAll(nodes)
  for (const { name, peer } of nodes) {
    const others = nodes.map((other) => other.name).filter((other) => other !== name)
    t.deepEqual(
      peer.neighbours().map((neighbour) => [neighbour.name, neighbour.state]),
      others.map((other) => [other, 'ready'])
    )
  }
  const workers = await testCluster(t, path, { servers: [s] })
  await t.throwsAsync(workers[0].peer.connect(peerListOf(workers), 1000), {
    instanceOf: InputError,
    message: /lacks s/
  })
  await t.throwsAsync(testNode(t, path, 'x', options), { message: /"x" is not in the topology; it has a, b, c, s/ })
})

test('a peer that is not a neighbour and has other settings is refused, without harm to others', async (t) => {
  const first = await testNode(t, path, 'a')
  const second = await testNode(t, path, 'b')
  const other = { settings: { run: 'other' }, schema: schemaOf(8), start: '00' }
  const far = await testNode(t, path, 'c', { runSettings: other })
  const nodes = [first, second, far]
  const connecting = Promise.allSettled(nodes.map(({ peer }) => peer.connect(peerListOf(nodes), 2000)))
  await eventually('a peer list', () => far.events.some(({ kind }) => kind === 'refused'))
  t.is(far.peer.fabric.send(a, message(1)), 'queued')
  await eventually('a refusal', () => far.events.some((event) => event.kind === 'refused' && event.peer === a))
  t.is(far.peer.fabric.send(a, message(2)), 'unreachable')
  const [result] = await connecting
  t.false(result.status === 'rejected' && result.reason instanceof RefusedError)
})
