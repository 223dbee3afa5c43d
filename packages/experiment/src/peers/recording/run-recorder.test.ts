import { peerName } from '@murmuration/core'
import test from 'ava'
import type { RunEvent, Summary } from '../../base/events.js'
import { SummarisedEvents } from '../reporting/summarised-events.js'
import { RunRecorder } from './run-recorder.js'

const [a, b] = ['a', 'b'].map(peerName)

const run = { method: 'D-PSGD', seed: 3, rounds: 4, finalRounds: 1, peers: 2 }

const evaluation = (round: number, given: Partial<Extract<RunEvent, { kind: 'evaluation' }>> = {}) =>
  ({
    kind: 'evaluation',
    of: 'mean',
    round,
    loss: 2 - round / 4,
    accuracy: 0.5,
    consensusDistance: 0.1,
    seconds: 1 + round,
    samples: 64 * (round + 1),
    bytes: 1000 * (round + 1),
    ...given
  }) as const satisfies RunEvent

const summary: Summary = {
  kind: 'summary',
  peers: 2,
  finished: 2,
  lost: [],
  outliers: [],
  faults: [],
  rounds: 4,
  samples: 256,
  seconds: 6,
  lossOfMean: 1,
  lossOfWorst: 1.1,
  accuracyOfMean: 0.7,
  consensusDistance: 1e-6,
  bytesSent: 5000,
  bytesReceived: 5000,
  payloadSent: 4800,
  rawSent: 4800,
  messages: 20,
  bytesOfBusiest: 5100,
  busiestPeer: b,
  waiting: 0.2,
  working: 0.6,
  backend: 'wasm',
  troubled: {},
  models: { [a]: 'x', [b]: 'y' },
  spectralGap: 1,
  seed: 3
}

test('a run that still goes on is what its last evaluation says, and unfinished', (t) => {
  const recorder = new RunRecorder(run, () => 0)
  t.true(recorder.take(evaluation(1)))
  t.false(recorder.take(evaluation(3, { of: 'centralised' })), 'that of plain SGD is another curve')
  t.like(recorder.record(), {
    world: 'libp2p',
    outcome: 'unfinished',
    rounds: 2,
    seconds: 2,
    samples: 128,
    bytesSent: 2000
  })
  t.is(recorder.record().secondsPerRound, 1)
  t.is(recorder.record().time, undefined, 'known at the end')
})

test('a run that has ended has all figures of its summary, and a round is as long as in training', (t) => {
  const recorder = new RunRecorder(run, () => 0)
  for (const event of [evaluation(1), evaluation(3), summary]) recorder.take(event)
  const record = recorder.record()
  t.like(record, {
    outcome: 'limit',
    rounds: 4,
    seconds: 6,
    secondsPerRound: 1,
    samples: 256,
    bytesSent: 5000,
    payloadSent: 4800,
    messages: 20,
    busiest: { name: 'b', bytes: 5100 },
    time: { working: 0.6 },
    models: { a: 'x', b: 'y' },
    findings: []
  })
  t.deepEqual(record.curve.at(-1), {
    seconds: 6,
    samples: 256,
    bytes: 5000,
    round: 4,
    loss: 1,
    accuracy: 0.7,
    worstLoss: 1.1,
    consensusDistance: 1e-6
  })
})

test('without final averaging rounds the end is the last round, with what is known at the end', (t) => {
  const recorder = new RunRecorder({ ...run, finalRounds: 0 }, () => 0)
  for (const event of [evaluation(1), evaluation(3), summary]) recorder.take(event)
  const { curve } = recorder.record()
  t.deepEqual(
    curve.map(({ round, worstLoss }) => [round, worstLoss]),
    [
      [2, undefined],
      [4, 1.1]
    ]
  )
})

