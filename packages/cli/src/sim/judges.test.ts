import { type PeerName, peerName, type StepReport } from '@murmuration/core'
import test from 'ava'
import { Judges } from './judges.js'

const [a, b] = ['a', 'b'].map(peerName)

function report(round: number, parameters: readonly number[], rest: Partial<StepReport> = {}): StepReport {
  const nothing = { samples: 0, waited: 0, disagreement: 0, distances: [], outliers: [], missing: [], unsent: [] }
  return { round, phase: 'train', ...nothing, parameters: Float32Array.from(parameters), ...rest }
}

const average = (...values: readonly number[]) => ({ average: Float32Array.from(values) })

/** Gives a report whose vectors are not valid any more when the next one comes. */
function give(judges: Judges, peer: PeerName, report: StepReport): void {
  const [parameters, average] = [report.parameters.slice(), report.average?.slice()]
  judges.take(peer, { ...report, parameters, ...(average === undefined ? {} : { average }) })
  for (const vector of [parameters, average]) vector?.fill(Number.NaN)
}

function judged(promised: 'mean-kept' | 'identical', reports: readonly (readonly [PeerName, StepReport])[]) {
  const judges = new Judges([a, b], promised, 1)
  for (const [peer, step] of reports) give(judges, peer, step)
  return judges.findings
}

test('averaging that keeps the sum is kept promise, averaging that moves it is a finding', (t) => {
  const start = [[a, report(0, [0, 8])] as const, [b, report(0, [4, 0])] as const]
  const kept = [[a, report(1, [9, 9], average(2, 4))] as const, [b, report(1, [9, 9], average(2, 4))] as const]
  t.deepEqual(judged('mean-kept', [...start, ...kept]), [])
  const moved = [[a, report(1, [9, 9], average(2, 4))] as const, [b, report(1, [9, 9], average(2, 4.1))] as const]
  t.regex(
    judged('mean-kept', [...start, ...moved])[0],
    /averaging moved the sum of the parameters by 0\.(1|09999).* in round 1/
  )
})

test('where somebody was missing the mean may move', (t) => {
  const missing = [
    [a, report(1, [0], { ...average(7), missing: [b] })] as const,
    [b, report(1, [0], average(1))] as const
  ]
  t.deepEqual(judged('mean-kept', [[a, report(0, [1])], [b, report(0, [2])], ...missing]), [])
})

test('who should be identical and is not is named', (t) => {
  t.deepEqual(
    judged('identical', [
      [a, report(0, [1, 2])],
      [b, report(0, [1, 2])]
    ]),
    []
  )
  t.regex(
    judged('identical', [
      [a, report(0, [1, 2])],
      [b, report(0, [1, 2.5])]
    ])[0],
    /^b has other parameters/
  )
})

test('rounds that go back or leave one out are findings, unless the peer began anew', (t) => {
  t.regex(
    judged('identical', [
      [a, report(0, [1])],
      [a, report(2, [1])]
    ])[0],
    /a reports round 2 after round 0/
  )
  const judges = new Judges([a, b], 'identical', 1)
  judges.take(a, report(0, [1]))
  judges.take(a, report(1, [1]))
  judges.restarted(a)
  judges.take(a, report(0, [1]))
  t.deepEqual(judges.findings, [])
})

test('parameters that are not finite are a finding', (t) => {
  t.regex(judged('identical', [[a, report(0, [Number.NaN])]])[0], /not finite/)
})
