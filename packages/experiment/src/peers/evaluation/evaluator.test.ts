import { InputError, type PeerName, peerName } from '@murmuration/core'
import type { TaskWorker } from '@murmuration/tasks'
import test from 'ava'
import type { RunPlan } from '../../training/plan.js'
import { Evaluator } from './evaluator.js'

const [a, b, c] = ['a', 'b', 'c'].map(peerName)
const planOf = (...peers: readonly PeerName[]) =>
  ({ file: { topology: { peers }, servers: [] }, options: { rounds: 9, seed: 1 } }) as unknown as RunPlan

const progress = { seconds: 1, samples: 1, bytes: 1 }

test('an error in the evaluation of the mean during the run is the failure of the evaluator', async (t) => {
  const error = new InputError('an accuracy of 2')
  const task = {
    schema: [{ name: 'x', shape: [1] }],
    evaluate: () => ({ kind: 'evaluate', samples: 1, run: () => Promise.reject(error) }),
    close: () => Promise.resolve()
  } as unknown as TaskWorker
  const evaluator = new Evaluator(planOf(a, b), task, () => t.fail('nothing is evaluated'))
  const snapshot = { round: 0, ...progress, parameters: Float32Array.of(1) }
  for (const peer of [a, b]) evaluator.take(peer, snapshot)
  await evaluator.close()
  t.is(await t.throwsAsync(Promise.race([evaluator.failure, Promise.reject(new Error('no failure'))])), error)
})

test('the mean is that of the workers of the newest epoch: of no frozen peer, and of no server', async (t) => {
  const means: (readonly [round: number, mean: number])[] = []
  const task = {
    schema: [{ name: 'x', shape: [1] }],
    evaluate: ([mean]: Float32Array) => ({ kind: 'evaluate', samples: 1, run: async () => ({ loss: mean }) }),
    close: () => Promise.resolve()
  } as unknown as TaskWorker
  const evaluator = new Evaluator(planOf(a, b, c), task, (event) => {
    if (event.kind === 'evaluation') means.push([event.round, event.loss])
  })
  const take = (peer: PeerName, round: number, value: number) =>
    evaluator.take(peer, { round, ...progress, parameters: Float32Array.of(value) })
  const begin = (epoch: number, members: readonly PeerName[], servers: readonly PeerName[] = []) => {
    const rest = { round: 0, givers: [], lost: [], joined: [], seconds: 1 }
    evaluator.follow({ kind: 'epoch', peer: a, epoch, members, servers, ...rest })
  }
  const settled = () => evaluator.evaluateMean([Float32Array.of(0)])
  take(a, 0, 1)
  take(c, 0, 3)
  await settled()
  t.deepEqual(means, [])
  begin(1, [a, c])
  await settled()
  t.deepEqual(means, [[0, 2]])
  begin(2, [a, b, c], [c])
  begin(1, [a, c])
  take(a, 1, 4)
  await settled()
  t.is(means.length, 1)
  take(b, 1, 8)
  await settled()
  t.deepEqual(means[1], [1, 6])
  take(b, 2, 9)
  evaluator.follow({ kind: 'lost', peer: a, reason: 'the process of peer a ended by SIGKILL' })
  await evaluator.close()
  t.deepEqual(means[2], [2, 9])
})
