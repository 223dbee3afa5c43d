import { peerName, type SendResult } from '@murmuration/core'
import type { VectorMessage } from '@murmuration/wire'
import test from 'ava'
import { Outbox } from './outbox.js'

const [b, c] = ['b', 'c'].map(peerName)
const message = (round: number): VectorMessage => ({ kind: 0, round, vector: new Float32Array(9) })

/** A fabric whose queues take `room` messages, and an outbox with room for three. */
function world(room: Record<string, number>) {
  const sent: string[] = []
  const clock = { now: 0 }
  const left = new Set<string>()
  const send = (to: string, { round }: VectorMessage): SendResult => {
    if (left.has(to)) return 'unreachable'
    if (room[to] === 0) return 'full'
    room[to]--
    sent.push(`${to}${round}`)
    return 'queued'
  }
  return { sent, clock, left, outbox: new Outbox({ send, now: () => clock.now }, 30) }
}

test('messages without room are sent later, in order, also behind those that already wait', (t) => {
  const room = { b: 1, c: 9 }
  const { sent, outbox } = world(room)
  for (const round of [0, 1, 2]) t.is(outbox.send(b, message(round)), 'queued')
  t.is(outbox.send(c, message(0)), 'queued')
  t.deepEqual(sent, ['b0', 'c0'])
  room.b = 1
  outbox.send(b, message(3))
  outbox.retry()
  t.deepEqual([sent.slice(2), outbox.isEmpty], [['b1'], false])
  room.b = 9
  outbox.retry()
  t.deepEqual([sent.slice(3), outbox.isEmpty], [['b2', 'b3'], true])
})

test('the outbox is bounded for each peer', (t) => {
  const { outbox } = world({ b: 0, c: 0 })
  const results = [0, 1, 2, 3].map((round) => outbox.send(b, message(round)))
  t.deepEqual([...results, outbox.send(c, message(0))], ['queued', 'queued', 'queued', 'full', 'queued'])
})

test('a peer is stalled when its queue has taken nothing for a time', (t) => {
  const room = { b: 0, c: 0 }
  const { outbox, clock } = world(room)
  outbox.send(b, message(0))
  outbox.send(c, message(0))
  outbox.send(c, message(1))
  clock.now = 60
  room.c = 1
  outbox.retry()
  clock.now = 100
  t.deepEqual(outbox.stalled(100), [b])
})

test('what waits for a peer that leaves is dropped', (t) => {
  const { outbox, left } = world({ b: 0 })
  outbox.send(b, message(0))
  left.add(b)
  outbox.retry()
  t.true(outbox.isEmpty)
  t.is(outbox.send(b, message(1)), 'unreachable')
})
