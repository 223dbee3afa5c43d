/** Places of peers that come by invitation. */
import { peerName } from '@murmuration/core'
import test from 'ava'
import { testSigner } from './network.test.support.js'
import { Room } from './room.test.support.js'

const [a, b, c, d] = ['a', 'b', 'c', 'd'].map(peerName)
const mayBegin = (room: Room) => [...room.members.values()].map((member) => member.mayBegin)

test('no peer waits for an open place, and a peer that takes one does not count for a missing peer', (t) => {
  const room = new Room('abcd', { places: [c, d] }, 'a').run(5000)
  t.deepEqual(mayBegin(room), [false])
  room.enter('c')
  room.run(2000)
  t.deepEqual(mayBegin(room), [false, false])
  t.deepEqual(room.member('a').missing, [b])
  room.enter('b')
  room.run(2000)
  t.deepEqual(mayBegin(room), [true, true, true])
  room.begin()
  t.is(room.member('a').state, 'healthy')
  t.deepEqual(room.member('a').members, [a, b, c])
  t.true(room.member('a').hasLeft(d))
  t.true(room.member('a').isUsable(c, 5))
  t.deepEqual(room.faults, [])
})

test('records of a peer whose key is not yet known are no fault, and are requested again once it is known', (t) => {
  const room = new Room('abc', { places: [c] }, 'ab').begin()
  let isLetIn = false
  const knows = (name: string) => name !== c || isLetIn
  room.end('b')
  room.enter('b', { signer: { ...testSigner(b), knows } })
  room.enter('c')
  room.cut('b', 'c')
  room.run(5000)
  t.true(room.member('a').members.includes(c))
  t.false(room.member('b').members.includes(c))
  t.deepEqual(room.faults, [])
  isLetIn = true
  room.run(5000)
  t.true(room.member('b').members.includes(c))
})

test('a quorum of more than the peer list waits for invited peers, too', (t) => {
  const room = new Room('abcd', { places: [c, d], settings: { quorum: 3 } }, 'ab').run(5000)
  t.deepEqual(mayBegin(room), [false, false])
  room.enter('d')
  room.run(2000)
  t.deepEqual(mayBegin(room), [true, true, true])
})

test('a quorum of the peer list or fewer counts no invited peers', (t) => {
  const room = new Room('abcd', { places: [c, d], settings: { quorum: 2 } }, 'acd').run(5000)
  t.deepEqual(mayBegin(room), [false, false, false])
  room.enter('b')
  room.run(2000)
  t.deepEqual(mayBegin(room), [true, true, true, true])
})
