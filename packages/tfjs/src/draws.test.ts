import { startTaskWorker } from '@murmuration/tasks'
import { hashVector } from '@murmuration/vectors'
import type { Task } from '@murmuration/core'
import test from 'ava'
import { tfjsTaskModule } from './lazy.js'
import type { TfjsTaskOptions } from './task.js'
import { createTask, moduleOf, sequential, localData, taskOf, testedBackend } from './task.test.support.js'

const batch = Uint32Array.of(0, 3, 5, 11, 30)

/** The hash of the gradient at the start of seed 3, in a round. */
async function gradientOf(task: Task, round?: number): Promise<string> {
  return hashVector((await task.gradient(await task.initialise(3).run(), batch, round).run()).vector)
}

const noisy: Readonly<Record<string, readonly [string, boolean?]>> = {
  'dropout': ['l.flatten(), l.dropout({ rate: 0.5 }), l.dense({ units: classes })'],
  'spatial dropout in one dimension': [
    'l.reshape({ targetShape: [6, 6] }), l.dropout({ rate: 0.5, noiseShape: [null, 1, 6] }), l.flatten(), l.dense({ units: classes })'
  ],
  'Gaussian noise': ['l.flatten(), l.gaussianNoise({ stddev: 1 }), l.dense({ units: classes })'],
  'Gaussian dropout': ['l.flatten(), l.gaussianDropout({ rate: 0.5 }), l.dense({ units: classes })'],
  'alpha dropout': ['l.flatten(), l.alphaDropout({ rate: 0.5 }), l.dense({ units: classes })'],
  'dropout of an LSTM': [
    'l.embedding({ inputDim: 11, outputDim: 4 }), l.lstm({ units: 3, dropout: 0.5 }), l.dense({ units: classes })',
    true
  ],
  'recurrent dropout of an LSTM': [
    'l.embedding({ inputDim: 11, outputDim: 4 }), l.lstm({ units: 3, recurrentDropout: 0.5 }), l.dense({ units: classes })',
    true
  ],
  'recurrent dropout of a GRU in both directions': [
    'l.embedding({ inputDim: 11, outputDim: 4 }), l.bidirectional({ layer: l.gru({ units: 3, recurrentDropout: 0.5 }) }), l.dense({ units: classes })',
    true
  ]
}

for (const [title, [layers, ids = false]] of Object.entries(noisy)) {
  test.serial(
    `the same round draws the same, also anew and in another task, and another round something else: ${title}`,
    async (t) => {
      const task = await taskOf(sequential(layers), { ids })
      const rounds = [0, 1, 2, 1, 0]
      const hashes: string[] = []
      for (const round of rounds) hashes.push(await gradientOf(task, round))
      t.is(new Set(hashes).size, 3)
      t.deepEqual(hashes.slice(3), [hashes[1], hashes[0]])
      t.is(await gradientOf(task), hashes[0])
      t.is(await gradientOf(await taskOf(sequential(layers), { ids }), 2), hashes[2])
    }
  )
}

test.serial('peers and seeds draw apart, threads do not, and no other code draws from that seed', async (t) => {
  const path = await moduleOf(
    sequential('l.flatten(), l.gaussianNoise({ stddev: 1 }), l.dropout({ rate: 0.5 }), l.dense({ units: classes })')
  )
  const original = Math.random
  const options = (self: string, seed: number) =>
    ({
      localData: { ...localData(60), peers: ['a', 'b'], self, seed },
      model: { kind: 'module', path },
      backend: testedBackend
    }) as unknown as TfjsTaskOptions
  const worker = await startTaskWorker({ module: tfjsTaskModule, options: options('a', 1) })
  // The same samples and parameters for both: only random draws may differ.
  const at = await worker.initialise(1).run()
  const of = async (task: Task) => hashVector((await task.gradient(at.fill(0.1), batch, 4).run()).vector)
  t.is(await of(worker), await of(await createTask(options('a', 1))))
  t.not(await of(worker), await of(await createTask(options('b', 1))))
  t.is(Math.random, original)
  await worker.close()
})
