import { InputError } from '@murmuration/core'
import test from 'ava'
import type { Form } from '@murmuration/results'
import { curveKeys } from '../shared/page-data.js'
import { smallResults, smallRun, type Times } from '../small-sweep.test.support.js'
import { pointsFor } from './cases.js'
import { entryOf } from './entry.js'
import { duelsOf, findingSentences } from './finding.js'
import { pageData } from './page-data.js'

/**
 * Three methods on four links, three seeds each. Medians, in the order of the axes' values:
 * 1 Mbit/s: 1 ms: a 100, b 200, c 400; 50 ms: a 150, b 100, c 100.5 (a tie of b and c);
 * 1 Gbit/s: 1 ms: a 10, b 11, c never; 50 ms: a 20, b 80, c never.
 */
const table: Readonly<Record<string, Readonly<Record<string, Times>>>> = {
  '1000000,1': { a: [90, 100, 110], b: [200, 190, 210], c: [400, 400, 400] },
  '1000000,50': { a: [150, 150, 150], b: [100, 100, 100], c: [100.5, 100.5, 100.5] },
  '1000000000,1': { a: [10, 10, 12], b: [11, 11, 11], c: [50, undefined, undefined] },
  '1000000000,50': { a: [20, 20, 20], b: [80, 80, 80], c: [undefined, undefined, undefined] }
}
const four = (methods = ['a', 'b', 'c']) =>
  smallResults({
    axes: { bandwidth: [1e6, 1e9], latency: [1, 50], peers: [8] },
    methods,
    times: (method, { bandwidth, latency }) => table[`${bandwidth},${latency}`][method[0]]
  })

test('settings come in the order of the axes, and axes that do not vary are none', (t) => {
  const data = pageData(four())
  t.deepEqual(data.axes, [
    { name: 'bandwidth', values: ['1 Mbit/s', '1 Gbit/s'], ends: [0, 1] },
    { name: 'latency', values: ['1 ms', '50 ms'], ends: [0, 1] }
  ])
  t.deepEqual(
    data.cases.map(({ places }) => places),
    [
      [0, 0],
      [0, 1],
      [1, 0],
      [1, 1]
    ]
  )
})

test('the median over the seeds is “never” when most of them never arrive', (t) => {
  const { cases } = pageData(four())
  t.deepEqual(cases[0].entries[0]?.measures.secondsToTarget, {
    middle: 100,
    low: 90,
    high: 110,
    mean: 100,
    deviation: 10
  })
  t.deepEqual(cases[2].entries[2]?.measures.secondsToTarget, { middle: null, low: 50, high: null })
  t.is(cases[2].entries[2]?.reached, 1)
})

test('the leader wins most often, and the first setting shown is one with most methods and the greatest lead', (t) => {
  const data = pageData(four())
  t.is(data.leader, 0)
  t.is(data.telling, 0, 'a leads by 2x where all three arrive; by 4x only where c does not')
})

test('the finding says in how many settings who wins, by how much, and where it does not', (t) => {
  t.deepEqual(findingSentences(pageData(four())), [
    '“a” is fastest to the target in 3 of 4 settings: the next best takes 1.10x to 4.0x as long as it (median 2.0x).',
    'In 1 of these the ranges over the seeds overlap, so chance may have decided.',
    'The best two are within 1 % of each other in 1.'
  ])
})

test('where the leader loses is said with the worst factor and its place', (t) => {
  const results = smallResults({
    axes: { latency: [1, 5, 50] },
    methods: ['a', 'b'],
    times: (method, { latency }) => [method === 'a' ? 10 : latency === 1 ? 4 : 20]
  })
  t.deepEqual(findingSentences(pageData(results)), [
    '“a” is fastest to the target in 2 of 3 settings: the next best takes 2.0x as long as it (median 2.0x).',
    '“b” wins in 1.',
    'Where “a” loses, it takes up to 2.5x as long as “b” (at latency 1 ms).'
  ])
})

test('who does not arrive where another does is said to have lost there', (t) => {
  const results = smallResults({
    axes: { latency: [1, 5, 50] },
    methods: ['a', 'b'],
    times: (method, { latency }) => [(method === 'a') === (latency === 50) ? undefined : 10]
  })
  t.deepEqual(findingSentences(pageData(results)), [
    '“a” is fastest to the target in 2 of 3 settings.',
    'In 2 of these no other arrives.',
    '“b” wins in 1.',
    'In 1 setting “a” does not arrive, though another does.'
  ])
})

test('where all others failed, in the only setting or in some, it is said', (t) => {
  const data = (latencies: readonly number[]) => {
    const results = smallResults({ axes: { latency: latencies }, methods: ['a', 'b'], times: () => [undefined] })
    const runs = results.runs.map((run) => (run.method === 'b' ? { ...run, outcome: 'failed' as const } : run))
    return pageData({ ...results, runs })
  }
  t.deepEqual(findingSentences(data([1])), ['“a” is fastest per round in the only setting.', 'All others failed.'])
  t.deepEqual(findingSentences(data([1, 5])), [
    '“a” is fastest per round in 2 of 2 settings.',
    'In 2 of these all others failed.'
  ])
})

test('when all are equal nobody is called the winner', (t) => {
  const results = smallResults({ axes: { latency: [1, 5] }, methods: ['a', 'b'], times: () => [10] })
  t.deepEqual(findingSentences(pageData(results)), [
    'No method leads by more than 1 % anywhere.',
    'The best two are within 1 % of each other in 2.'
  ])
})

