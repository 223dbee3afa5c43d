import { peerName } from '@murmuration/core'
import test from 'ava'
import type { Shape } from '../record/record.js'
import { MessageBuffer, tagOf } from './message-buffer.js'
import type { Owner } from './owner.js'
import { Arena } from '../vectors/vector.js'
import { Wire } from './wire.js'

const [a, b] = ['a', 'b'].map(peerName)
const arena = new Arena({ allocate: (length: number) => new Float32Array(length), free: () => {} })
/** 8 MiB of parameters: 7 vectors of one sender fit, since each has an overhead. */
const length = 1 << 21

function earlyOf(shape: Shape): MessageBuffer {
  return new MessageBuffer(new Wire({ arena, length, ranges: [{ offset: 0, length }] } as unknown as Owner, 1, shape))
}

const message = (count = 4, offset = 0) => ({ x: arena.adopt(new Float32Array(count), offset) })

test('a message is found by its tag and sender until it is released, with all that is older', (t) => {
  const early = earlyOf({ x: 'vector' })
  const kept = [message(), message(), message()]
  early.add({ from: a, round: 0, part: 0, message: kept[0] })
  early.add({ from: b, round: 1, part: 0, message: kept[1] })
  early.add({ from: a, round: 2, part: 3, message: kept[2] })
  t.is(early.find(tagOf({ round: 1 }), b), kept[1])
  t.is(early.find(tagOf({ round: 1 }), a), undefined)
  const visited: string[] = []
  early.release(tagOf({ round: 1 }), true, (from, tag) => visited.push(`${from} ${tag}`))
  t.deepEqual(visited.sort(), ['a 0', `b ${tagOf({ round: 1 })}`])
  t.is(early.find(tagOf({ round: 2, part: 3 }), a), kept[2])
  t.deepEqual(
    kept.map(({ x }) => x.pins),
    [0, 0, 1]
  )
})

test('ranges of one tag are told apart, so that a wrong one is not in the place of a right one', (t) => {
  const early = earlyOf({ x: 'range' })
  const wrong = message(4, 0)
  const right = message(4, 8)
  early.add({ from: a, round: 0, part: 0, message: wrong })
  early.add({ from: a, round: 0, part: 0, message: right })
  t.is(early.find(0, a, { offset: 8, length: 4 }), right)
  t.true(early.has(a, 0, { offset: 0, length: 4 }))
  t.false(early.has(a, 0, { offset: 0, length: 5 }))
})

test('a sender has room for a bounded size, and does not take that of others', (t) => {
  const early = earlyOf({ x: 'vector' })
  let count = 0
  for (; !early.isFull(a, length) && count < 100; count++) {
    early.add({ from: a, round: count, part: 0, message: message(length) })
  }
  t.is(count, 7)
  t.false(early.isFull(b, length))
  early.release(tagOf({ round: 0 }), true, () => {})
  t.false(early.isFull(a, length))
})

test('where order counts, the oldest of the rounds that are asked for comes first', (t) => {
  const early = earlyOf({ x: 'vector' })
  early.keepOrder(() => true)
  for (const [from, round] of [
    [a, 2],
    [b, 1],
    [a, 1]
  ] as const)
    early.add({ from, round, part: 0, message: message() })
  t.deepEqual([early.takeFirst(1)?.from, early.takeFirst(1)?.from, early.takeFirst(1)], [b, a, undefined])
  t.true(early.hasFirst(2))
})

test('what has come before order counts comes first', (t) => {
  const early = earlyOf({ x: 'vector' })
  early.add({ from: a, round: 0, part: 0, message: message() })
  early.add({ from: b, round: 0, part: 0, message: message() })
  early.keepOrder(() => true)
  early.add({ from: a, round: 1, part: 0, message: message() })
  const taken = [early.takeFirst(1), early.takeFirst(1), early.takeFirst(1)].map((come) => [come?.from, come?.round])
  t.deepEqual(taken, [
    [a, 0],
    [b, 0],
    [a, 1]
  ])
  t.false(early.isFull(a, 6 * length))
})

test('the newest of older messages is found, as far back as is asked for', (t) => {
  const early = earlyOf({ x: 'vector' })
  const first = message()
  const second = message()
  early.add({ from: a, round: 1, part: 0, message: first })
  early.add({ from: a, round: 3, part: 0, message: second })
  const at = (round: number) => tagOf({ round })
  t.is(early.newest(a, 0, at(5)), second)
  t.is(early.newest(a, 0, at(3)), first)
  t.is(early.newest(a, at(2), at(3)), undefined)
  t.is(early.newest(b, 0, at(9)), undefined)
  // One that comes later may be older.
  early.add({ from: a, round: 2, part: 0, message: message() })
  t.is(early.newest(a, 0, at(5)), second)
})
