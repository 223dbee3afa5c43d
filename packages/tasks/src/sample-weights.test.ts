import type { Task } from '@murmuration/core'
import test from 'ava'
import { withGradientWeight } from './sample-weights.js'

test('a gradient is weighted in its own round, and the values of statistics next to it are not', async (t) => {
  const rounds: (number | undefined)[] = []
  const task: Task = {
    schema: [
      { name: 'w', shape: [1] },
      { name: 'mean', shape: [2], kind: 'statistic', momentum: 0.9 },
      { name: 'b', shape: [1] }
    ],
    samples: 1,
    about: {},
    initialise: () => ({ kind: 'initialise', samples: 0, run: () => new Float32Array(4) }),
    evaluate: () => ({ kind: 'evaluate', samples: 0, run: () => ({ loss: 0 }) }),
    gradient: (_parameters, _batch, round) => {
      rounds.push(round)
      return { kind: 'gradient', samples: 1, run: () => ({ loss: 5, vector: Float32Array.of(1, 2, 3, 4) }) }
    }
  }
  const { loss, vector } = await withGradientWeight(task, 3).gradient(new Float32Array(4), Uint32Array.of(0), 7).run()
  t.deepEqual([loss, [...vector], rounds], [5, [3, 2, 3, 12], [7]])
})
