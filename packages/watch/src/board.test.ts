import { peerName } from '@murmuration/core'
import test from 'ava'
import { Board, type Membership } from './board.js'
import type { RunFacts, UpdateMessage } from './messages.js'
import { type PeerReport, reportNote } from './report.js'

const [a, b, s] = ['a', 'b', 's'].map(peerName)
const facts: RunFacts = {
  self: a,
  peers: [a, b],
  servers: [s],
  topology: 'ring',
  algorithm: 'D-PSGD',
  rounds: 10,
  finalRounds: 2,
  version: '1.2.3',
  wire: 9,
  about: {}
}
const report: PeerReport = {
  phase: 'training',
  state: 'healthy',
  round: 3,
  life: 1,
  samples: 100,
  seconds: 2,
  loss: 0.5,
  bytesSent: 1000,
  bytesReceived: 2000,
  working: 0.5,
  waiting: 0.25,
  sending: 1,
  links: []
}
const membership: Membership = {
  state: 'degraded',
  members: 2,
  present: 1,
  standingOf: (peer) => ({
    condition: peer === a ? 'here' : 'dead',
    round: 5,
    life: 2,
    waitsFor: peer === a ? [b] : []
  })
}

test('a peer’s condition comes from the membership, its figures from its reports', (t) => {
  const board = new Board(facts, 1000, 0)
  t.is(board.take(b, reportNote(report), 1000), undefined)
  t.is(board.take(b, reportNote({ ...report, samples: 300, seconds: 4, bytesSent: 5000 }), 3000), undefined)
  const { now } = board.tick(3500, membership) as UpdateMessage
  const [first, second, server] = now.peers
  t.like(first, { name: a, condition: 'here', round: 5, waitsFor: [b], age: undefined })
  t.like(second, { name: b, condition: 'dead', round: 5, life: 2, age: 0.5, samplesRate: 100, sentRate: 2000 })
  t.like(server, { name: s, condition: 'absent' })
  t.like(now, { state: 'degraded', members: 2, present: 1, loss: 0.5, samplesRate: 100 })
})

test('without a membership a peer that no longer reports is silent, and its rates and loss no longer count', (t) => {
  const board = new Board(facts, 1000, 0)
  board.take(b, reportNote(report), 0)
  const at = (time: number) => (board.tick(time) as UpdateMessage).now
  t.like(at(6000), { loss: 0.5 })
  t.is(at(6000).peers[1].condition, 'here')
  t.like(at(6001), { loss: undefined })
  t.like(at(6001).peers[1], { condition: 'silent', working: 0, loss: 0.5 })
  board.take(b, reportNote({ ...report, phase: 'finished' }), 7000)
  t.is(at(60_000).peers[1].condition, 'done')
})

test('curves, seconds and events of a board are bounded; curves cover the whole run', (t) => {
  const board = new Board(facts, 1000, 0)
  for (let second = 1; second <= 5000; second++) {
    board.note(`${second} ${'x'.repeat(1000)}`, 1000 * second)
    board.tick(1000 * second, membership)
  }
  const { curves, seconds, now } = board.snapshot()
  t.true(curves.length > 200 && curves.length <= 400)
  t.is(curves[0].time, 1)
  t.true(5000 - (curves.at(-1)?.time ?? 0) < 20)
  t.deepEqual(
    seconds.map((each) => each.length),
    [120, 120, 120]
  )
  t.is(now.events.length, 60)
  t.true(now.events.every(({ text }) => text.length <= 400))
})

test('a board has no epoch until one begins, and then the newest', (t) => {
  const board = new Board(facts, 1000, 0)
  const epoch = () => (board.tick(1000) as UpdateMessage).now.epoch
  t.is(epoch(), undefined)
  board.learn({ epoch: { number: 1, members: [a, b] } })
  board.learn({ epoch: { number: 2, members: [b, s] } })
  t.deepEqual(epoch(), { number: 2, members: [b, s] })
})

test('reports of unknown peers leave no trace', (t) => {
  const board = new Board(facts, 1000, 0)
  board.take(peerName('unknown'), reportNote(report), 0)
  t.deepEqual(
    board.snapshot().now.peers.map(({ age }) => age),
    [undefined, undefined, undefined]
  )
})
