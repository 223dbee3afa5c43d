import type { Task } from '@murmuration/core'
import { createRandom } from '@murmuration/random'
import test from 'ava'
import { Gradients } from './gradients.js'
import { Arena } from './vector.js'

/** The seeds of the draws of three rounds, in order. */
async function seedsOf(accumulate: number): Promise<readonly number[]> {
  const seeds: number[] = []
  const task = {
    samples: 8,
    gradient: (_x: Float32Array, batch: Uint32Array, round = 0) => {
      seeds.push(round)
      return { kind: 'gradient', samples: batch.length, run: () => ({ loss: 1, vector: Float32Array.of(1) }) }
    }
  } as unknown as Task
  const arena = new Arena({ allocate: (length) => new Float32Array(length), free: () => {} })
  const options = { batchSize: 2, accumulate }
  const gradients = new Gradients(arena, task, options, [], createRandom(1, 'a'), { diverged: () => new Error() })
  for (const round of [0, 1, 2]) await gradients.work(arena.adopt(Float32Array.of(0)), round).run()
  return seeds
}

test('every batch of a gradient over several draws its own dropout, and no round that of another', async (t) => {
  t.deepEqual(await seedsOf(1), [0, 1, 2])
  t.deepEqual(await seedsOf(3), [0, 1, 2, 3, 4, 5, 6, 7, 8])
})
