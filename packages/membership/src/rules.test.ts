/** The rules of docs/understand/membership.md, one by one; a model or random swarms found most of them. */
import { type Mixing, peerName } from '@murmuration/core'
import test from 'ava'
import { repairedRow } from './graph.js'
import { testSigner } from './network.test.support.js'
import { pongText } from './records.js'
import { Room } from './room.test.support.js'
import { ringOf, Swarm } from './swarm.test.support.js'

const [a, b, c, d] = ['a', 'b', 'c', 'd'].map(peerName)
const namesIn = ({ receiveFrom }: Mixing) => receiveFrom.map(({ name }) => name).join('')

test('a process that was frozen blames no peer', (t) => {
  const swarm = new Swarm({ seed: 3, count: 6 }).runUntil(10_000)
  const [, , frozen] = swarm.names
  swarm.freeze(frozen, 15_000)
  swarm.runUntil(35_000)
  t.false(swarm.member(frozen).votes.some(({ voter }) => voter === frozen))
  t.deepEqual(swarm.strikes, [])
  t.is(swarm.member(frozen).missing.length, 0)
})

test('the clock of timeouts stands still while the process is frozen, also before the tick that notices', (t) => {
  const member = new Room('ab').member('a')
  member.tick(250)
  const before = member.awake(250)
  t.is(member.awake(60_000) - before, 500)
  member.tick(60_000)
  t.is(member.awake(60_100) - before, 600)
})

test('a peer that was waited for stays out of the rows in its next lives', (t) => {
  const room = new Room('abc').begin()
  room.member('a').lostTime(b, 10_000, 10_000, room.now)
  room.end('b')
  room.enter('b').begin(0, room.now)
  room.run(2000)
  room.member('b').begin(9, room.now)
  room.run(1000)
  t.true(room.member('a').lifeOf(b) >= 2)
  t.true(room.member('a').isLate(b))
  t.false(room.member('c').isLate(b))
})

test('a peer is out for four times what was lost to it, once that is a timeout; time makes good', (t) => {
  const room = new Room('abc').begin()
  const member = room.member('a')
  const outFor = (lost: number) => {
    member.lostTime(b, lost, 8000, room.now)
    const begun = room.now
    while (member.isLate(b)) room.run(250)
    return room.now - begun
  }
  t.deepEqual([outFor(4000), outFor(1000), outFor(3000)], [0, 0, 32_000])
  // Of 8 s, a 32nd of the 32 s is forgotten.
  t.is(outFor(8000), 60_000)
  room.run(600_000)
  t.is(outFor(5000), 0)
})

test('a peer that would keep out all living peers keeps out none, and names none', (t) => {
  for (const names of ['ab', 'abc']) {
    const room = new Room(names).begin()
    for (const peer of room.member('a').present.slice(1)) room.member('a').lostTime(peer, 20_000, 10_000, room.now)
    room.run(1000)
    t.false(room.member('a').isLate(b))
    t.deepEqual(room.member('b').recordOf(room.member('a').present[0])?.silent, [])
  }
})

test('a peer that waits for others has more time, by the rounds that they are behind; not one that waits only for this peer', (t) => {
  const room = new Room('abcd').begin()
  const wait = () => {
    room.report('a', { round: 7, waitsFor: 'b' })
    room.report('b', { round: 6, waitsFor: 'c' })
    room.report('c', { round: 5, waitsFor: 'd' })
    room.report('d', { round: 5, waitsFor: 'c' })
  }
  for (let step = 0; step < 12; step++) {
    wait()
    room.run(250)
  }
  t.is(room.member('a').chainBehind(b), 2)
  t.is(room.member('b').chainBehind(c), 1)
  t.is(room.member('c').chainBehind(d), 0)
})

test('a peer that starts later asks one of those near the median round', (t) => {
  const room = new Room('abcd', { settings: { quorum: 3 } }, 'abc').begin()
  room.report('a', { round: 100 })
  room.report('b', { round: 1_000_000 })
  room.report('c', { round: 101 })
  room.enter('d')
  room.run(1000)
  t.false(room.member('d').mayBegin)
  for (let draw = 0; draw < 20; draw++) t.true([a, c].includes(room.member('d').donor(room.now) ?? d))
})

