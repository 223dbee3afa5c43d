import test from 'ava'
import { maxHeld, passesOf, type Schedule } from './schedule.js'
import { type Hop, stepTime } from './step-time.js'

const schedules: readonly Schedule[] = ['gpipe', '1f1b']
const sizes = [1, 2, 3, 4, 8].flatMap((stages) =>
  [1, 2, 3, 4, 8, 16, 32, 64].map((microBatches) => [stages, microBatches])
)

const near = (found: number, expected: number) => Math.abs(found - expected) <= 1e-9

test('a stage computes each micro-batch forward, later backward, and holds as many as the schedule says', (t) => {
  for (const schedule of schedules)
    for (const [stages, microBatches] of sizes)
      for (let stage = 0; stage < stages; stage++) {
        const shape = { schedule, stages, microBatches }
        const held = new Set<number>()
        let most = 0
        for (const { direction, microBatch } of passesOf(shape, stage)) {
          if (direction === 'forward') held.add(microBatch)
          else
            t.true(held.delete(microBatch), `${schedule} ${stages} ${microBatches}: ${microBatch} twice, or too early`)
          most = Math.max(most, held.size)
        }
        t.is(held.size, 0)
        t.is(passesOf(shape, stage).length, 2 * microBatches)
        t.is(most, schedule === 'gpipe' ? microBatches : Math.min(microBatches, stages - stage))
        t.is(maxHeld(shape, stage), most)
      }
})

test('equal stages are idle for (n − 1) / (m + n − 1) of the time, also with fewer micro-batches than stages', (t) => {
  for (const schedule of schedules)
    for (const [stages, microBatches] of sizes) {
      const times = Array.from({ length: stages }, () => ({ forward: 1, backward: 2 }))
      const { time, idle } = stepTime({ schedule, stages, microBatches }, times)
      t.true(near(idle, (stages - 1) / (microBatches + stages - 1)), `${schedule} ${stages} ${microBatches}: ${idle}`)
      t.true(near(time, 3 * (microBatches + stages - 1)))
    }
})

test('links lengthen the ramp only, until one needs longer for a micro-batch than a stage', (t) => {
  const times = Array.from({ length: 3 }, () => ({ forward: 1, backward: 1 }))
  const timeOf = (hop: Hop) => stepTime({ schedule: 'gpipe', stages: 3, microBatches: 10 }, times, [hop, hop]).time
  t.is(timeOf({ latency: 0, transfer: 0 }), 24)
  // Two hops forward, two backward.
  t.is(timeOf({ latency: 0.5, transfer: 0 }), 26)
  t.is(timeOf({ latency: 0, transfer: 0.5 }), 26)
  // Ten micro-batches at the rate of the link, both ways; two passes and a hop before, and after.
  t.is(timeOf({ latency: 0, transfer: 3 }), 2 * (10 * 3 + 3 + 3))
})

test('split sizes of PyTorch’s model-parallel tutorial: 12 is best of nine, within 5 % of the published time', (t) => {
  // ResNet-50 on two GPUs, batches of 120: 4.02 s not pipelined, 2.51 s with 20 samples, 2.43 s with 12.
  const timeOf = (size: number, overhead: number) => {
    const microBatches = 120 / size
    const forward = 4.02 / (2 * microBatches) / 3 + overhead / 6
    const each = { forward, backward: 2 * forward }
    return stepTime({ schedule: 'gpipe', stages: 2, microBatches }, [each, each]).time
  }
  // The overhead alone is fitted, to the time of 20.
  let [low, high] = [0, 1]
  for (let turn = 0; turn < 60; turn++) {
    const middle = (low + high) / 2
    if (timeOf(20, middle) < 2.51) low = middle
    else high = middle
  }
  const sizesTried = [1, 3, 5, 8, 10, 12, 20, 40, 60]
  const best = sizesTried.reduce((found, size) => (timeOf(size, low) < timeOf(found, low) ? size : found))
  t.is(best, 12)
  t.true(Math.abs(timeOf(12, low) / 2.43 - 1) < 0.05, String(timeOf(12, low)))
})