test('a run that ended early has the rounds that it trained, and says why', (t) => {
  const recorder = new RunRecorder(run, () => 0)
  const seen = new SummarisedEvents()
  for (const [peer, round] of [
    [a, 1],
    [b, 1]
  ] as const)
    seen.take({ kind: 'step', peer, round, phase: 'train', ends: 'X is done' } as unknown as RunEvent)
  t.like(seen.figures, { rounds: 2, ended: 'X is done' })
  for (const event of [evaluation(0), evaluation(1), { ...summary, ...seen.figures, outliers: [] }])
    recorder.take(event)
  const { rounds, ended, secondsPerRound, outcome } = recorder.record()
  t.deepEqual(
    { rounds, ended, secondsPerRound, outcome },
    { rounds: 2, ended: 'X is done', secondsPerRound: 1, outcome: 'limit' }
  )
})

test('who was lost, was at fault or was far away is found, and the curve never goes back', (t) => {
  const recorder = new RunRecorder(run, () => 0)
  const faults = [{ sender: b, to: [a], kinds: { 'not-finite': 3 }, cutOff: 1 }]
  recorder.take(evaluation(3, { samples: 300 }))
  recorder.take({ kind: 'lost', peer: b, reason: 'the process ended by SIGKILL' })
  recorder.take({ ...summary, samples: 128, lost: [b], outliers: [b], faults })
  recorder.fail({ outcome: 'failed', reason: 'the models are 3 apart' })
  const { lost, findings, curve, outcome } = recorder.record()
  t.deepEqual(lost, ['b: the process ended by SIGKILL'])
  t.deepEqual(findings, [
    'b was at fault (not-finite 3), sent to a',
    'far from their neighbours: b',
    'the models are 3 apart'
  ])
  t.is(curve.at(-1)?.samples, 300)
  t.is(outcome, 'limit')
})

test('of a run that went on from a checkpoint, time and bytes are those of its last rounds', (t) => {
  const recorder = new RunRecorder({ ...run, rounds: 1000, finalRounds: 0 }, () => 0)
  recorder.take(evaluation(949, { seconds: 5, begun: 900 }))
  t.like(recorder.record(), { begun: 900, secondsPerRound: 0.1 })
  recorder.take({ ...summary, rounds: 1000, seconds: 10, begun: 900 })
  t.like(recorder.record(), { rounds: 1000, begun: 900, secondsPerRound: 0.1 })
})

test('a run that failed says why, and keeps its curve', (t) => {
  const recorder = new RunRecorder(run, () => 0)
  recorder.take(evaluation(1))
  recorder.fail({ outcome: 'failed', reason: 'the loss is NaN' })
  t.like(recorder.record(), { outcome: 'failed', reason: 'the loss is NaN', rounds: 2 })
})

test('of a single peer its own evaluations count', (t) => {
  const recorder = new RunRecorder({ ...run, peer: a }, () => 0)
  t.false(recorder.take(evaluation(1)))
  const { consensusDistance: _, ...own } = evaluation(1, { of: 'a' })
  t.true(recorder.take(own))
  const record = recorder.record()
  t.is(record.peer, 'a')
  t.false('consensusDistance' in record.curve[0])
})

test('epochs are recorded once, with the time since the start of training, whichever member tells first', (t) => {
  let now = 3000
  const recorder = new RunRecorder(run, () => now)
  const step = { kind: 'step', peer: a, round: 1, phase: 'train', seconds: 2 } as unknown as RunEvent
  const shared = { servers: [], givers: [a], seconds: 0.7 }
  const first = { ...shared, kind: 'epoch', peer: a, epoch: 1, round: 2, members: [a], lost: [b], joined: [] } as const
  const second = { ...first, epoch: 2, round: 3, members: [a, b], lost: [], joined: [b] }
  recorder.take(step)
  t.false('epochs' in recorder.record())
  now = 5000
  t.true(recorder.take(first), 'the record is written')
  now = 6500
  t.true(recorder.take(second))
  t.false(recorder.take({ ...first, peer: b }))
  t.false(recorder.take({ ...second, peer: b }))
  t.deepEqual(recorder.record().epochs, [
    { epoch: 1, round: 2, seconds: 4, members: [a], lost: [b], joined: [] },
    { epoch: 2, round: 3, seconds: 5.5, members: [a, b], lost: [], joined: [b] }
  ])
})
