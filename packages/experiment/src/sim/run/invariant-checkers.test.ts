import type { Keeps } from '@murmuration/algorithms'
import { type PeerName, peerName, type StepReport } from '@murmuration/core'
import test from 'ava'
import { InvariantCheckers } from './invariant-checkers.js'
import { stepReport } from './step-report.test.support.js'

const [a, b] = ['a', 'b'].map(peerName)

const report = (round: number, parameters: readonly number[], rest: Partial<StepReport> = {}) =>
  stepReport(round, Float32Array.from(parameters), rest)

const vector = (...values: readonly number[]) => ({ values: Float32Array.from(values) })

/** An optimiser step. */
const move = (from: readonly number[], to: readonly number[]) => ({
  moves: [{ from: vector(...from), to: vector(...to) }]
})

/** Passes on a report whose vectors become invalid with the next one. */
function give(checkers: InvariantCheckers, peer: PeerName, report: StepReport): void {
  checkers.take(peer, report)
  const others = [...report.moves.flatMap(({ from, to }) => [from, to]), ...(report.mass ? [report.mass.x] : [])]
  for (const { values } of [{ values: report.parameters }, ...others]) values.fill(Number.NaN)
}

function judged(keeps: Keeps, reports: readonly (readonly [PeerName, StepReport])[]) {
  const checkers = new InvariantCheckers([a, b], keeps, 1)
  for (const [peer, step] of reports) give(checkers, peer, step)
  return checkers.findings
}

test('the mean is kept where the sum moves by what the optimisers move; otherwise that is a finding', (t) => {
  const start = () => [[a, report(0, [0, 8])] as const, [b, report(0, [4, 0])] as const]
  const kept = [
    [a, report(1, [3, 4], move([2, 4], [3, 4]))] as const,
    [b, report(1, [2, 1], move([2, 4], [2, 1]))] as const
  ]
  t.deepEqual(judged('mean', [...start(), ...kept]), [])
  const moved = [[a, report(1, [2, 4])] as const, [b, report(1, [2, 4.1])] as const]
  t.regex(judged('mean', [...start(), ...moved])[0], /the sum of the parameters moved by 0\.(1|09999).* in round 1/)
})

test('the sum of peers that are far apart may move by the rounding of its terms, on either side of a round', (t) => {
  const far = () => [[a, report(0, [1e8])] as const, [b, report(0, [-1e8])] as const]
  t.deepEqual(judged('mean', [...far(), [a, report(1, [1])], [b, report(1, [9])]]), [])
  const apart = (error: number) => [[a, report(1, [1e8])] as const, [b, report(1, [-1e8 + error])] as const]
  const near = () => [[a, report(0, [1])] as const, [b, report(0, [-1])] as const]
  t.deepEqual(judged('mean', [...near(), ...apart(8)]), [])
  t.regex(judged('mean', [...near(), ...apart(4096)])[0], /moved by 4096/)
})

test('the weighted mean is kept where the sums of x and of w are', (t) => {
  const of = (x: number, w: number) => ({ mass: { x: vector(x), w } })
  const start = () => [[a, report(0, [0], of(3, 1))] as const, [b, report(0, [0], of(5, 1))] as const]
  const second = (x: number, w: number) => [
    [a, report(1, [9], of(2, 0.5))] as const,
    [b, report(1, [9], of(x, w))] as const
  ]
  t.deepEqual(judged('weighted mean', [...start(), ...second(6, 1.5)]), [])
  t.regex(judged('weighted mean', [...start(), ...second(7, 1.5)])[0], /the sum of the parameters moved by 1/)
  t.regex(judged('weighted mean', [...start(), ...second(6, 1.25)])[0], /the sum of the weights moved by -0.25/)
})

test('where something of an earlier round was mixed in the mean may move', (t) => {
  const late = [[a, report(1, [7], { late: [b] })] as const, [b, report(1, [1])] as const]
  t.deepEqual(judged('mean', [[a, report(0, [1])], [b, report(0, [2])], ...late]), [])
})

test('where somebody was missing the mean may move', (t) => {
  const missing = [[a, report(1, [7], { missing: [b] })] as const, [b, report(1, [1])] as const]
  t.deepEqual(judged('mean', [[a, report(0, [1])], [b, report(0, [2])], ...missing]), [])
})

test('where the others mixed a message of a process that a new one has replaced the mean may move', (t) => {
  const found = (round: number) => {
    const checkers = new InvariantCheckers([a, b], 'mean', 1)
    for (const peer of [a, b]) give(checkers, peer, report(0, [1]))
    // The first process of b sent its message of round 1, which a has mixed, and then crashed.
    give(checkers, a, report(1, [1]))
    checkers.restarted(b)
    give(checkers, b, report(0, [5]))
    give(checkers, b, report(1, [round === 1 ? 6 : 5]))
    give(checkers, a, report(2, [1]))
    give(checkers, b, report(2, [6]))
    return checkers.findings
  }
  t.deepEqual(found(1), [])
  t.regex(found(2)[0], /moved by 1 in round 2/)
})

test('who should be identical and is not is named', (t) => {
  t.deepEqual(
    judged('equality', [
      [a, report(0, [1, 2])],
      [b, report(0, [1, 2])]
    ]),
    []
  )
  t.regex(
    judged('equality', [
      [a, report(0, [1, 2])],
      [b, report(0, [1, 2.5])]
    ])[0],
    /^b has parameters that differ/
  )
})

test('rounds that go back or leave one out are findings, unless the peer began anew', (t) => {
  t.regex(
    judged('equality', [
      [a, report(0, [1])],
      [a, report(2, [1])]
    ])[0],
    /a reports round 2 after round 0/
  )
  const checkers = new InvariantCheckers([a, b], 'equality', 1)
  checkers.take(a, report(0, [1]))
  checkers.take(a, report(1, [1]))
  checkers.restarted(a)
  checkers.take(a, report(0, [1]))
  t.deepEqual(checkers.findings, [])
})

test('parameters that are not finite are a finding', (t) => {
  t.regex(judged('equality', [[a, report(0, [Number.NaN])]])[0], /not finite/)
})

test('where peers may join, one begins later or with a state of a later round, and rounds never go back', (t) => {
  const found = (mayJoin: boolean, second: StepReport) => {
    const checkers = new InvariantCheckers([a, b], 'nothing', 1, mayJoin)
    checkers.take(a, report(4, [1]))
    checkers.take(a, second)
    return checkers.findings
  }
  t.deepEqual(found(true, report(5, [1])), [])
  t.deepEqual(found(true, report(9, [1], { life: 2 })), [])
  t.deepEqual(found(true, report(9, [1])), ['a reports round 9 after round 4'])
  t.deepEqual(found(true, report(4, [1], { life: 2 })), ['a reports round 4 after round 4'])
  t.deepEqual(found(false, report(5, [1])), ['a reports round 4 after round none'])
})
