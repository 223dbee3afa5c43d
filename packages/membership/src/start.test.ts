/** When training begins, and which states a peer reports. */
import { peerName } from '@murmuration/core'
import test from 'ava'
import { Room } from './room.test.support.js'
import { Swarm } from './swarm.test.support.js'

const [a, b, c, d] = ['a', 'b', 'c', 'd'].map(peerName)
const mayBegin = (room: Room) => [...room.members.values()].map((member) => member.mayBegin)

test('with startWithin, a majority waits so long for the others, from when it has seen itself', (t) => {
  const room = new Room('abcd', { settings: { startWithin: 5000 } }, 'ab').run(20_000)
  t.deepEqual(mayBegin(room), [false, false])
  room.enter('c')
  room.run(4000)
  t.deepEqual(mayBegin(room), [false, false, false])
  room.run(2000)
  t.deepEqual(mayBegin(room), [true, true, true])
})

test('the missing are named alike by all: the peer list without those that are present', (t) => {
  const room = new Room('abcd', {}, 'abc').run(5000)
  for (const member of room.members.values()) t.deepEqual(member.missing, [d])
  room.end('b')
  room.run(10_000)
  for (const member of room.members.values()) t.deepEqual(member.missing, [b, d])
})

test('a process that began without knowing of an earlier one of the same peer begins again', (t) => {
  const room = new Room('abc').begin()
  room.end('b')
  const second = room.enter('b')
  second.begin(0, room.now)
  t.is(second.lifeOf(b), 1)
  room.run(2000)
  t.is(second.state, 'starting')
  t.is(room.member('a').lifeOf(b), 2)
  t.true([a, c].includes(second.donor(room.now) ?? b))
})

test('a minority pauses, continues or ends, as its policy says', (t) => {
  for (const policy of ['pause', 'continue', 'stop'] as const) {
    const room = new Room('abcd', { settings: { partitioned: policy } }).begin()
    for (const name of 'ab') for (const other of 'cd') room.cut(name, other)
    room.run(10_000)
    // Of two halves, neither goes on.
    for (const name of [a, c]) {
      t.deepEqual([room.member(name).state, room.member(name).isPaused], ['partitioned', policy === 'pause'])
      const last = room.changes.get(name)?.findLast(({ kind }) => kind === 'state')
      t.like(last, { kind: 'state', state: 'partitioned', policy })
    }
  }
})

test('a peer that others show, and that has not reached this one yet, is waited for at the start, and not missing', (t) => {
  const room = new Room('abc')
  room.cut('a', 'c')
  room.run(500)
  // Only b hears both, and begins; a sees that, and has heard nothing of c.
  const first = room.member('a')
  const second = room.member('b')
  t.deepEqual([first.mayBegin, second.mayBegin], [false, true])
  second.begin(0, room.now)
  room.deliver()
  t.true(first.mayBegin)
  first.begin(0, room.now)
  room.run(250)
  t.true(first.isAnyJoining)
  t.deepEqual([first.state, first.missing], ['healthy', []])
  room.member('c').begin(0, room.now)
  room.cut('a', 'c', false)
  room.run(1000)
  t.false(first.isAnyJoining)
  t.deepEqual(room.kinds('a'), ['joined b', 'healthy', 'joined c'])
})

test('a peer that others show, and that this one cannot reach at all, is waited for no longer than it takes to find that', (t) => {
  const room = new Room('abc')
  room.cut('a', 'c')
  room.run(1000)
  for (const name of room.names) room.member(name).begin(0, room.now)
  room.run(10_000)
  t.true(room.member('a').isGone(c))
  t.is(room.member('a').state, 'degraded')
})

test('the last of several is isolated and pauses, also the first of two, and also if the others have left', (t) => {
  for (const names of ['ab', 'abc', 'abcd'])
    for (const how of ['dies', 'leaves'] as const)
      for (const last of names) {
        const room = new Room(names).begin()
        for (const other of names.replace(last, '')) {
          if (how === 'leaves') room.member(other).leave(4, room.now)
          room.deliver()
          room.end(other)
        }
        room.run(10_000)
        t.deepEqual(
          [room.member(last).state, room.member(last).isPaused],
          ['isolated', true],
          `${names} ${last} ${how}`
        )
      }
})

test('a peer that has finished stays, and gives its state', (t) => {
  const room = new Room('abc').begin()
  for (const name of room.names) room.report(name, { round: 50 })
  for (const name of ['a', 'b']) room.member(name).finish(4, room.now)
  room.end('c')
  room.run(1000)
  room.enter('c')
  room.run(2000)
  t.false(room.member('c').isUsable(a, 60))
  t.deepEqual(room.member('c').present, [a, b, c])
  t.true([a, b].includes(room.member('c').donor(room.now) ?? c))
})

test('a killed process is known to all of 8 within 1 s, a silent machine within 5 s, in ten draws each', (t) => {
  for (let seed = 1; seed <= 10; seed++) {
    for (const isSilent of [false, true]) {
      const swarm = new Swarm({ seed, count: 8 }).runUntil(8000 + 100 * seed)
      const dead = swarm.names[seed % 8]
      swarm.kill(dead, isSilent)
      const took = swarm.runWhileNot(() => swarm.honest.every(({ member }) => member.isDead(dead)), 10_000)
      t.true(took <= (isSilent ? 5000 : 1000), `seed ${seed}, ${isSilent ? 'silent' : 'killed'}: ${took} ms`)
    }
  }
})

test('a killed process is known to all of 40, that watch each other in part, and a silent one', (t) => {
  const swarm = new Swarm({ seed: 2, count: 40 }).runUntil(8000)
  for (const [index, isSilent] of [false, true].entries()) {
    const dead = swarm.names[7 + index]
    swarm.kill(dead, isSilent)
    const took = swarm.runWhileNot(() => swarm.honest.every(({ member }) => member.isDead(dead)), 10_000)
    t.true(took <= (isSilent ? 5000 : 2000), `${isSilent ? 'silent' : 'killed'}: ${took} ms`)
  }
})
