import { StoppedError } from '@murmuration/core'
import test from 'ava'
import { calibrate, calibrated } from './calibrate.js'
import { scenarioOf } from '../scenario/scenario.test.support.js'

/** A clock on which a gradient takes so many milliseconds at least. */
const clockOf = (ms: number) => {
  let time = 0
  return () => (time += ms)
}

test('a gradient that takes seconds is computed once with each batch', async (t) => {
  const clock = clockOf(5000)
  const { perSample, perStep } = await calibrate(await scenarioOf(), clock)
  t.true(perSample === 0 && perStep >= 5000 && perStep <= 20_000, `${perStep}`)
  t.true(clock() < 100_000)
})

test('measuring ends when it is aborted', async (t) => {
  const signal = AbortSignal.abort(new StoppedError('enough'))
  await t.throwsAsync(calibrate(await scenarioOf(), clockOf(1), signal), { message: 'enough' })
})

test('the gradient of a model in stages is measured as that of the whole', async (t) => {
  const model = { task: '{ kind: mlp, hidden: [6, 5] }', data: '{ digits: 100 }', pipeline: '{}' }
  const scenario = await scenarioOf({ ...model, topology: '{ graph: complete, stages: 2, peers: 4 }' })
  const { computing } = await calibrated(scenario, undefined, { now: clockOf(5000), processorTime: clockOf(1) })
  t.true(computing.perStep >= 5000)
})
