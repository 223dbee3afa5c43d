import { InputError, peerName } from '@murmuration/core'
import type { TaskWorker } from '@murmuration/tasks'
import test from 'ava'
import type { RunPlan } from '../../training/plan.js'
import { Evaluator } from './evaluator.js'

const [a, b] = ['a', 'b'].map(peerName)
const plan = {
  file: { topology: { peers: [a, b] }, servers: [] },
  options: { rounds: 9, seed: 1 }
} as unknown as RunPlan

test('an error in the evaluation of the mean during the run is the failure of the evaluator', async (t) => {
  const error = new InputError('an accuracy of 2')
  const task = {
    schema: [{ name: 'x', shape: [1] }],
    evaluate: () => ({ kind: 'evaluate', samples: 1, run: () => Promise.reject(error) }),
    close: () => Promise.resolve()
  } as unknown as TaskWorker
  const evaluator = new Evaluator(plan, task, () => t.fail('nothing is evaluated'))
  const snapshot = { round: 0, seconds: 1, samples: 1, bytes: 1, parameters: Float32Array.of(1) }
  for (const peer of [a, b]) evaluator.take(peer, snapshot)
  await evaluator.close()
  t.is(await t.throwsAsync(Promise.race([evaluator.failure, Promise.reject(new Error('no failure'))])), error)
})
