import { existsSync, readFileSync } from 'node:fs'
import test from 'ava'
import { createRandom } from '@murmuration/random'
import { bestSplitSize, divisorsOf, idealMicroBatches, usualSplitSize } from './split-size.js'
import { type LayerCost, planStages } from './stage-plan.js'
import { stepTime } from './step-time.js'

/** The least time of the slowest stage, by trying all cuts. */
function slowestByTrying(layers: readonly LayerCost[], stages: number, rate: number): number {
  const slowestOf = (ends: readonly number[]) =>
    Math.max(
      ...ends.slice(1).map((end, k) => layers.slice(ends[k], end).reduce((sum, { time }) => sum + time, 0)),
      ...ends.slice(1, -1).map((cut) => (2 * layers[cut - 1].activations) / rate)
    )
  const visit = (ends: readonly number[]): number => {
    if (ends.length === stages) return slowestOf([...ends, layers.length])
    const from = ends[ends.length - 1]
    const rest = Array.from({ length: layers.length - from - 1 }, (_, k) => visit([...ends, from + 1 + k]))
    return Math.min(Number.POSITIVE_INFINITY, ...rest)
  }
  return visit([0])
}

test('the slowest stage is as fast as trying all cuts finds', (t) => {
  const random = createRandom(7, 'cuts')
  for (let turn = 0; turn < 100; turn++) {
    const layers = Array.from({ length: 7 }, () => {
      return { time: 1 + random.integer(97), activations: random.integer(60), weights: 1 }
    })
    for (const stages of [1, 2, 3, 4]) {
      const plan = planStages(layers, { peers: stages, rate: 1, replicas: 1 })
      t.is(plan?.slowest, slowestByTrying(layers, stages, 1))
      t.is(plan?.cuts.length, stages - 1)
    }
  }
})

test('a plan keeps each stage within its room, or there is none', (t) => {
  const layers = [4, 1, 1, 4].map((weights) => ({ time: 1, activations: 0, weights }))
  t.deepEqual(planStages(layers, { peers: 2, rate: 1, replicas: 1, memory: 6 })?.cuts, [2])
  t.deepEqual(planStages(layers, { peers: 3, rate: 1, replicas: 1, memory: 4 })?.cuts, [1, 3])
  t.is(planStages(layers, { peers: 2, rate: 1, replicas: 1, memory: 4 }), undefined)
  t.is(planStages(layers, { peers: 5, rate: 1, replicas: 1 }), undefined)
})

const profiles = new URL('../../../../../shared/prototypes/systems/profiles/', import.meta.url)
const there = existsSync(profiles)

/** PipeDream's own program on its profiles: the slowest stage in seconds, by net, machines and GB/s. */
const published = {
  vgg16: { '4 1': 0.205520896, '4 0.1': 0.62212, '16 1': 0.05652976738, '16 0.1': 0.25690112 },
  alexnet: { '4 1': 0.03421714133, '4 0.1': 0.08388608, '16 1': 0.018874368, '16 0.1': 0.08388608 }
}

test(`plans for VGG-16 and AlexNet are PipeDream's${there ? '' : ' (skipped: its profiles are not there)'}`, (t) => {
  if (!there) return void t.pass()
  for (const [net, rows] of Object.entries(published)) {
    const lines = readFileSync(new URL(`${net}.csv`, profiles), 'utf8')
      .trim()
      .split('\n')
      .slice(1)
    const layers = lines.map((line) => {
      const [forward, backward, activations, weights] = line.split(',').slice(1).map(Number)
      return { time: (forward + backward) / 1000, activations, weights }
    })
    for (const [row, slowest] of Object.entries(rows)) {
      const [peers, gigabytes] = row.split(' ').map(Number)
      const plan = planStages(layers, { peers, rate: gigabytes * 1e9 })
      t.true(Math.abs((plan?.slowest ?? 0) / slowest - 1) < 1e-8, `${net} ${row}: ${plan?.slowest}`)
      t.is(
        plan?.replicas.reduce((sum, count) => sum + count),
        peers
      )
    }
  }
})

test('the search for a split size finds the best divisor of 20 random pipelines', (t) => {
  const random = createRandom(3, 'pipelines')
  for (let turn = 0; turn < 20; turn++) {
    const stages = 2 + random.integer(6)
    const batchSize = [24, 48, 60, 64, 96, 120, 128, 144, 240][random.integer(9)]
    const overhead = 10 ** (-4 + 3 * random.uniform())
    const fractions = Array.from({ length: stages }, () => 0.5 + random.uniform())
    const timeOf = (microBatches: number) => {
      const times = fractions.map((fraction) => {
        const each = fraction / stages / microBatches / 3
        return { forward: each + overhead / 3, backward: 2 * each + (2 * overhead) / 3 }
      })
      return stepTime({ schedule: '1f1b', stages, microBatches }, times).time
    }
    const found = bestSplitSize(batchSize, idealMicroBatches(1, stages, overhead), timeOf)
    const best = Math.min(...divisorsOf(batchSize).map(timeOf))
    t.is(timeOf(batchSize / found), best, `${stages} stages, batches of ${batchSize}, overhead ${overhead}`)
  }
})

test('without measured times a batch has four micro-batches a stage, or the next fewer that divide it', (t) => {
  t.is(usualSplitSize(64, 4), 4)
  t.is(usualSplitSize(60, 4), 4)
  t.is(usualSplitSize(7, 3), 1)
  t.is(usualSplitSize(13, 3), 13)
  t.is(usualSplitSize(32, 1), 8)
})
