import { type Envelope, type Fabric, peerName } from '@murmuration/core'
import type { VectorMessage } from '@murmuration/vectors'
import test from 'ava'
import { vectorsAhead } from './ahead.js'
import { Exchange } from './exchange.js'
import { Mail } from './mail.js'

const [a, b] = ['a', 'b'].map(peerName)

/** A peer `a` to which `b` has sent `messages`, and what became of them. */
function receiver(messages: readonly VectorMessage[]) {
  const inbox: Envelope<VectorMessage>[] = messages.map((message) => ({ from: b, message }))
  const recycled: number[] = []
  const rejected: string[] = []
  const fabric = {
    self: a,
    now: () => 0,
    neighbours: () => ({ selfWeight: 0.5, receiveFrom: [{ name: b, weight: 0.5 }], sendTo: [b] }),
    receive: () => Promise.resolve(inbox.shift()),
    recycle: ({ round }: VectorMessage) => recycled.push(round),
    reject: (_: unknown, reason: string) => rejected.push(reason)
  }
  return { fabric: fabric as unknown as Fabric<VectorMessage>, recycled, rejected }
}

test('of one sender 64 MiB are kept that come before their turn, and four vectors at any size', (t) => {
  t.deepEqual([1 << 20, 1 << 22, 1 << 27].map(vectorsAhead), [16, 4, 4])
})

test('D-PSGD keeps no more vectors ahead than that, however many a neighbour sends', async (t) => {
  const vector = new Float32Array(1 << 21)
  const messages = Array.from({ length: 30 }, (_, k) => ({ kind: 1, round: k + 1, vector }))
  const { fabric, recycled } = receiver(messages)
  const exchange = new Exchange(fabric, 1000, { length: vector.length, rounds: 100 })
  await t.throwsAsync(exchange.collect(0, vector), {
    name: 'NeighboursMissingError',
    message: /others are in round 30/
  })
  t.deepEqual(
    recycled,
    messages.slice(8).map(({ round }) => round)
  )
})

test('nor does a peer of an all-reduce, and the error says what was wrong', async (t) => {
  const vector = new Float32Array(1 << 21)
  const messages = Array.from({ length: 30 }, (_, k) => ({ kind: 1, round: k + 1, vector }))
  const { fabric, rejected } = receiver([...messages, { kind: 1, round: 0, vector: vector.subarray(1) }])
  const mail = new Mail(fabric, 1000, vector.length)
  const part = { kind: 1, round: 0, stretch: { offset: 0, length: vector.length } }
  await t.throwsAsync(mail.receive(b, part), {
    name: 'NeighboursMissingError',
    message: /waited 1000 ms for b .*: 2097151 numbers from number 0 on in round 0; 2097152 are expected/
  })
  t.is(rejected.length, 30 - 8 + 1)
  for (let round = 1; round <= 8; round++) t.is((await mail.receive(b, { ...part, round })).round, round)
})