test('the finding says what fusing does and what streaming does, and which of the two matters', (t) => {
  const form = (fusion: Form['fusion'], calls: Form['calls']): Form => ({ kind: 'server', fusion, calls })
  const results = smallResults({
    axes: { latency: [1, 50] },
    methods: ['x', 'a', 'b', 'c', 'd'],
    forms: {
      a: form('per-tensor', 'blocking'),
      b: form('per-tensor', 'streamed'),
      c: form('fused', 'blocking'),
      d: form('fused', 'streamed')
    },
    times: (method, { latency }) => {
      if (method === 'a') return [10 + 20 * Number(latency)]
      return [method === 'x' ? 5 : method === 'c' ? 20 : 10]
    }
  })
  t.deepEqual(findingSentences(pageData(results)).slice(-5), [
    '“server”, blocking: per tensor takes 1.50x to 51x as long as fused (median 26x).',
    '“server”, per tensor: blocking takes 3.0x to 101x as long as streamed (median 52x).',
    '“server”, streamed: per tensor takes 1.00x as long as fused (median 1.00x).',
    '“server”, fused: blocking takes 2.0x as long as streamed (median 2.0x).',
    'For “server”, streaming matters more than fusing.'
  ])
})

test('when nobody reaches the target, what counts is the time per round', (t) => {
  const results = smallResults({ methods: ['a', 'b'], times: () => [undefined] })
  const data = pageData(results)
  t.is(data.measures[0], 'secondsPerRound')
  t.is(data.measures.length, 5)
})

test('the leader against each other method, with the settings of the least and the greatest factor', (t) => {
  const [against, never] = duelsOf(pageData(four()))
  t.deepEqual(against, {
    rival: 1,
    settings: 4,
    won: 3,
    rivalNever: 0,
    leaderNever: 0,
    factors: {
      least: { factor: 100 / 150, where: 'bandwidth 1 Mbit/s, latency 50 ms' },
      middle: 1.55,
      greatest: { factor: 4, where: 'bandwidth 1 Gbit/s, latency 50 ms' }
    }
  })
  t.like(never, { rival: 2, settings: 4, won: 3, rivalNever: 2 })
})

test('a run of a method or a setting that the sweep does not have is refused', (t) => {
  const results = four()
  t.throws(() => pageData({ ...results, runs: [{ ...results.runs[0], method: 'd' }] }), {
    instanceOf: InputError,
    message: 'found a run of the method “d”, which is not in the sweep'
  })
  t.throws(() => pageData({ ...results, runs: [{ ...results.runs[0], settings: { bandwidth: 5, latency: 1 } }] }), {
    instanceOf: InputError,
    message: "found a run with bandwidth 5, which is not a value of the sweep's axis"
  })
})

test('failed runs keep their reasons and count as slower than all others', (t) => {
  const failed = smallRun(undefined, { outcome: 'failed', reason: 'p1 waits for p0', seed: 2 })
  const entry = entryOf([smallRun(10), failed], 200)
  t.deepEqual(entry.failures, ['seed 2: p1 waits for p0'])
  t.is(entry.reached, 1)
  t.deepEqual(entry.measures.secondsPerRound, { middle: null, low: 1, high: null })
  t.is(entry.payloadFraction, 0.8)
})

test('a method that came to the end of no round has no time per round', (t) => {
  const entry = entryOf([smallRun(undefined, { rounds: 0, secondsPerRound: 0, bytesSent: 100 })], 200)
  t.deepEqual(entry.measures.secondsPerRound.middle, null)
  t.deepEqual(entry.measures.bytesPerRound.middle, null)
})

test('bytes per round are those of the rounds in which they were sent', (t) => {
  const entry = entryOf([smallRun(undefined, { rounds: 1000, begun: 900, bytesSent: 5000 })], 200)
  t.is(entry.measures.bytesPerRound.middle, 50)
})

test('an epoch of several runs is at the median of its rounds and times; of many epochs the first are drawn', (t) => {
  const epoch = { epoch: 1, round: 60, seconds: 7, members: ['p0'], lost: ['p1'], joined: [] }
  const runs = [
    smallRun(10, { epochs: [epoch, { ...epoch, epoch: 2, round: 90, seconds: 9 }] }),
    smallRun(11, { epochs: [{ ...epoch, round: 64, seconds: 8 }], seed: 2 }),
    smallRun(12, { epochs: [{ ...epoch, round: 61, seconds: 7.5 }], seed: 3 }),
    smallRun(13, { seed: 4 })
  ]
  t.deepEqual(entryOf(runs, 200).epochs, [
    { epoch: 1, round: 61, seconds: 7.5 },
    { epoch: 2, round: 90, seconds: 9 }
  ])
  t.is(entryOf([smallRun(10)], 200).epochs, undefined)
  const many = Array.from({ length: 100 }, (_, place) => ({ ...epoch, epoch: place + 1 }))
  t.is(entryOf([smallRun(10, { epochs: many })], 200).epochs?.length, 20)
})

test('curves become sparser as there are more of them, and never too sparse to be drawn', (t) => {
  t.is(pointsFor(1), 200)
  t.is(pointsFor(100), Math.floor(60_000 / 100 / curveKeys.length))
  t.is(pointsFor(1e6), 16)
})

test('the duality gap has a curve where a method ascends a dual, and none elsewhere', (t) => {
  const { curve } = smallRun(10)
  const gaps = [1, 0.25]
  const entry = entryOf([smallRun(10, { curve: curve.map((point, index) => ({ ...point, gap: gaps[index] })) })], 200)
  t.deepEqual([entry.curves.gapByRounds.x, entry.curves.gapByRounds.middle], [[0, 10], gaps])
  t.deepEqual(entryOf([smallRun(10)], 200).curves.gapByRounds.x, [])
})
