import { timeLimit } from '@murmuration/contract'
import test from 'ava'
import {
  type TestNode,
  testNode,
  connectAll,
  testCluster,
  graph,
  peerListOf,
  schemaOf
} from './cluster.test.support.js'

const square = graph(['a', 'b'], ['b', 'c'], ['c', 'd'], ['d', 'a'])
const elements = 250_000

/** The number at `index` in the vector that `peer` sends in `round`. */
const expected = (peer: string, round: number, index: number) => Math.fround(peer.charCodeAt(0) + round / 100 + index)

function vectorOf(peer: string, round: number): Float32Array {
  const vector = new Float32Array(elements)
  for (let index = 0; index < elements; index++) vector[index] = expected(peer, round, index)
  return vector
}

function isVectorOf(peer: string, round: number, vector: Float32Array): boolean {
  for (let index = 0; index < elements; index++) if (vector[index] !== expected(peer, round, index)) return false
  return vector.length === elements
}

/** Sends and receives `rounds` vectors. Returns the errors. */
async function exchange({ name, peer }: TestNode, rounds: number): Promise<string[]> {
  const wrong: string[] = []
  const { fabric } = peer
  const { sendTo, receiveFrom } = fabric.neighbours(0)
  const next = new Map(receiveFrom.map((neighbour) => [neighbour.name, 0]))
  for (let round = 0; round < rounds; round++) {
    const vector = vectorOf(name, round)
    for (const { name: to } of sendTo)
      if (fabric.send(to, { kind: 1, round, vector }) !== 'queued') wrong.push(`full ${to}`)
    while ([...next.values()].some((reached) => reached <= round)) {
      const envelope = await fabric.receive(fabric.now() + timeLimit(20_000))
      if (envelope === undefined) return [...wrong, `nothing in round ${round}`]
      const { from, message } = envelope
      if (message.round !== next.get(from)) wrong.push(`round ${message.round} of ${from} after ${next.get(from)}`)
      next.set(from, message.round + 1)
      if (!isVectorOf(from, message.round, message.vector)) wrong.push(`content of ${from} in round ${message.round}`)
    }
  }
  return wrong
}

test('a ring of four exchanges 20 rounds of 1 MB, each vector once, in order and unchanged', async (t) => {
  const nodes = await testCluster(t, square, {
    runSettings: { settings: { run: 'r' }, schema: schemaOf(elements), start: '0' }
  })
  await connectAll(nodes)
  const wrong = await Promise.all(nodes.map((each) => exchange(each, 20)))
  t.deepEqual(wrong, [[], [], [], []])
  await Promise.all(nodes.map(({ peer }) => peer.close()))
  for (const { peer, events } of nodes) {
    const { sent, received, badFrames, duplicates } = peer.traffic()
    t.deepEqual([sent.frames, received.frames, badFrames, duplicates], [40, 40, 0, 0])
    t.is(sent.payload, 40 * elements * 4)
    t.is(received.payload, 40 * elements * 4)
    t.true(sent.overhead < sent.payload / 1000 && sent.overhead >= 40 * 32)
    t.false(events.some(({ kind }) => kind === 'bad-frame'))
  }
})

test('peers that start one after the other, with the peer list at different times, find each other', async (t) => {
  const nodes = await testCluster(t, square)
  const peerList = peerListOf(nodes)
  const all = nodes.map(async ({ peer }, index) => {
    await new Promise((resolve) => setTimeout(resolve, [900, 0, 500, 200][index]))
    return peer.connect(peerList, timeLimit(10_000))
  })
  await t.notThrowsAsync(Promise.all(all))
  t.true(nodes.every(({ peer }) => peer.neighbours().every(({ state, reason }) => state === 'ready' && reason === '')))
})

test('a peer without an address connects by dialling its neighbours', async (t) => {
  const topology = graph(['a', 'b'])
  const caller = await testNode(t, topology, 'a', { listen: [] })
  const called = await testNode(t, topology, 'b')
  await t.notThrowsAsync(connectAll([caller, called]))
})
