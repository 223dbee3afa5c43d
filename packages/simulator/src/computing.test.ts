import { peerName, type Work } from '@murmuration/core'
import test from 'ava'
import { type ComputingModel, computingCost, type Stragglers } from './computing.js'

const [a, b] = ['a', 'b'].map(peerName)
const gradient: Work<unknown> = { kind: 'gradient', samples: 20, run: () => 0 }

function costs(stragglers: Stragglers, count: number, seed = 1): number[] {
  const model: ComputingModel = { perSample: 0.5, perStep: 2, slow: new Map([[b, 3]]), stragglers }
  const cost = computingCost(model, seed)
  return Array.from({ length: count }, () => cost(gradient, a))
}

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length

test('a step takes its own time and that of its samples, on a slow peer so many times as long', (t) => {
  const cost = computingCost({ perSample: 0.5, perStep: 2, slow: new Map([[b, 3]]), stragglers: { kind: 'none' } }, 1)
  t.is(cost(gradient, a), 12)
  t.is(cost(gradient, b), 36)
  t.is(cost({ ...gradient, kind: 'initialise' }, a), 0)
})

test('the shifted exponential is never shorter, and longer by its mean', (t) => {
  const times = costs({ kind: 'shifted-exponential', mean: 6 }, 20_000)
  t.true(Math.min(...times) >= 12)
  t.true(Math.abs(mean(times) - 18) < 0.3)
})

test('the log-normal keeps the mean, and its logarithm has the deviation σ', (t) => {
  const times = costs({ kind: 'log-normal', sigma: 0.5 }, 20_000)
  t.true(Math.abs(mean(times) / 12 - 1) < 0.02)
  const logs = times.map(Math.log)
  const centre = mean(logs)
  t.true(Math.abs(Math.sqrt(mean(logs.map((value) => (value - centre) ** 2))) - 0.5) < 0.02)
})

test('now and then is the fraction of times that was asked for', (t) => {
  const times = costs({ kind: 'slow-now-and-then', fraction: 0.1, factor: 5 }, 10_000)
  t.deepEqual(
    [...new Set(times)].sort((x, y) => x - y),
    [12, 60]
  )
  t.true(Math.abs(times.filter((time) => time === 60).length / 10_000 - 0.1) < 0.02)
})

test('a trace goes around', (t) => {
  const times = costs({ kind: 'trace', factors: [1, 2, 4] }, 6)
  t.deepEqual(times.slice(3), times.slice(0, 3))
  t.deepEqual(
    [...times.slice(0, 3)].sort((x, y) => x - y),
    [12, 24, 48]
  )
})

test('the same seed gives the same times, another seed others', (t) => {
  const stragglers: Stragglers = { kind: 'log-normal', sigma: 1 }
  t.deepEqual(costs(stragglers, 5), costs(stragglers, 5))
  t.notDeepEqual(costs(stragglers, 5), costs(stragglers, 5, 2))
})
