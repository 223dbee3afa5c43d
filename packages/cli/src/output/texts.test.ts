import { peerName } from '@murmuration/core'
import type { RunEvent, Summary } from '@murmuration/experiment'
import test from 'ava'
import { lineOf, summaryLines } from './texts.js'

const [a, b, c, d] = ['a', 'b', 'c', 'd'].map(peerName)

test('the line of an outlier says who named whom, how far it is, and what that may mean', (t) => {
  t.is(
    lineOf({ kind: 'outlier', peer: a, neighbour: b, round: 7, distance: 8.9e7, typical: 0.482 }),
    'a: b sent parameters at a distance of 89000000 in round 7 (typical: 0.48); it sends wrong numbers, or forwards those of another peer'
  )
})

test('a step gives the distance to the neighbours where it was measured', (t) => {
  const figures = { samples: 1, seconds: 1, waiting: 0, bytesSent: 0, bytesReceived: 0 }
  const step = {
    kind: 'step',
    peer: a,
    round: 7,
    phase: 'train',
    loss: 0.25,
    ...figures,
    missing: [],
    unsent: []
  } as const
  t.is(lineOf({ ...step, distances: [] }), 'a round 8: loss 0.250')
  t.is(
    lineOf({ ...step, disagreement: 0.5, distances: [{ from: b, distance: 0.5 }] }),
    'a round 8: loss 0.250, neighbours 0.500 away'
  )
})

test('a peer that is up says what it trains, also if that is a stage', (t) => {
  const up = { kind: 'peer', peer: a, pid: 1, id: 'id', addresses: ['/ip4/127.0.0.1/tcp/1'], parameters: 9 } as const
  const about = { model: 'mlp 2-3-1', data: 'digits', backend: 'wasm' }
  const textOf = (stage: object) => lineOf({ ...up, about: { ...about, ...stage } })
  t.is(textOf({}), 'a is up: /ip4/127.0.0.1/tcp/1; mlp 2-3-1; digits; wasm')
  t.is(textOf({ stage: '1 of 0 to 2' }), 'a is up: /ip4/127.0.0.1/tcp/1; mlp 2-3-1, stage 1 of 0 to 2; digits; wasm')
})

test('a neighbour is in a state, or has left', (t) => {
  const of = { kind: 'neighbour', peer: a, neighbour: b } as const
  t.is(lineOf({ ...of, state: 'ready' }), 'a: b is ready')
  t.is(lineOf({ ...of, state: 'left', reason: 'done' }), 'a: b has left: done')
})

test('a lost peer is reported with what follows for the others, if that is known', (t) => {
  const lost = { kind: 'lost', peer: a, reason: 'the process of peer a ended by SIGKILL' } as const
  t.is(lineOf(lost), lost.reason)
  t.is(lineOf({ ...lost, consequence: 'the others continue' }), `${lost.reason}; the others continue`)
})

test('the lines of the summary name the sender, the kinds, and how often it was cut off', (t) => {
  const quiet = {
    kind: 'summary',
    outliers: [],
    faults: [],
    bytesSent: 0,
    bytesReceived: 0,
    bytesOfBusiest: 0,
    lost: [],
    troubled: {}
  }
  const faulty = (faults: Summary['faults']) =>
    summaryLines({ ...quiet, faults } as unknown as Summary).filter((line) => line.includes('at fault'))
  t.deepEqual(faulty([]), [])
  const small = { sender: c, to: [a], kinds: { message: 2 }, cutOff: 0 }
  const grave = { sender: d, to: [a, b], kinds: { range: 3, flood: 1200 }, cutOff: 4 }
  t.deepEqual(faulty([small, grave, { ...small, cutOff: 1 }]), [
    '  at fault: c                  message 2; not cut off   (sent to a)',
    '  at fault: d                  range 3, flood 1,200; cut off 4 times   (sent to a, b)',
    '  at fault: c                  message 2; cut off once   (sent to a)'
  ])
})

test('a summary says how many epochs began, if any did, and who is no member any more', (t) => {
  const figures = { kind: 'summary', peers: 4, lost: [], outliers: [], faults: [], troubled: {}, bytesSent: 0 } as const
  const swarm = { bytesReceived: 0, bytesOfBusiest: 0, busiestPeer: a }
  const peer = { peer: a, bytesReceived: 0, model: 'f00d' }
  const linesOf = (summary: object) =>
    lineOf({ ...figures, ...summary } as unknown as Summary)
      .split('\n')
      .filter((line) => line.includes('epochs'))
  for (const summary of [swarm, peer]) {
    t.deepEqual(linesOf(summary), [])
    t.deepEqual(linesOf({ ...summary, epochs: 1 }), ['  new epochs                   1'])
    t.deepEqual(linesOf({ ...summary, epochs: 2, lost: [b, c] }), ['  new epochs                   2, without b, c'])
  }
})

test('the line of the round with which training ends early says why', (t) => {
  const step = { kind: 'step', peer: a, round: 9, phase: 'train', loss: 1, missing: [], ends: 'X is done' } as const
  t.is(lineOf(step as unknown as RunEvent), 'a round 10: loss 1.00; training ends: X is done')
})

test('a summary of a run that learned nothing, or ended early, says so, that of a swarm and that of a peer', (t) => {
  const figures = { kind: 'summary', peers: 2, lost: [], outliers: [], faults: [], troubled: {}, bytesSent: 0 } as const
  const learnedNothing = 'no better than always answering the mean of the test set (loss 2.00); try a lower rate'
  const linesOf = (summary: object) => lineOf({ ...figures, ...summary } as unknown as Summary).split('\n')
  const swarm = { bytesReceived: 0, bytesOfBusiest: 0, busiestPeer: a }
  const peer = { peer: a, bytesReceived: 0, model: 'f00d' }
  for (const summary of [swarm, peer]) {
    t.false(linesOf(summary).some((line) => line.includes('learned nothing')))
    t.true(linesOf({ ...summary, learnedNothing }).includes(`  learned nothing              ${learnedNothing}`))
    t.false(linesOf(summary).some((line) => line.includes('ended early')))
    t.true(linesOf({ ...summary, ended: 'X is done' }).includes('  ended early                  X is done'))
  }
})

test('the page for browsers is printed with its links, or with the command that prints one', (t) => {
  const urls = ['http://127.0.0.1:4280/', 'http://192.168.1.5:4280/']
  const event = { kind: 'browsers', peer: a, urls, seeds: ['/ip4/192.168.1.5/tcp/1/ws'] } as const
  t.is(
    lineOf(event),
    'browsers join at http://127.0.0.1:4280/ or http://192.168.1.5:4280/; a link to it is what "murmur invite TOPOLOGY --name NAME --page http://192.168.1.5:4280/ --seed /ip4/192.168.1.5/tcp/1/ws" prints on the machine with the run key'
  )
  const links = [{ place: b, urls: urls.map((url) => `${url}#join=murmur1.x`) }]
  t.deepEqual(lineOf({ ...event, links }).split('\n'), [
    'browsers join at http://127.0.0.1:4280/ or http://192.168.1.5:4280/',
    'a link for b, for 48 h; whoever opens it first has the place:',
    '  on this machine: http://127.0.0.1:4280/#join=murmur1.x',
    '  on another device: http://192.168.1.5:4280/#join=murmur1.x'
  ])
  t.regex(lineOf({ ...event, links: [] }), /keeps no place for them: add \{ name: NAME, invited: true \}/)
})
