/** Sides that train apart and meet. */
import test from 'ava'
import { ownShare } from './apart.js'
import type { MemberChange } from './changes.js'
import { Room } from './room.test.support.js'

type Reunited = Extract<MemberChange, { kind: 'reunited' }>

/**
 * Two sides train apart, each peer with its side's number of samples, and meet. The result lists the peers with a
 * reunion.
 */
function meet(
  left: string,
  right: string,
  samples: readonly [number, number],
  policy: 'continue' | 'pause' = 'continue'
) {
  const room = new Room(left + right, { settings: { partitioned: policy, isolated: policy } }).begin()
  for (const name of room.names) room.report(name, { round: 10, samples: 1000 })
  room.run(1000)
  for (const a of left) for (const b of right) room.cut(a, b)
  room.run(8000)
  for (const a of left) room.report(a, { round: 50, samples: 1000 + samples[0] })
  for (const b of right) room.report(b, { round: 30, samples: 1000 + samples[1] })
  room.run(2000)
  for (const a of left) for (const b of right) room.cut(a, b, false)
  room.run(5000)
  return [...room.changes].flatMap(([name, changes]) =>
    changes.filter((change): change is Reunited => change.kind === 'reunited').map((change) => ({ name, ...change }))
  )
}

test('the smaller side returns to the larger, and counts by the samples that each has seen', (t) => {
  const found = meet('abcde', 'fgh', [500, 100])
  t.deepEqual(found.map(({ name }) => name).join(''), 'fgh')
  for (const reunion of found) {
    const { peers, mass, round } = reunion
    t.is(peers.join(''), 'abcde')
    t.is(mass, 0.2)
    // (3 share x + (8 − 3 share) y) / 8 is (3 · 0.2 x + 5 y) / (3 · 0.2 + 5).
    t.is((3 * ownShare(reunion, true)) / 8, 0.6 / 5.6)
    t.is(round, 50)
  }
})

test('of two halves, the one without the first name returns', (t) => {
  t.is(
    meet('bcd', 'aef', [300, 100])
      .map(({ name, mass }) => `${name} ${mass}`)
      .join(', '),
    'b 3, c 3, d 3'
  )
})

test('the mass is within 0.01 and 100', (t) => {
  t.deepEqual([...new Set(meet('abc', 'de', [1, 100_000]).map(({ mass }) => mass))], [100])
  t.deepEqual([...new Set(meet('abc', 'de', [100_000, 1]).map(({ mass }) => mass))], [0.01])
})

test('a side that has paused has nothing to bring', (t) => {
  t.deepEqual(meet('abc', 'de', [500, 0], 'pause'), [])
})

test('what a side that has paused learns once it has met the others is not its own', (t) => {
  const room = new Room('ab', { settings: { isolated: 'pause' } }).begin()
  for (const name of room.names) room.report(name, { round: 10, samples: 1000 })
  room.run(1000)
  room.cut('a', 'b')
  room.run(8000)
  room.report('a', { round: 50, samples: 1500 })
  room.cut('a', 'b', false)
  room.run(500)
  for (let k = 1; k <= 20; k++) {
    room.report('b', { round: 50 + k, samples: 1000 + 10 * k })
    room.run(250)
  }
  t.deepEqual(
    room.kinds('b').filter((kind) => kind.startsWith('reunited')),
    []
  )
})

test('a peer that comes back with the model of those that stayed brings nothing that they would return to', (t) => {
  const room = new Room('ab', { settings: { isolated: 'continue' } }).begin()
  for (const name of room.names) room.report(name, { round: 10, samples: 1000 })
  room.run(1000)
  room.end('a')
  room.run(8000)
  room.report('b', { round: 50, samples: 1500 })
  room.run(1000)
  room.enter('a').begin(50, room.now)
  room.report('a', { round: 50, samples: 1010 })
  room.run(5000)
  t.deepEqual(
    room.kinds('b').filter((kind) => kind.startsWith('reunited')),
    []
  )
})

test('of two sides that are both no majority, the one without the first name of both returns', (t) => {
  const room = new Room('abcdef', { settings: { partitioned: 'continue' } }).begin()
  const sides = ['be', 'cd', 'af']
  const cut = (left: string, right: string, isCut: boolean) => {
    for (const a of left) for (const b of right) room.cut(a, b, isCut)
  }
  for (const side of sides) for (const other of sides) if (side !== other) cut(side, other, true)
  room.run(8000)
  for (const name of room.names) room.report(name, { round: 30, samples: 100 })
  room.run(1000)
  cut('be', 'cd', false)
  room.run(5000)
  t.is(room.names.filter((name) => room.kinds(name).some((kind) => kind.startsWith('reunited'))).join(''), 'cd')
})
