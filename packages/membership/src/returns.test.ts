/** Peers that come back repeatedly. */
import { type PeerName, peerName } from '@murmuration/core'
import test from 'ava'
import { Room } from './room.test.support.js'

const [a, b, c] = ['a', 'b', 'c'].map(peerName)

for (const [silence, what] of [
  [5000, 'once the longest gap is known, it is not taken for dead'],
  [9000, 'it is taken for dead each time']
] as const) {
  test(`a peer that is silent for ${silence / 1000} s again and again is out of the rows for longer and longer: ${what}`, (t) => {
    const room = new Room('abc').begin()
    const silent = room.member('b')
    const wasDead: boolean[] = []
    const outFor = () => {
      room.end('b')
      room.run(silence)
      wasDead.push(room.member('a').isDead(b))
      room.members.set(b, silent)
      room.run(1000)
      const back = room.now
      while (!room.member('a').isUsable(b, 5)) room.run(250)
      return room.now - back
    }
    const times = Array.from({ length: 7 }, outFor)
    t.deepEqual(times.slice(0, 2), [0, 0])
    t.true(times.every((time, index) => index === 0 || time >= times[index - 1]) && times[6] > 5000, times.join())
    t.deepEqual(wasDead.slice(1), new Array(6).fill(silence > 6500))
  })
}

for (const reason of ['it came back too often', 'it was late'])
  test(`what a peer does while it is out does not keep it out: ${reason}`, (t) => {
    const room = new Room('abc').begin()
    const beginAgain = () => {
      room.member('b').begin(0, room.now)
      room.deliver()
      room.run(250)
    }
    if (reason === 'it was late') for (const name of 'ac') room.member(name).lostTime(b, 1000, 1000, room.now)
    else for (let life = 0; life < 3; life++) beginAgain()
    const isOut = () => room.member('a').isLate(b) || !room.member('a').isUsable(b, 5)
    t.true(isOut())
    const since = room.now
    // It falls behind, and takes a state, at once again.
    while (isOut() && room.now - since < 60_000) beginAgain()
    t.true(room.now - since <= 4000, `${room.now - since} ms`)
    room.run(250)
    t.false(isOut())
  })

test('a peer that came back too often knows that all leave it out', (t) => {
  const room = new Room('abc').begin()
  for (let life = 0; life < 3; life++) {
    room.member('b').begin(0, room.now)
    room.run(250)
  }
  room.run(2000)
  const ofBeingOut = (name: PeerName) => room.changes.get(name)?.filter(({ kind }) => /left-out|taken-in/.test(kind))
  for (const [name, by] of [
    [a, [a]],
    [b, [a, c]],
    [c, [c]]
  ] as const)
    t.deepEqual(ofBeingOut(name), [
      { kind: 'left-out', peer: b, by, time: 750 },
      { kind: 'taken-in', peer: b }
    ])
})

test('a peer that says each time that it leaves comes back as often as it likes', (t) => {
  const room = new Room('abc').begin()
  for (let time = 0; time < 5; time++) {
    room.member('b').leave(5 * time, room.now)
    room.run(500)
    room.end('b')
    room.run(time < 2 ? 6000 : 1000)
    room.enter('b')
    room.run(1000)
    room.member('b').begin(5 * time, room.now)
    room.run(500)
    t.true(room.member('a').isUsable(b, 5 * time), `time ${time}`)
  }
  t.false(room.kinds('a').some((kind) => kind.startsWith('left-out')))
})

test('a peer that others reach is not silent: its link is cut', (t) => {
  const room = new Room('abc').begin()
  for (let time = 0; time < 4; time++) {
    room.cut('a', 'b')
    room.run(8000)
    room.cut('a', 'b', false)
    room.run(500)
    t.true(room.member('a').isUsable(b, 5))
  }
})

test('a peer that left long ago no longer counts, and counts again when it comes back', (t) => {
  const room = new Room('abc', { settings: { forgetAfter: 10_000 } }).begin()
  room.member('b').leave(3, room.now)
  room.run(8000)
  t.deepEqual(room.member('a').gone, [])
  room.end('b')
  room.run(4000)
  t.deepEqual(room.member('a').gone, [b])
  t.false(room.kinds('a').some((kind) => kind.startsWith('forgotten')))
  room.enter('b')
  room.run(1000)
  t.deepEqual(room.member('a').gone, [])
})