test('a peer that is more than 8 rounds behind the median of a majority takes a state', (t) => {
  const room = new Room('abc').begin()
  for (const [name, round] of [
    ['a', 20],
    ['b', 28],
    ['c', 28]
  ] as const)
    room.report(name, { round })
  room.run(1000)
  t.is(room.member('a').donor(room.now), undefined)
  for (const name of ['b', 'c']) room.report(name, { round: 29 })
  room.run(1000)
  t.true([b, c].includes(room.member('a').donor(room.now) ?? a))
  room.member('a').begin(31, room.now)
  room.run(500)
  t.is(room.member('b').lifeOf(a), 2)
  t.false(room.member('b').isUsable(a, 30))
  t.true(room.member('b').isUsable(a, 31))
})

test('one peer that claims to be far ahead, and gives no state, does not keep the others from starting', (t) => {
  const room = new Room('abcd', {}, 'abc')
  room.member('c').begin(1_000_000, room.now)
  room.enter('d')
  room.run(9000)
  for (const name of ['a', 'b', 'd']) t.false(room.member(name).mayBegin)
  room.run(3000)
  for (const name of ['a', 'b', 'd']) t.true(room.member(name).mayBegin)
})

test('the word of one peer does not call another back: the median of two is the lower round', (t) => {
  const room = new Room('abc').begin()
  for (const [name, round] of [
    ['a', 20],
    ['b', 20],
    ['c', 1_000_000]
  ] as const)
    room.report(name, { round })
  room.run(1000)
  t.is(room.member('a').donor(room.now), undefined)
})

test('an exchange that is still open is reported as a broken pair, and the graph bypasses it', (t) => {
  const room = new Room('abcd').begin()
  room.report('a', { round: 3, owes: 'b' })
  room.run(1000)
  const topology = ringOf(room.names)
  for (const name of room.names) {
    const member = room.member(name)
    t.true(member.isBroken(b, a))
    t.is(member.state, 'degraded')
    const row = repairedRow(topology, name, 3, (peer) => member.isUsable(peer, 3), member.brokenPairs)
    t.false(name === a && namesIn(row).includes('b'))
    t.false(name === b && namesIn(row).includes('a'))
  }
  room.report('a', { round: 4 })
  room.run(1000)
  t.false(room.member('c').isBroken(a, b))
})

test('a peer that is silent altogether is not kept out for one wait: its link may be cut; for two it is', (t) => {
  const room = new Room('abcd').begin()
  room.cut('a', 'b')
  room.run(5000)
  room.member('a').lostTime(b, 10_000, 10_000, room.now)
  t.false(room.member('a').isLate(b))
  room.member('a').lostTime(b, 5000, 10_000, room.now)
  t.true(room.member('a').isLate(b))
})

test('a peer that begins a new life again and again is out of the rows, longer each time', (t) => {
  const room = new Room('abc').begin()
  const outFor = () => {
    room.member('b').begin(0, room.now)
    room.run(250)
    const begun = room.now
    while (!room.member('a').isUsable(b, 5)) room.run(250)
    return room.now - begun
  }
  const times = Array.from({ length: 8 }, outFor)
  t.deepEqual(times.slice(0, 3), [0, 0, 1000])
  t.true(times.slice(3).every((time, index) => time > times[2 + index]))
  t.true(times[7] <= 60_000)
})

test('no peer can vouch in the name of a silent peer', (t) => {
  const room = new Room('abc').begin()
  room.end('b')
  const member = room.member('a')
  let nonce: number | undefined
  while (nonce === undefined) {
    room.now += 250
    member.tick(room.now)
    room.member('c').tick(room.now)
    for (const { to, note } of room.member('c').take()) if (to === a) member.receive(c, note, room.now)
    for (const { note } of member.take()) nonce ??= (JSON.parse(note) as { nonce?: number }).nonce
  }
  const vouch = (signature: string) => JSON.stringify({ kind: 'vouch', target: b, nonce, signature })
  t.regex(member.receive(c, vouch('forged'), room.now) ?? '', /forged signature/)
  t.is(member.receive(c, vouch(testSigner(b).sign(pongText(b, a, nonce))), room.now), undefined)
})

test('of two peers, one vote is enough; of three it is not', (t) => {
  for (const [names, isDead] of [
    ['ab', true],
    ['abc', false]
  ] as const) {
    const room = new Room(names).begin()
    room.member('a').refused(b, room.now)
    t.is(room.member('a').isDead(b), isDead)
  }
})
